import { mayReturn } from '../../../claim-store/former-holder';
import type { PastClaim } from '../../../ports/claim-history';
import type { HolderState } from '../../../ports/claims';

/** One state that one holder of a space went through, in the order of {@link PAST_COLUMNS}. */
export type PastRow = readonly [
  addressId: number,
  pool: string,
  addressState: 'held' | 'quarantined',
  quarantineUntilMs: number | null,
  /** Whether the quarantine is over by the store's clock. */
  isOver: number | boolean | null,
  addressEndedMs: number | null,
  rowId: number,
  holderId: number,
  name: string,
  namespaceUid: string,
  cluster: string,
  namespace: string,
  uid: string | null,
  apiVersion: string,
  kind: string,
  state: HolderState,
  /** When the holder came to this space. */
  sinceMs: number,
  endedMs: number | null,
  /** Row of the holder in the space that it left in the moment in which it came to this one; null: it did not come from another one. */
  cameFromRowId: number | null,
];

/**
 * Writes the column list that yields a {@link PastRow} from `address a` joined with `holder h`.
 *
 * @param now - SQL of the store's clock
 * @param holders - name of the table of holders
 * @returns the list
 */
export function pastColumns(now: string, holders: string): string {
  return `a.id, a.zone, a.state, a.quarantine_until, a.quarantine_until <= ${now}, a.ended_at, h.row_id, h.id, h.service_name,
  h.namespace_uid, h.cluster_uid, h.namespace, h.service_uid, h.api_version, h.kind, h.state, coalesce(h.moved_at, h.since),
  h.ended_at, CASE WHEN h.moved_at IS NOT NULL THEN (SELECT max(p.row_id) FROM ${holders} p WHERE p.ended_at IS NOT NULL
    AND p.cluster_uid = h.cluster_uid AND p.service_name = h.service_name AND p.ended_at = h.moved_at
    AND p.id = h.id AND p.address_id <> h.address_id AND p.row_id < h.row_id) END`;
}

// A row for each change of options makes one span as long as owner and state stay.
function signatureOf(row: PastRow): string {
  const [addressId, , , , , , , holderId, ...owner] = row;
  return JSON.stringify([addressId, holderId, owner.slice(0, 8)]);
}

function placeOf([, , , , , , rowId]: PastRow, quarantined: boolean): number {
  return rowId * 2 + (quarantined ? 1 : 0);
}

function claimOf(row: PastRow, times: { readonly fromMs: number; readonly untilMs: number | null }): PastClaim {
  const [, pool, , , , , , , name, namespaceUid, cluster, namespace, uid, apiVersion, kind, state] = row;
  const owner = { cluster, apiVersion, kind, namespace, namespaceUid, name, ...(uid === null ? {} : { uid }) };
  return Object.freeze({
    place: placeOf(row, false),
    pool,
    owner: Object.freeze(owner),
    state,
    fromMs: times.fromMs,
    ...(times.untilMs === null ? {} : { untilMs: times.untilMs }),
  });
}

interface Run {
  readonly first: PastRow;
  readonly signature: string;
  readonly fromMs: number;
  untilMs: number | null;
  lastRowId: number;
}

// A holder that went to another space and came back begins anew, even where all of that was in one millisecond.
function goesOn(last: Run | undefined, row: PastRow, fromMs: number): last is Run {
  const cameFromRowId = row[18] ?? -1;
  return last?.signature === signatureOf(row) && last.untilMs === fromMs && cameFromRowId < last.lastRowId;
}

function spansOf(rows: readonly PastRow[]): readonly PastClaim[] {
  const spans = new Map<string, Run[]>();
  for (const row of rows) {
    const [addressId, , , , , , lastRowId, holderId] = row;
    const [sinceMs, untilMs] = [row[16], endOf(row)];
    const key = `${addressId}/${holderId}`;
    const runs = spans.get(key) ?? [];
    const last = runs.at(-1);
    const fromMs = Math.max(sinceMs, last?.untilMs ?? 0);
    if (goesOn(last, row, fromMs)) Object.assign(last, { untilMs, lastRowId });
    else runs.push({ first: row, fromMs, untilMs, lastRowId, signature: signatureOf(row) });
    spans.set(key, runs);
  }
  return [...spans.values()].flat().map(({ first, fromMs, untilMs }) => claimOf(first, { fromMs, untilMs }));
}

function pausesOf(rows: readonly PastRow[]): readonly PastClaim[] {
  const addresses = new Map<number, PastRow[]>();
  for (const row of rows) {
    const all = addresses.get(row[0]);
    if (all === undefined) addresses.set(row[0], [row]);
    else all.push(row);
  }
  return [...addresses.values()].flatMap((all) => {
    const last = all.at(-1);
    const [, , state, quarantineUntilMs, isOver, addressEndedMs] = last ?? [];
    if (last === undefined || state !== 'quarantined' || typeof quarantineUntilMs !== 'number') return [];
    const ends = all.map(endOf);
    if (ends.includes(null)) return [];
    const fromMs = Math.max(...ends.map(Number));
    const untilMs = addressEndedMs ?? (isOver === true || isOver === 1 ? quarantineUntilMs : null);
    const claim = claimOf(formerOf(all) ?? last, { fromMs, untilMs });
    return [{ ...claim, place: placeOf(last, true), state: 'quarantined' as const }];
  });
}

function endOf(row: PastRow): number | null {
  return row[17];
}

// The holder for which a space pauses: the last one that left, but for those that only showed it.
function formerOf(rows: readonly PastRow[]): PastRow | undefined {
  const states = [...new Map(rows.map((row) => [row[7], row])).values()];
  const newest = states.toSorted((a, b) => laterEnd(a, b) || b[6] - a[6])[0];
  if (newest?.[15] !== 'contested') return newest;
  return states
    .filter(({ 12: uid, 15: state }) => mayReturn(state, uid))
    .sort((a, b) => laterEnd(a, b) || b[7] - a[7])[0];
}

function laterEnd(a: PastRow, b: PastRow): number {
  return Number(endOf(b)) - Number(endOf(a));
}

/**
 * Makes the history of a space out of its rows.
 *
 * @param rows - every row of the space that is still there, oldest first
 * @param page - how many entries, and the position that they are older than
 * @returns spans, newest first
 */
export function pastClaims(
  rows: readonly PastRow[],
  { limit, before = Infinity }: { readonly limit: number; readonly before?: number },
): readonly PastClaim[] {
  return [...spansOf(rows), ...pausesOf(rows)]
    .filter(({ place }) => place < before)
    .sort((a, b) => b.place - a.place)
    .slice(0, limit);
}
