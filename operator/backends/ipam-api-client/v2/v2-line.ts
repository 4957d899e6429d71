import { IpamError } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome, type Refusal } from '../../../errors/outcome';
import type { IntentRows } from '../../../ports/intent-rows';
import type { Tools } from '../../../ports/tools';
import { awaitSystem } from '../../../runtime/awaited-system';
import type { Doubt, V2Calls, V2Result } from './v2-call';
import type { RememberingHasher } from './v2-hasher';
import { changed, rowOf, type Intent } from './v2-intent';
import type { IntentTable } from './v2-table';

/** Parts that all work on a remote IPAM-API of version 2 has in common. */
export interface RemoteContext extends Tools {
  readonly rows: IntentRows;
  readonly table: IntentTable;
  readonly calls: V2Calls;
  readonly hasher: RememberingHasher;
  /** Names this process in call marks. */
  readonly process: string;
  /** Milliseconds for one call with what is written around it. */
  readonly budgetMs: number;
  /** Told when the IPAM-API does not know something on record here, with the row where one is concerned: more may be missing. */
  readonly suspect: (id?: string) => void;
}

/** A call, with the row to be written before it. */
export interface Prepared {
  readonly kind: 'call';
  readonly intent: Intent;
  call(budgetMs: number): Promise<V2Result>;
}

/** The outcome of a plan that needs no call. */
interface Over<V> {
  readonly kind: 'over';
  readonly outcome: Outcome<V>;
}

/** One call for a row, written down first. */
export interface Plan<V> {
  /** Judges the row as it is now; called again when another writer was faster. */
  prepare(known: Intent | undefined): Prepared | Over<V>;
  /** Tells what the row becomes (undefined: it goes) and what the caller hears. */
  settle(intent: Intent, result: V2Result): Settled<V> | Promise<Settled<V>>;
}

/** How a call ends. */
export interface Settled<V> {
  readonly next: Intent | undefined;
  readonly outcome: Outcome<V>;
}

/** The IPAM-API goes on with what it was asked for after we stopped waiting; this is how long that counts as possible. */
const RUNNING_MS = 5_000;
/** The same for a broken connection: the server that it reached is mostly done. */
const CUT_MS = 2_000;
/** A call mark outlives the call by this, so that its end can be written. */
const MARK_SPARE_MS = 2_000;
const MAX_ROUNDS = 24;

/**
 * Makes one call for one row: waits until no other call for it is under way, writes down what is meant, calls, and writes down what became
 * of it. A process that dies in between leaves a row that says what it may have done.
 *
 * @param context - rows, calls, clock
 * @param id - of the row
 * @param plan - what to write, what to ask
 * @returns what the plan makes of it; or refusal `store/conflict`
 * @throws IpamError `store/unavailable` when the IPAM-API is away or another call lasts too long, and what the rows throw
 */
export async function callFor<V>(context: RemoteContext, id: string, plan: Plan<V>): Promise<Outcome<V>> {
  const { clock, calls, table, budgetMs, process: by } = context;
  const endMs = clock.nowMs() + budgetMs;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await awaitSystem('ipam-api', () => quiet(context, id, { endMs, doubts: true }));
    const known = table.get(id)?.intent;
    const prepared = plan.prepare(known);
    if (prepared.kind === 'over') return prepared.outcome;
    const closed = calls.closedBecause();
    if (closed !== undefined) throw thrown(closed);
    const call = { by, untilMs: endMs + MARK_SPARE_MS };
    const marked = changed(prepared.intent, { call, doubtMs: undefined }, clock.nowMs());
    if (!(await save(context, known, marked)).ok) continue;
    const result = await prepared.call(Math.max(1, endMs - clock.nowMs()));
    const { next, outcome } = await plan.settle(marked, result);
    const written = await finish(context, marked, { next, result });
    if (!written.ok) continue;
    if (result.as !== 'failed') return outcome;
    const cut = result.doubt === 'cut' && clock.nowMs() + CUT_MS < endMs - CUT_MS / 2;
    if (!cut) throw thrown(result.refusal);
  }
  return refuse('store/conflict', 'the intent was changed by others too many times in a row; try again');
}

/**
 * Writes the next state of a row.
 *
 * @param context - where rows are
 * @param before - its state now; undefined: there must be none
 * @param next - the state to be
 * @returns what was written; or refusal `store/conflict`
 */
export async function save(
  { rows }: RemoteContext,
  before: Intent | undefined,
  next: Intent,
): Promise<Outcome<Intent>> {
  const written = await rows.put(rowOf(next), before?.version);
  return written.ok ? accept(next) : written;
}

/** How long to wait for quiet, and whether doubts of earlier calls count. */
export interface Quiet {
  readonly endMs: number;
  readonly doubts: boolean;
}

/**
 * Waits until no call is under way for a row.
 *
 * @param context - table and clock
 * @param id - of the row
 * @param until - how long
 * @throws IpamError `store/unavailable` when the time is over first
 */
export async function quiet(context: RemoteContext, id: string, until: Quiet): Promise<void> {
  const { table, clock } = context;
  for (;;) {
    const intent = table.get(id)?.intent;
    const freeAtMs = intent === undefined ? 0 : busyUntil(intent, clock.nowMs(), until.doubts);
    const waitMs = freeAtMs - clock.nowMs();
    if (waitMs <= 0) return;
    if (intent?.call === undefined && freeAtMs > until.endMs) throw busy(waitMs);
    if (clock.nowMs() >= until.endMs) throw busy(waitMs);
    await changeOrTime(context, id, Math.min(waitMs, until.endMs - clock.nowMs()));
  }
}

/**
 * Turns a refusal of the world into what is thrown.
 *
 * @param refusal - why
 * @returns the error
 */
function thrown({ code, message, retryAfterSeconds }: Refusal): IpamError {
  return new IpamError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

// A mark whose time is over was left by a process that died: what it asked for may still be at work.
function busyUntil({ call, doubtMs = 0 }: Intent, nowMs: number, doubts: boolean): number {
  if (call === undefined) return doubts ? doubtMs : 0;
  return call.untilMs > nowMs || !doubts ? call.untilMs : call.untilMs + RUNNING_MS;
}

async function finish(
  { rows, clock }: RemoteContext,
  marked: Intent,
  { next, result }: { readonly next: Intent | undefined; readonly result: V2Result },
): Promise<Outcome<unknown>> {
  if (next === undefined) return rows.remove(marked.id, marked.version);
  const doubtMs = result.as === 'failed' ? doubtUntil(result.doubt, clock.nowMs()) : undefined;
  // a state that is newer already was shown to the caller, version and all
  const isNew = next.version > marked.version;
  const state = isNew ? next : changed(next, { call: undefined, doubtMs }, clock.nowMs());
  return rows.put(rowOf(state), marked.version);
}

function doubtUntil(doubt: Doubt, nowMs: number): number | undefined {
  if (doubt === 'running') return nowMs + RUNNING_MS;
  return doubt === 'cut' ? nowMs + CUT_MS : undefined;
}

function busy(waitMs: number): IpamError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `an earlier call for this Service may still be at work in the IPAM-API; it is asked again in ${String(retryAfterSeconds)} s`;
  return new IpamError('store/unavailable', message, { retryAfterSeconds });
}

async function changeOrTime({ table, clock }: RemoteContext, id: string, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(Math.max(1, ms), end);
    const stop = table.onChange((changedId) => {
      if (changedId === id) end();
    });
    function end(): void {
      cancel();
      stop();
      resolve();
    }
  });
}
