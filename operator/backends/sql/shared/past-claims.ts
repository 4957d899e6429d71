import type { PastClaim } from '../../../ports/claim-archive';
import type { HolderState } from '../../../ports/claim-store';

/** One state that one holder of an address went through, in the order of {@link PAST_COLUMNS}. */
export type PastRow = readonly [
  addressId: number,
  zone: string,
  addressState: 'held' | 'quarantined',
  quarantineUntilMs: number | null,
  addressEndedMs: number | null,
  rowId: number,
  holderId: number,
  serviceName: string,
  namespaceUid: string,
  clusterUid: string,
  namespace: string,
  serviceUid: string | null,
  state: HolderState,
  sinceMs: number,
  endedMs: number | null,
];

/** Column list that yields a {@link PastRow} from `address a` joined with `holder h`. */
export const PAST_COLUMNS = `a.id, a.zone, a.state, a.quarantine_until, a.ended_at, h.row_id, h.id, h.service_name,
  h.namespace_uid, h.cluster_uid, h.namespace, h.service_uid, h.state, h.since, h.ended_at`;

// A row for each change of options makes one span as long as who and state stay.
function signatureOf(row: PastRow): string {
  const [addressId, , , , , , holderId, ...who] = row;
  return JSON.stringify([addressId, holderId, who.slice(0, 6)]);
}

function placeOf([, , , , , rowId]: PastRow, quarantined: boolean): number {
  return rowId * 2 + (quarantined ? 1 : 0);
}

function claimOf(row: PastRow, times: { readonly fromMs: number; readonly untilMs: number | null }): PastClaim {
  const [, zone, , , , , , serviceName, namespaceUid, clusterUid, namespace, serviceUid, state] = row;
  return Object.freeze({
    place: placeOf(row, false),
    zone,
    service: Object.freeze({ serviceName, namespaceUid, clusterUid }),
    namespace,
    ...(serviceUid === null ? {} : { serviceUid }),
    state,
    fromMs: times.fromMs,
    ...(times.untilMs === null ? {} : { untilMs: times.untilMs }),
  });
}

function spansOf(rows: readonly PastRow[]): readonly PastClaim[] {
  const spans = new Map<string, { first: PastRow; fromMs: number; untilMs: number | null; signature: string }[]>();
  for (const row of rows) {
    const [, , , , , , holderId] = row;
    const [sinceMs, endedMs] = row.slice(-2) as [number, number | null];
    const key = `${row[0]}/${holderId}`;
    const runs = spans.get(key) ?? [];
    const last = runs.at(-1);
    const signature = signatureOf(row);
    if (last?.signature === signature) last.untilMs = endedMs;
    else runs.push({ first: row, fromMs: last?.untilMs ?? sinceMs, untilMs: endedMs, signature });
    spans.set(key, runs);
  }
  return [...spans.values()].flat().map(({ first, ...times }) => claimOf(first, times));
}

function pausesOf(rows: readonly PastRow[], nowMs: number): readonly PastClaim[] {
  const last = new Map(rows.map((row) => [row[0], row]));
  return [...last.values()].flatMap((row) => {
    const [, , state, quarantineUntilMs, addressEndedMs] = row;
    const fromMs = row.at(-1) as number | null;
    if (state !== 'quarantined' || quarantineUntilMs === null || fromMs === null) return [];
    const untilMs = addressEndedMs ?? (quarantineUntilMs <= nowMs ? quarantineUntilMs : null);
    return [{ ...claimOf(row, { fromMs, untilMs }), place: placeOf(row, true), state: 'quarantined' as const }];
  });
}

/**
 * Makes the history of an address out of its rows.
 *
 * @param rows - every row of the address that is still there, oldest first
 * @param page - how many entries, and the place that they are older than
 * @param nowMs - a quarantine that ended by then has ended
 * @returns spans, newest first
 */
export function pastClaims(
  rows: readonly PastRow[],
  { limit, before = Infinity }: { readonly limit: number; readonly before?: number },
  nowMs: number,
): readonly PastClaim[] {
  return [...spansOf(rows), ...pausesOf(rows, nowMs)]
    .filter(({ place }) => place < before)
    .sort((a, b) => b.place - a.place)
    .slice(0, limit);
}
