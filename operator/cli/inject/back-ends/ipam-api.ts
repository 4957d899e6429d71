import { createHmac } from 'node:crypto';
import { parseAddress, type Address } from '../../../addressing/address';
import { parseAddressWithMask, parsePrefix } from '../../../addressing/prefix';
import type { ZoneAnswer } from '../../../contract/ipam-api/v3/answers';
import { mapOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { NEPHIO } from '../../../contract/nephio';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { ApiCaller } from '../../calls/api-caller';
import type { AllocationName, Granted, InjectionBackEnd, InjectionRequest, PackageOwner } from './back-end';

/** Labels that name a place which an IPAM-API knows: network, zone, family. */
const KNOWN: readonly string[] = [NEPHIO.networkInstance, NEPHIO.networkName, NEPHIO.addressFamily];

/** Request to an IPAM-API. */
interface ZoneWish {
  readonly network: string;
  readonly zone: string;
  readonly family: 'ipv4' | 'ipv6' | undefined;
  readonly address: Address | undefined;
}

/** How the IPAM-API is asked. */
interface IpamApiOptions {
  /** Version 3, as an administrator. */
  readonly api: Pick<ApiCaller, 'call'>;
  /** Owns the addresses. The secret of each one is made of it, since claims with one secret may share an address. */
  readonly secret: string;
}

/**
 * Gives addresses of zones by version 3 of the IPAM-API, as standing claims. The selector names the network as the NetworkInstance, and the
 * zone as the network. Only single addresses are given, and no gateway is known.
 *
 * @param options - the server, and what proves the claims
 * @returns what `openBackEnd` hands out
 */
export function ipamApiBackEnd({ api, secret }: IpamApiOptions): InjectionBackEnd {
  return {
    take: async (request) => {
      const wish = wishOf(request);
      if (!wish.ok) return wish;
      const zone = await api.call('getZone', { params: { zone: wish.value.zone } });
      if (!zone.ok) return zone;
      return take(api, { request, secret: secretOf(claimName(request), secret), wish: wish.value, zone: zone.value });
    },
    release: async (of) => {
      const ended = await api.call('deleteStanding', { params: { name: claimName(of) } });
      if (ended.ok) return accept(true);
      return ended.refusal.code === 'claim/not-found' ? accept(false) : ended;
    },
    close: () => Promise.resolve(),
  };
}

// With the id, so that no other package reaches the claim.
const claimName = ({ namespace, name, owner }: AllocationName & { readonly owner: PackageOwner }): string =>
  `${namespace}.${name}.${owner.id}`;

const secretOf = (name: string, secret: string): string => createHmac('sha256', secret).update(name).digest('hex');

interface Taking {
  readonly request: InjectionRequest;
  readonly secret: string;
  readonly wish: ZoneWish;
  readonly zone: ZoneAnswer;
}

async function take(api: IpamApiOptions['api'], { request, secret, wish, zone }: Taking): Promise<Outcome<Granted>> {
  if (zone.network !== wish.network) {
    const message = `spec.selector: zone "${zone.name}" is in network "${zone.network}", not in "${wish.network}"`;
    return refuse('selector/no-candidate', message, { field: 'spec.selector', value: wish.network });
  }
  const { namespace, name, owner } = request;
  const isOnlyIpv6 = zone.prefixes.every((prefix) => prefix.includes(':'));
  const claim = await api.call('putStanding', {
    params: { name: claimName(request) },
    body: {
      zone: zone.name,
      family: wish.family ?? (isOnlyIpv6 ? 'ipv6' : 'ipv4'),
      secret,
      ...(wish.address === undefined ? {} : { address: wish.address.toString() }),
      purpose: `IPAllocation ${namespace}/${name} of package ${owner.name}`,
    },
  });
  return claim.ok ? accept(grantedIn(zone, claim.value.address)) : claim;
}

function grantedIn({ prefixes }: ZoneAnswer, text: string): Granted {
  const address = parseAddress(text);
  const parent = prefixes.find((each) => {
    const prefix = parsePrefix(each);
    return prefix.ok && address.ok && prefix.value.contains(address.value);
  });
  const prefix = `${text}/${text.includes(':') ? '128' : '32'}`;
  return parent === undefined ? { prefix } : { prefix, parentPrefix: parent };
}

function wishOf({ spec }: InjectionRequest): Outcome<ZoneWish> {
  if (spec['kind'] !== 'network') {
    const value = textOf(spec['kind']);
    return refuse('request/invalid', `spec.kind: an IPAM-API gives single addresses, nothing of kind "${value}"`, {
      field: 'spec.kind',
      value,
    });
  }
  const labels = labelsIn(mapOf(spec['selector']));
  if (!labels.ok) return labels;
  const network = textOf(labels.value[NEPHIO.networkInstance]);
  const zone = textOf(labels.value[NEPHIO.networkName]);
  const address = spec['prefix'] === undefined ? undefined : parseAddressWithMask(textOf(spec['prefix']));
  if (address?.ok === false) return address;
  const parsed = address?.value.address;
  return accept({ network, zone, family: familyOf(spec, labels.value, parsed), address: parsed });
}

function labelsIn({ matchLabels, matchExpressions }: JsonMap): Outcome<JsonMap> {
  const labels = mapOf(matchLabels);
  const isUnknown = matchExpressions !== undefined || Object.keys(labels).some((key) => !KNOWN.includes(key));
  const isNamed = [NEPHIO.networkInstance, NEPHIO.networkName].every((key) => textOf(labels[key]) !== '');
  if (isNamed && !isUnknown) return accept(labels);
  const message = `spec.selector: an IPAM-API knows no more than network and zone, by the labels ${KNOWN.join(', ')} of matchLabels`;
  return refuse('selector/invalid', message, { field: 'spec.selector' });
}

function familyOf(spec: JsonMap, labels: JsonMap, address: Address | undefined): ZoneWish['family'] {
  const word = textOf(spec['addressFamily']) || textOf(labels[NEPHIO.addressFamily]);
  if (word === 'ipv4' || word === 'ipv6') return word;
  return address === undefined ? undefined : `ipv${address.family}`;
}
