import type { Address } from '../../addressing/address';
import { hostPrefix, parseHostPrefix } from '../../addressing/prefix';
import type { PrefixSet } from '../../addressing/prefix-set';
import { entriesSpace, POOL_SINGLE_ADDRESSES } from '../../contract/address-pool';
import { FIELD_MANAGER } from '../../contract/group';
import { isMap, listOf, mapOf, textOf, type JsonMap } from '../../contract/loose-json';

/** Label of what only the operator writes. */
const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** An `IPAddressPool` as far as we look at it. */
export interface PoolObject {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly space: PrefixSet;
  readonly autoAssign: boolean;
  /** True when every entry names one address, as the original's operator writes pools. */
  readonly hostsOnly: boolean;
  /** True when it keeps to such entries: it was the original's, or its annotation says so. */
  readonly staysHostsOnly: boolean;
  /** True when it carries our label. */
  readonly labelled: boolean;
  /** True when something of it was written by server-side apply of ours. */
  readonly applied: boolean;
  /** Field managers that own its addresses. */
  readonly owners: readonly string[];
  /** True when we are the only one of them, by server-side apply. */
  readonly ours: boolean;
  /** True when MetalLB's controller wrote its counts on it, which it does since 0.15. */
  readonly handled: boolean;
}

/**
 * Reads a pool. Entries that MetalLB would not take either count as absent.
 *
 * @param object - a stored `IPAddressPool` with its `managedFields`
 * @returns what decides about it
 */
export function readPool(object: JsonMap): PoolObject {
  const metadata = mapOf(object['metadata']);
  const spec = mapOf(object['spec']);
  const entries = listOf(spec['addresses']).map((entry) => textOf(entry).trim());
  const labelled = mapOf(metadata['labels'])[MANAGED_BY] === FIELD_MANAGER;
  const hostsOnly = entries.every((entry) => parseHostPrefix(entry).ok);
  const managers = listOf(metadata['managedFields']).filter(isMap);
  const applied = managers.some(isOurs);
  const owning = managers.filter((entry) => ownsAddresses(entry));
  return {
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    resourceVersion: textOf(metadata['resourceVersion']),
    space: entriesSpace(entries),
    autoAssign: spec['autoAssign'] !== false, // MetalLB's default is true
    hostsOnly,
    staysHostsOnly:
      mapOf(metadata['annotations'])[POOL_SINGLE_ADDRESSES] === 'true' || (hostsOnly && !labelled && !applied),
    labelled,
    applied,
    owners: owning.map((entry) => textOf(entry['manager'])),
    ours: owning.length > 0 && owning.every(isOurs),
    handled: Object.keys(mapOf(object['status'])).length > 0,
  };
}

/**
 * Writes what is applied for a zone.
 *
 * @param name - of the pool and the zone
 * @param space - what it holds, not empty
 * @param current - the pool that is changed; the API server refuses to change another one of its name
 * @returns the object without API version and kind
 */
export function poolToApply(name: string, space: PrefixSet, current?: PoolObject): JsonMap {
  const isByAddress = current?.staysHostsOnly === true;
  const addresses = isByAddress ? hostEntries(space) : space.prefixes().map(String);
  return {
    metadata: {
      name,
      ...(current === undefined ? {} : { uid: current.uid }),
      labels: { [MANAGED_BY]: FIELD_MANAGER },
      ...(isByAddress ? { annotations: { [POOL_SINGLE_ADDRESSES]: 'true' } } : {}),
    },
    spec: { addresses, autoAssign: false, avoidBuggyIPs: false },
  };
}

// As many as there are claims, since it is their addresses that such a pool holds.
function hostEntries(space: PrefixSet): readonly string[] {
  const entries: string[] = [];
  for (const prefix of space.prefixes()) {
    for (let at: Address | undefined = prefix.first; at !== undefined && prefix.contains(at); at = at.next())
      entries.push(hostPrefix(at).toString());
  }
  return entries;
}

function ownsAddresses(entry: JsonMap): boolean {
  return 'f:addresses' in mapOf(mapOf(entry['fieldsV1'])['f:spec']);
}

function isOurs(entry: JsonMap): boolean {
  return entry['manager'] === FIELD_MANAGER && entry['operation'] === 'Apply';
}
