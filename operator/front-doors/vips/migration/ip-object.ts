import type { Address } from '../../../addressing/address';
import { groupLabel } from '../../../contract/kinds/ip-group';
import { IP, ipName, readIp } from '../../../contract/kinds/ip';
import { VIRTUAL_IP, VIRTUAL_IP_API, type VirtualIpView } from '../../../contract/kinds/virtual-ip';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { IP_KEYS } from '../../../contract/paas';
import { SERVICE } from '../../../contract/service-identity';
import type { ObjectName } from '../../../ports/object-feed';
import type { AddressHolder } from '../../../rules/vips/migration/types';

/** The exposed Service as the record names it. */
export interface RecordedService {
  readonly name: string;
  readonly uid: string;
}

// said on record, so that a Service of any type keeps its address
const purposeOf = ({ namespace, name }: ObjectName): string => `${PURPOSE}${namespace}/${name}`;
const PURPOSE = 'migration of VirtualIP ';

/**
 * Reads the VirtualIP for which a Service has an address on record.
 *
 * @param purpose - of the holder
 * @returns the VirtualIP; undefined for a Service that has it as its own
 */
export function virtualIpOf(purpose: string | undefined): ObjectName | undefined {
  if (purpose?.startsWith(PURPOSE) !== true) return undefined;
  const [namespace = '', name = ''] = purpose.slice(PURPOSE.length).split('/');
  return { namespace, name };
}

/**
 * Reads the holder of the address of a VirtualIP.
 *
 * @param ip - the IP as it is stored; undefined where there is none
 * @param virtualIp - VirtualIP that the address belongs to
 * @param service - the exposed Service; undefined where there is none
 * @returns the holder, as the migration tells them apart
 */
export function holderIn(
  ip: JsonMap | undefined,
  virtualIp: VirtualIpView,
  service: RecordedService | undefined,
): AddressHolder {
  const reading = ip === undefined ? undefined : readIp(ip);
  if (reading === undefined) return { kind: 'none' };
  const { holders, group } = reading;
  const [first, ...others] = holders;
  const kind = first !== undefined && others.length === 0 ? kindOf(first, virtualIp) : 'other';
  if (first === undefined || kind === 'other') return { kind: 'other', name: namesOf(reading) };
  if (kind === 'virtual-ip') return { kind };
  const isBound = service !== undefined && first.uid === service.uid;
  return { kind, group, isBound, isReserved: first.purpose === purposeOf(virtualIp) };
}

type Reading = NonNullable<ReturnType<typeof readIp>>;

function kindOf(
  holder: Reading['holders'][number],
  { namespace, name, service }: VirtualIpView,
): Exclude<AddressHolder['kind'], 'none'> {
  if (holder.namespace !== namespace) return 'other';
  if (holder.kind === VIRTUAL_IP.kind && holder.name === name) return 'virtual-ip';
  return holder.kind === SERVICE.kind && holder.name === service ? 'service' : 'other';
}

const namesOf = ({ holders }: Reading): string =>
  holders.length === 0
    ? 'another holder'
    : holders.map(({ kind, namespace = '', name }) => `${kind} ${namespace}/${name}`).join(', ');

/** An IP that changes hands. */
export interface IpChange {
  /** As it is stored; undefined where there is none. */
  readonly before: JsonMap | undefined;
  readonly address: Address;
  readonly virtualIp: VirtualIpView;
  /** Moment of the change, RFC 3339. */
  readonly now: string;
}

/**
 * Writes the IP of a Service that is about to be converted.
 *
 * @param change - the IP before
 * @param service - that gets the address
 * @param group - IPGroup of the address
 * @returns the object
 */
export function handedOver(change: IpChange, service: RecordedService, group: string): JsonMap {
  const { namespace } = change.virtualIp;
  const { name, uid } = service;
  const owner = { kind: SERVICE.kind, namespace, name, uid };
  return ipWith(change, {
    labels: { [IP_KEYS.group]: groupLabel(group) },
    without: IP_KEYS.segmentMapping,
    owner: { apiVersion: SERVICE.apiVersion, ...owner, purpose: purposeOf(change.virtualIp) },
    spec: { ipGroup: group, owner },
  });
}

/**
 * Writes the IP of a VirtualIP whose migration is taken back.
 *
 * @param change - the IP before
 * @returns the object
 */
export function handedBack(change: IpChange): JsonMap {
  const { namespace, name, uid, segmentMapping } = change.virtualIp;
  const owner = { kind: VIRTUAL_IP.kind, namespace, name, uid };
  return ipWith(change, {
    labels: segmentMapping === '' ? {} : { [IP_KEYS.segmentMapping]: segmentMapping },
    without: IP_KEYS.group,
    owner: { apiVersion: VIRTUAL_IP_API, ...owner },
    spec: { owner },
  });
}

interface NewOwner {
  readonly labels: JsonMap;
  /** Label that goes. */
  readonly without: string;
  readonly owner: JsonMap;
  readonly spec: JsonMap;
}

function ipWith({ before, address, now }: IpChange, { labels, without, owner, spec }: NewOwner): JsonMap {
  const metadata = metadataOf(before);
  const { [without]: _gone, ...kept } = mapOf(metadata['labels']);
  const name = `${textOf(owner['namespace'])}/${textOf(owner['name'])}`;
  return {
    ...before,
    apiVersion: `${IP.group}/${IP.version}`,
    kind: IP.kind,
    metadata: {
      ...metadata,
      name: ipName(address),
      labels: { ...kept, ...labels },
      annotations: { ...mapOf(metadata['annotations']), [IP_KEYS.owner]: name },
    },
    spec: {
      address: address.toString(),
      ...spec,
      state: 'bound',
      holders: [{ id: owner['uid'], since: now, ...owner }],
    },
  };
}
