import type { AddressRecord } from '../../ports/claims';
import type { OutsideRow } from '../../ports/outside-rows';
import type { OutsideDifference, OutsideHolder } from '../../ports/outside-source';
import type { NetBoxPrefix } from './netbox-records';
import { quoted } from './quoted';

/** Holders of one address that are named; more share it rarely. */
const MOST_HOLDERS = 10;
/** Characters of a mark that are shown: another program may have written it. */
const MOST_MARK = 80;

/** Where and when a difference is told. */
export interface Seen {
  /** Record of the address; absent where it is free. */
  readonly record: AddressRecord | undefined;
  readonly sinceMs: number;
  /** When it is worked on next. */
  readonly nextAtMs: number;
}

/**
 * Tells of a row whose work failed, or whose prefix vanished.
 *
 * @param row - as it is now
 * @param seen - record and times
 * @returns `foreign` where NetBox has the address for another owner, `orphan` where the prefix of a released address stays
 */
export function differenceOfRow(row: OutsideRow, seen: Seen): OutsideDifference {
  const { network, zone, address, fault } = row;
  const isLeaving = row.state === 'leaving';
  const { record, ...times } = seen;
  return {
    kind: isLeaving ? 'orphan' : row.foreign ? 'foreign' : 'missing',
    network,
    zone,
    address: address.toString(),
    outside: fault,
    holders: holdersOf(record),
    next: isLeaving ? 'remove' : 'create',
    ...times,
  };
}

/**
 * Tells of a prefix of ours without a row.
 *
 * @param host - as NetBox has it
 * @param at - where it was found
 * @param at.network - that the zone belongs to
 * @param at.zone - whose field the prefix carries
 * @param seen - record and times
 * @returns the difference of kind `orphan`
 */
export function differenceOfOrphan(
  host: NetBoxPrefix,
  at: { readonly network: string; readonly zone: string },
  seen: Seen,
): OutsideDifference {
  const { record, ...times } = seen;
  const address = host.prefix.first.toString();
  const outside = `NetBox has prefix ${host.id} (${host.prefix.toString()}) with k8s_uuid ${quoted(host.mark, MOST_MARK)}`;
  return { kind: 'orphan', ...at, address, outside, holders: holdersOf(record), next: 'remove', ...times };
}

function holdersOf(record: AddressRecord | undefined): readonly OutsideHolder[] {
  return (record?.holders ?? []).slice(0, MOST_HOLDERS).flatMap(({ owner, state }) => {
    const { cluster: clusterUid, namespace, name: service } = owner;
    return state === 'contested' ? [] : [{ clusterUid, namespace, service, state }];
  });
}
