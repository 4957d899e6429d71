import type { IConstruct } from 'constructs';

import type { Address } from '../../operator/addressing/address';
import { parseAddressList } from '../../operator/contract/service-annotations';
import type { Refusal } from '../../operator/errors/outcome';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import { groupsOfApp, spaceOfGroup } from '../kinds/group-clashes';
import type { VipServiceProps } from './vip-service-props';

/** A Service with fixed addresses, as the others of its app see it. */
export interface WishOfApp {
  readonly construct: IConstruct;
  readonly props: Pick<VipServiceProps, 'sharingKey' | 'cluster'>;
  readonly addresses: readonly Address[];
}

const WISHES = new AppRegistry<WishOfApp>();
const keyOf = (address: Address): string => address.toString();

/**
 * Reads the wished addresses.
 *
 * @param props - as given to the construct
 * @returns the addresses, none where they cannot be read, and what is wrong with them
 */
export function wishedAddresses({ addresses = [] }: Pick<VipServiceProps, 'addresses'>): {
  readonly addresses: readonly Address[];
  readonly problems: readonly Refusal[];
} {
  const read = parseAddressList(addresses.join(','), 'addresses');
  return read.ok ? { addresses: read.value, problems: [] } : { addresses: [], problems: [read.refusal] };
}

/**
 * Makes fixed addresses known to the other Services of the app.
 *
 * @param wish - a Service with at least one
 */
export function registerWish(wish: WishOfApp): void {
  WISHES.register(wish, { keys: wish.addresses.map(keyOf) });
}

/**
 * Compares fixed addresses with those of Services that were declared before, so that each pair is reported once.
 *
 * @param mine - a registered wish
 * @returns one refusal for each address that another Service has
 */
export function wishClashes(mine: WishOfApp): readonly Refusal[] {
  return mine.addresses.flatMap((address) => {
    const other = WISHES.earlierAt(mine, keyOf(address)).find(
      ({ props }) =>
        mayShareCluster(props.cluster, mine.props.cluster) &&
        (props.sharingKey === undefined || props.sharingKey !== mine.props.sharingKey),
    );
    if (other === undefined) return [];
    const why = `is asked for at [${other.construct.node.path}] too; give both one sharingKey, or another address`;
    return [refused('addresses', `"${keyOf(address)}" ${why}`, keyOf(address))];
  });
}

/**
 * Holds a wish against the groups that the app declares for the cluster. Where it declares none, they are elsewhere, and the operator
 * answers.
 *
 * @param construct - anywhere in the app
 * @param props - of the Service
 * @param addresses - that it wishes for
 * @returns everything that no operator would give
 */
export function spaceProblems(
  construct: IConstruct,
  props: Pick<VipServiceProps, 'group' | 'cluster'>,
  addresses: readonly Address[],
): readonly Refusal[] {
  const groups = groupsOfApp(construct).filter((each) => mayShareCluster(each.props.cluster, props.cluster));
  if (groups.length === 0) return [];
  const asked = props.group === undefined ? groups : groups.filter(({ props: { name } }) => name === props.group);
  const known = groups.map(({ props: { name } }) => name).join(', ');
  if (asked.length === 0)
    return [refused('group', `no IpGroup of the app is named "${props.group ?? ''}"; they are ${known}`, props.group)];
  return addresses.flatMap((address) => {
    const text = keyOf(address);
    const spaces = asked.map((group) => ({ group, ...spaceOfGroup(group.props) }));
    const around = spaces.filter(({ segments }) => segments.contains(address));
    const [first] = around;
    if (first === undefined) {
      const where = asked.map(({ props: { name } }) => name).join(', ');
      return [refused('addresses', `"${text}" lies in no segment of IPGroup ${where}`, text)];
    }
    if (around.some(({ excluded }) => !excluded.contains(address))) return [];
    return [refused('addresses', `"${text}" is excluded by IPGroup ${first.group.props.name}`, text)];
  });
}

function refused(field: string, message: string, value = ''): Refusal {
  return { code: 'wish/malformed', field, value, message: `${field}: ${message}` };
}
