import type { Clock } from '../ports/clock';
import { newNameOf, type RenameRecord } from './rename-watch';

/** How long an answer counts. */
const FRESH_MS = 5_000;
/** Answers that are remembered at most; callers name clusters as they like. */
const MOST = 1_000;

/** Finds what the record calls a cluster that was renamed; undefined where it was not. */
export type NewNames = (cluster: string) => Promise<string | undefined>;

/**
 * Looks up new identities of clusters for their callers, at most once in some seconds for each.
 *
 * @param record - notes, and the clusters that are known
 * @param clock - for the age of an answer
 * @returns the look-up; throws what the store throws
 */
export function newNames(record: RenameRecord, clock: Pick<Clock, 'nowMs'>): NewNames {
  const known = new Map<string, { readonly atMs: number; readonly name: Promise<string | undefined> }>();
  return (cluster) => {
    const nowMs = clock.nowMs();
    const found = known.get(cluster);
    if (found !== undefined && nowMs - found.atMs < FRESH_MS) return found.name;
    if (known.size >= MOST) known.clear();
    const name = newNameOf(record, cluster);
    known.set(cluster, { atMs: nowMs, name });
    // a store that is away is asked again
    name.catch(() => known.delete(cluster));
    return name;
  };
}
