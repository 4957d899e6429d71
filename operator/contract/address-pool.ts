import type { Address } from '../addressing/address';
import { parseAddressWithMask, type Prefix } from '../addressing/prefix';
import { PrefixSetBuilder, type PrefixSet } from '../addressing/prefix-set';
import { parseRange, type Range } from '../addressing/range';
import { isMap, listOf, mapOf, textOf, type JsonMap } from './loose-json';

/** Annotation of a MetalLB pool by which an administrator lists addresses that may be taken out of it although they are in use. */
export const POOL_WITHDRAW = 'ipam.vitistack.io/withdraw';

/**
 * Annotation of a MetalLB pool of ours whose addresses are written one by one, `true`: the original operator adds and takes away single
 * addresses, and beside a prefix that holds them MetalLB would refuse its whole configuration.
 */
export const POOL_SINGLE_ADDRESSES = 'ipam.vitistack.io/single-addresses';

/** Services that a MetalLB pool is for; every list that is empty allows all. */
interface PoolAllocation {
  readonly namespaces: readonly string[];
  /** True when labels choose too, so that names alone do not tell. */
  readonly byLabels: boolean;
  /** The field as it stands, to tell whether it changed. */
  readonly text: string;
}

/** An `IPAddressPool` as far as it decides which addresses MetalLB announces. */
export interface PoolView {
  readonly name: string;
  readonly space: PrefixSet;
  /** True when MetalLB never announces its IPv4 addresses that end in 0 or 255. */
  readonly avoidsBuggyIps: boolean;
  readonly allocation: PoolAllocation;
  /** Addresses that the administrator allows to take out although they are in use. */
  readonly withdrawable: PrefixSet;
}

/** One address of a Service in a namespace. */
interface NamespacedAddress {
  readonly address: Address;
  readonly namespace: string;
}

/**
 * Reads entries of a pool. Those that MetalLB would not take either count as absent.
 *
 * @param entries - CIDR or range each
 * @returns the addresses of all of them
 */
export function entriesSpace(entries: readonly string[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const entry of entries) for (const block of blockOf(entry.trim())) builder.add(block);
  return builder.build();
}

/**
 * Reads an `IPAddressPool`.
 *
 * @param value - the object as the API server sent it
 * @returns the pool; undefined for anything that is no object
 */
export function readAddressPool(value: unknown): PoolView | undefined {
  if (!isMap(value)) return undefined;
  const metadata = mapOf(value['metadata']);
  const spec = mapOf(value['spec']);
  return {
    name: textOf(metadata['name']),
    space: entriesSpace(listOf(spec['addresses']).map(textOf)),
    avoidsBuggyIps: spec['avoidBuggyIPs'] === true,
    allocation: allocationOf(mapOf(spec['serviceAllocation'])),
    withdrawable: entriesSpace(textOf(mapOf(metadata['annotations'])[POOL_WITHDRAW]).split(',').map(asEntry)),
  };
}

/**
 * Tells whether a change of a pool makes MetalLB withdraw an address that it announces for a Service.
 *
 * @param before - the pool as it is stored
 * @param after - the pool as it shall be; undefined where it is deleted
 * @param held - the address and its Service's namespace
 * @returns true when only the pool before allows the address
 */
export function withdraws(before: PoolView, after: PoolView | undefined, held: NamespacedAddress): boolean {
  if (!contains(before, held.address)) return false;
  if (after === undefined || !contains(after, held.address)) return true;
  const { namespaces, byLabels, text } = after.allocation;
  if (text === before.allocation.text) return false;
  return byLabels || (namespaces.length > 0 && !namespaces.includes(held.namespace));
}

function contains({ space, avoidsBuggyIps }: PoolView, address: Address): boolean {
  return space.contains(address) && !(avoidsBuggyIps && address.family === 4 && /\.(?:0|255)$/u.test(String(address)));
}

function allocationOf(field: JsonMap): PoolAllocation {
  const [byNamespace, byService] = [listOf(field['namespaceSelectors']), listOf(field['serviceSelectors'])];
  const namespaces = listOf(field['namespaces']).map(textOf).toSorted();
  return {
    namespaces,
    byLabels: byNamespace.length + byService.length > 0,
    text: JSON.stringify([namespaces, byNamespace, byService]),
  };
}

function asEntry(text: string): string {
  const entry = text.trim();
  return /[-/]/u.test(entry) ? entry : `${entry}/${entry.includes(':') ? '128' : '32'}`;
}

// MetalLB takes a CIDR with host bits set, so it counts here too.
function blockOf(entry: string): readonly (Prefix | Range)[] {
  if (entry.includes('-')) {
    const range = parseRange(entry);
    return range.ok ? [range.value] : [];
  }
  const masked = parseAddressWithMask(entry);
  return masked.ok ? [masked.value.network] : [];
}
