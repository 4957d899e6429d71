import { parseAddress, type Address } from '../../../addressing/address';
import { hostPrefix, parsePrefix, type Prefix } from '../../../addressing/prefix';
import type { CloudUse } from '../../../ports/cloud';
import type { Ec2Element } from './ec2-xml';

/** States of an instance that has, or will have, no interface any more. */
const ENDING = new Set(['shutting-down', 'terminated']);

/** An instance with its primary interface. */
export interface Instance {
  readonly id: string;
  readonly type: string;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly interfaceId: string;
  readonly own: readonly Address[];
  readonly secondary: readonly Address[];
  /** Prefixes that are delegated to the interface; each takes the room of one address. */
  readonly prefixes: readonly Prefix[];
}

/**
 * Reads an instance of `DescribeInstances`.
 *
 * @param item - of `instancesSet`
 * @returns undefined for one that ends, or has no primary interface
 */
export function readInstance(item: Ec2Element): Instance | undefined {
  if (ENDING.has(item.text('instanceState', 'name'))) return undefined;
  // the position in the list says nothing; network card 0 is the one that has the address of the node
  const primary = item
    .items('networkInterfaceSet')
    .find(
      (each) =>
        each.text('attachment', 'deviceIndex') === '0' && !/^[1-9]/u.test(each.text('attachment', 'networkCardIndex')),
    );
  if (primary === undefined) return undefined;
  return {
    id: item.text('instanceId'),
    type: item.text('instanceType'),
    vpcId: primary.text('vpcId'),
    subnetId: primary.text('subnetId'),
    interfaceId: primary.text('networkInterfaceId'),
    ...addressesOf(primary),
    prefixes: prefixesOf(primary),
  };
}

function addressesOf(item: Ec2Element): Pick<Instance, 'own' | 'secondary'> {
  const all = [
    ...item.items('privateIpAddressesSet').map((each) => ({
      text: each.text('privateIpAddress'),
      isOwn: each.text('primary') === 'true',
    })),
    ...item.items('ipv6AddressesSet').map((each) => ({
      text: each.text('ipv6Address'),
      isOwn: each.text('isPrimaryIpv6') === 'true',
    })),
  ].flatMap(({ text, isOwn }) => {
    const parsed = parseAddress(text);
    return parsed.ok ? { address: parsed.value, isOwn } : [];
  });
  return {
    own: all.flatMap(({ address, isOwn }) => (isOwn ? address : [])),
    secondary: all.flatMap(({ address, isOwn }) => (isOwn ? [] : address)),
  };
}

const prefixesOf = (item: Ec2Element): readonly Prefix[] =>
  [
    ...item.items('ipv4PrefixSet').map((each) => each.text('ipv4Prefix')),
    ...item.items('ipv6PrefixSet').map((each) => each.text('ipv6Prefix')),
  ].flatMap((text) => prefixIn(text) ?? []);

/**
 * Reads a prefix of AWS.
 *
 * @param text - in CIDR notation
 * @returns undefined for what is none
 */
export function prefixIn(text: string): Prefix | undefined {
  const parsed = parsePrefix(text);
  return parsed.ok ? parsed.value : undefined;
}

/**
 * Reads what an interface of `DescribeNetworkInterfaces` has.
 *
 * @param item - of `networkInterfaceSet`; of an instance, a load balancer, an endpoint, and so on
 * @returns each address and prefix
 */
export function usesOf(item: Ec2Element): readonly CloudUse[] {
  const { own, secondary } = addressesOf(item);
  const instance = item.text('attachment', 'instanceId');
  const at = `network interface ${item.text('networkInterfaceId')}`;
  const source = instance === '' ? at : `${at} of ${instance}`;
  return [...own, ...secondary]
    .map((each) => hostPrefix(each))
    .concat(prefixesOf(item))
    .map((block) => ({ block, source }));
}
