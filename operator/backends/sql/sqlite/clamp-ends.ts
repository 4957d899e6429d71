import type { StatementSync } from 'node:sqlite';
import type { WireRequest } from './wire';

/** A clock that is set by the network goes back by some milliseconds now and then. */
const TOLERANCE_MS = 1_000;

const FORMER_LEFT = `(SELECT max(h.ended_at) FROM holder h
  WHERE h.address_id = address.id AND (h.ended_at IS NULL OR h.former = 1) AND h.former = 1)`;
// The row before the one that brought this end was ended in the same moment; a holder that had no other end was made with it.
const END_SET = `coalesce((SELECT max(p.ended_at) FROM holder p WHERE p.address_id = holder.address_id AND p.id = holder.id
  AND p.ended_at IS NOT NULL AND p.expires_at IS NOT holder.expires_at), holder.since)`;

/**
 * Statements for rows that were written before the clock went back: an end that was set in a moment which is still to come, is set
 * again from now on, with the same duration. Then nothing is older than now, so that a second jump finds the truth.
 */
export const CLAMP_SQL = {
  clampQuarantines: `UPDATE address SET quarantine_until = :now + max(0, quarantine_until - ${FORMER_LEFT})
    WHERE ended_at IS NULL AND state = 'quarantined' AND quarantine_until > :now AND ${FORMER_LEFT} > :now`,
  clampExpiries: `UPDATE holder SET expires_at = :now + max(0, expires_at - ${END_SET})
    WHERE ended_at IS NULL AND expires_at > :now AND ${END_SET} > :now`,
  clampStarts: 'UPDATE holder SET since = :now WHERE ended_at IS NULL AND expires_at IS NOT NULL AND since > :now',
  clampFormer: 'UPDATE holder SET ended_at = :now WHERE former = 1 AND ended_at > :now',
  clampEnded: 'UPDATE holder SET ended_at = :now WHERE former = 0 AND ended_at > :now',
  clampOutside: 'UPDATE outside SET next_at = :now WHERE next_at > :now',
} as const;

type ClampStatements = Readonly<Record<keyof typeof CLAMP_SQL | 'begin' | 'commit' | 'rollback', StatementSync>>;

/** Follows the clock that requests tell, and repairs stored ends when it was set back. */
export class EndClamp {
  readonly #statements: ClampStatements;
  // nothing is known of the time before this process
  #newestMs = Number.POSITIVE_INFINITY;

  /**
   * Begins before the first request.
   *
   * @param statements - compiled statements of the store
   */
  constructor(statements: ClampStatements) {
    this.#statements = statements;
  }

  /**
   * Compares the time of requests with that of earlier ones; stands outside of a transaction.
   *
   * @param requests - about to be served
   */
  look(requests: readonly WireRequest[]): void {
    const nowMs = requests.reduce((newest, request) => Math.max(newest, timeOf(request)), Number.NEGATIVE_INFINITY);
    if (nowMs === Number.NEGATIVE_INFINITY) return;
    if (nowMs >= this.#newestMs - TOLERANCE_MS) this.#newestMs = Math.max(this.#newestMs, nowMs);
    else if (this.#clamp(nowMs)) this.#newestMs = nowMs;
  }

  // False when the disk refuses: the requests are served all the same, and the next ones try again.
  #clamp(now: number): boolean {
    const { begin, commit, rollback, ...all } = this.#statements;
    try {
      begin.run();
      const ends = [all.clampQuarantines, all.clampExpiries];
      const clamped = ends.reduce((sum, statement) => sum + Number(statement.run({ now }).changes), 0);
      for (const statement of [all.clampStarts, all.clampFormer, all.clampEnded]) statement.run({ now });
      // at a start nothing is known of a jump but what it left
      if (clamped > 0 || this.#newestMs !== Number.POSITIVE_INFINITY) all.clampOutside.run({ now });
      commit.run();
      return true;
    } catch {
      try {
        rollback.run();
      } catch {
        // some errors (disk full, I/O) have ended the transaction already
      }
      return false;
    }
  }
}

type RequestOf<V extends WireRequest['verb']> = Extract<WireRequest, { readonly verb: V }>;

/** Verbs whose requests carry the moment at which they were made. */
const CARRIES_TIME = {
  take: true,
  takeFirst: true,
  bind: true,
  release: true,
  exchange: true,
  get: true,
  list: true,
  peek: true,
  usage: true,
  page: true,
  past: true,
  lastAddress: false,
  freed: false,
  writeUse: true,
  uses: false,
  completeUses: true,
  forgetUses: true,
  clusters: false,
  reportCluster: true,
  prune: true,
  renameCluster: true,
  keyUse: false,
  replaceKeyFingerprint: false,
  note: false,
  revision: false,
  tally: true,
  keyFingerprint: false,
  ping: true,
  outside: false,
  close: false,
} as const satisfies {
  readonly [V in WireRequest['verb']]: RequestOf<V> extends { readonly nowMs: number } ? true : false;
};

type Timed = {
  [V in WireRequest['verb']]: (typeof CARRIES_TIME)[V] extends true ? RequestOf<V> : never;
}[WireRequest['verb']];

function carriesTime(request: WireRequest): request is Timed {
  return CARRIES_TIME[request.verb];
}

function timeOf(request: WireRequest): number {
  return carriesTime(request) ? request.nowMs : Number.NEGATIVE_INFINITY;
}
