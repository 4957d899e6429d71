import type { AddressRecord, Holder, ReleaseRequest } from '../../ports/claims';
import type { MemoryRecords } from './memory-records';

/** The end of a claim. */
interface End {
  readonly record: AddressRecord;
  /** Its last holder. */
  readonly last: Holder;
  readonly nowMs: number;
}

/**
 * Decides whether a space pauses when its last holder goes.
 *
 * @param records - all of them
 * @param end - what ends
 * @param request - the release
 * @returns the quarantine; undefined where the space is free at once
 */
export function pauseAfter(
  records: MemoryRecords,
  { record, last, nowMs }: End,
  { quarantineMs = 0 }: Pick<ReleaseRequest, 'quarantineMs'>,
): AddressRecord['quarantine'] {
  const left = records.left.take(record, last);
  // what a cluster shows all the same is in use, not paused
  if (quarantineMs <= 0 || records.uses.occupying(record) !== undefined) return undefined;
  if (last.state !== 'contested') return { untilMs: nowMs + quarantineMs, former: last };
  const untilMs = (left?.atMs ?? -Infinity) + quarantineMs;
  return left === undefined || untilMs <= nowMs ? undefined : { untilMs, former: left.holder };
}
