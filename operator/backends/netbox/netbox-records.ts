import type { Address } from '../../addressing/address';
import { familyBits } from '../../addressing/address';
import { parseAddressWithMask, parsePrefix, type Prefix } from '../../addressing/prefix';
import { parseRange, type Range } from '../../addressing/range';
import { isMap, mapOf, textOf, type JsonMap } from '../../contract/loose-json';

/** Paths of the lists that are read. */
export const NETBOX_PATHS = {
  prefixes: '/api/ipam/prefixes/',
  ipAddresses: '/api/ipam/ip-addresses/',
  ipRanges: '/api/ipam/ip-ranges/',
  choiceSets: '/api/extras/custom-field-choice-sets/',
} as const;

/** Name of the choice set that lists the zones. */
export const ZONE_CHOICES = 'k8s_zone_choices';

/** A prefix of NetBox, as far as we look at it. */
export interface NetBoxPrefix {
  readonly id: number;
  readonly prefix: Prefix;
  readonly status: string;
  readonly zone: string;
  /** Custom field `k8s_uuid`. */
  readonly mark: string;
  /** Custom field `infra`; absent where the prefix has no such field. */
  readonly infra?: string;
  readonly vrf?: number;
  readonly tenant?: number;
  readonly role?: number;
  /** True: NetBox takes every address of it for usable, the edges as well. */
  readonly isPool?: true;
}

/**
 * Reads a prefix.
 *
 * @param record - as NetBox shows it
 * @returns what we look at; undefined for what is no prefix
 */
export function prefixOfRecord(record: JsonMap): NetBoxPrefix | undefined {
  const prefix = parsePrefix(textOf(record['prefix']));
  const { id } = record;
  if (!prefix.ok || typeof id !== 'number') return undefined;
  const fields = mapOf(record['custom_fields']);
  return {
    id,
    prefix: prefix.value,
    status: choiceText(record['status']),
    zone: choiceText(fields['k8s_zone']),
    mark: textOf(fields['k8s_uuid']),
    ...('infra' in fields ? { infra: choiceText(fields['infra']) } : {}),
    ...relatedId('vrf', record['vrf']),
    ...relatedId('tenant', record['tenant']),
    ...relatedId('role', record['role']),
    ...(record['is_pool'] === true ? { isPool: true } : {}),
  };
}

/**
 * Reads the address of an IP address object, whatever mask it is shown with.
 *
 * @param record - as NetBox shows it
 * @returns the address; undefined for what is none
 */
export function addressOfRecord(record: JsonMap): Address | undefined {
  const parsed = parseAddressWithMask(textOf(record['address']));
  return parsed.ok ? parsed.value.address : undefined;
}

/**
 * Reads an IP range, whatever masks its ends are shown with.
 *
 * @param record - as NetBox shows it
 * @returns the range; undefined for what is none
 */
export function rangeOfRecord(record: JsonMap): Range | undefined {
  const [first, last] = ['start_address', 'end_address'].map((end) => parseAddressWithMask(textOf(record[end])));
  if (first?.ok !== true || last?.ok !== true) return undefined;
  const range = parseRange(`${first.value.address.toString()}-${last.value.address.toString()}`);
  return range.ok ? range.value : undefined;
}

/**
 * Tells a prefix of one address.
 *
 * @param prefix - of either family
 * @returns true for /32 and /128
 */
export function isHost(prefix: Prefix): boolean {
  return prefix.length === familyBits(prefix.family);
}

/**
 * Filters a list by the table that a container is in.
 *
 * @param vrf - id of the VRF; absent for the global table
 * @returns the filter, as NetBox names it
 */
export function inVrf(vrf: number | undefined): { readonly vrf_id: number | 'null' } {
  return { vrf_id: vrf ?? 'null' };
}

// A choice is shown as text, or with its label.
function choiceText(value: unknown): string {
  return isMap(value) ? textOf(value['value']) : textOf(value);
}

function relatedId<K extends string>(name: K, value: unknown): Partial<Record<K, number>> {
  const id = isMap(value) ? value['id'] : value;
  return typeof id === 'number' && id > 0 ? ({ [name]: id } as Record<K, number>) : {};
}
