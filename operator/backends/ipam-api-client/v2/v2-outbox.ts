import type { Address } from '../../../addressing/address';
import { isIpamError } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { V2Result } from './v2-call';
import { callRotation, leaving, rotationResult } from './v2-change';
import { changed, withHolder, type Intent, type IntentHolder } from './v2-intent';
import { callFor, quiet, save, type Plan, type Prepared, type RemoteContext } from './v2-line';
import { term, type Known } from './v2-table';
import { callOf, isNobodys } from './v2-take';

/** Pause between two looks at what is left to do. */
const LOOK_MS = 1_000;
/** Rows of other processes are left to these for a while. */
const FOREIGN_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 300_000;
const AT_ONCE = 4;

/** When a row is tried next. */
interface Due {
  atMs: number;
  failures: number;
}

/**
 * Tells the IPAM-API what is left to tell: holders that left, changed options, whether a rotation happened. Tries each as often as it
 * takes, with growing pauses, so that nothing here depends on the IPAM-API being up. Every process may run one; a row is worked on
 * by one of them at a time.
 */
export class Outbox {
  readonly #context: RemoteContext;
  readonly #due = new Map<string, Due>();
  readonly #working = new Map<string, Promise<void>>();
  /** Until when an earlier call may still be at work, by row. */
  readonly #restUntilMs = new Map<string, number>();
  #cancel: () => void = () => undefined;
  #ended = false;

  /**
   * Begins to look at once.
   *
   * @param context - rows, calls, clock
   */
  constructor(context: RemoteContext) {
    this.#context = context;
    this.#later();
  }

  /**
   * Looks at a row now.
   *
   * @param id - of a row that this process changed
   */
  kick(id: string): void {
    if (this.#ended) return;
    this.#due.set(id, { atMs: 0, failures: 0 });
    this.#look();
  }

  /**
   * Does other work on a row, while nothing of the row is told by this process.
   *
   * @param id - of the row
   * @param work - returns for how many milliseconds its calls may still be at work afterwards
   * @returns false where a call for the row is under way already
   */
  async alone(id: string, work: () => Promise<number>): Promise<boolean> {
    if (this.#ended || !this.#isIdle(id)) return false;
    const working = work()
      .then((restMs) => {
        if (restMs > 0) this.#restUntilMs.set(id, this.#context.clock.nowMs() + restMs);
      })
      .finally(() => {
        this.#working.delete(id);
        if (!this.#ended) this.#look();
      });
    this.#working.set(id, working);
    await working;
    return true;
  }

  /** Ends; waits for what is under way. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#cancel();
    await Promise.allSettled(this.#working.values());
  }

  #later(): void {
    this.#cancel = this.#context.clock.after(LOOK_MS, () => {
      this.#look();
      if (!this.#ended) this.#later();
    });
  }

  #look(): void {
    const { table, clock, calls, meter } = this.#context;
    const rows = table.all(term.work);
    meter.set('remote_intents', rows.length, { phase: 'leaving' });
    meter.set('remote_intents', table.all(term.asking).length, { phase: 'asking' });
    meter.set('remote_disputed', table.all(term.disputed).length);
    const ids = new Set(rows.map(({ intent }) => intent.id));
    for (const id of this.#due.keys()) if (!ids.has(id)) this.#due.delete(id);
    if (calls.closedBecause() !== undefined) return;
    for (const id of ids) {
      if (this.#working.size >= AT_ONCE) return;
      const due = this.#due.get(id) ?? { atMs: clock.nowMs() + FOREIGN_MS, failures: 0 };
      this.#due.set(id, due);
      if (due.atMs <= clock.nowMs() && this.#isIdle(id)) this.#begin(id, due);
    }
  }

  #isIdle(id: string): boolean {
    const isResting = (this.#restUntilMs.get(id) ?? 0) > this.#context.clock.nowMs();
    if (!isResting) this.#restUntilMs.delete(id);
    return !isResting && !this.#working.has(id);
  }

  #begin(id: string, due: Due): void {
    const { clock, logger } = this.#context;
    const work = workOn(this.#context, id)
      .then((outcome) => (outcome.ok ? undefined : outcome.refusal))
      .catch((thrown: unknown) => ({
        code: isIpamError(thrown) ? thrown.code : 'internal',
        message: thrown instanceof Error ? thrown.message : 'unknown',
      }))
      .then((refusal) => {
        this.#working.delete(id);
        if (refusal === undefined) this.#due.delete(id);
        else {
          due.failures += 1;
          due.atMs = clock.nowMs() + Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(due.failures - 1, 20));
          const { code, message: problem } = refusal;
          logger.warn('the IPAM-API could not be told yet; it is tried again', {
            code,
            problem,
            failures: due.failures,
          });
        }
        if (!this.#ended) this.#look();
      });
    this.#working.set(id, work);
  }
}

/**
 * Does one thing that is left to do for a row, if there is one.
 *
 * @param context - rows, calls, clock
 * @param id - of the row
 * @returns success, or why it has to be tried again
 */
function workOn(context: RemoteContext, id: string): Promise<Outcome<undefined>> {
  let job: Job | undefined;
  const plan: Plan<undefined> = {
    prepare: (known) => {
      job = known === undefined ? undefined : jobOf(context, known);
      return job === undefined ? { kind: 'over', outcome: accept(undefined) } : job;
    },
    settle: (marked, result) => job?.settle(marked, result) ?? { next: marked, outcome: accept(undefined) },
  };
  return callFor(context, id, plan);
}

type Job = Prepared & Pick<Plan<undefined>, 'settle'>;

function jobOf(context: RemoteContext, intent: Intent): Job | undefined {
  const held = intent.holders.find(({ phase }) => phase === 'held');
  const gone = intent.holders.find(({ phase }) => phase === 'leaving');
  // a holder can be given back only with the secret that counts there
  const rotated = held ?? gone;
  if (intent.next !== undefined && rotated !== undefined) return rotating(context, intent, rotated);
  if (gone !== undefined && intent.address !== undefined)
    return giving(context, { intent, gone, address: intent.address });
  const stale = intent.holders.find((each) => each.stale === true && each.phase === 'held');
  return stale === undefined ? undefined : telling(context, intent, stale);
}

function rotating(context: RemoteContext, intent: Intent, holder: IntentHolder): Job {
  return {
    kind: 'call',
    intent,
    call: (budgetMs) => callRotation(context, intent, { holder, budgetMs }),
    settle: (marked, result) => {
      const next = rotationResult(marked, result, true);
      const isOpen = next.next !== undefined && result.as !== 'done';
      return { next, outcome: isOpen ? { ok: false, refusal: result.refusal } : accept(undefined) };
    },
  };
}

function telling(context: RemoteContext, intent: Intent, holder: IntentHolder): Job {
  return {
    kind: 'call',
    intent,
    call: (ms) => context.calls.register(callOf(intent, holder), ms),
    settle: (marked, result) => {
      const { stale: _stale, ...told } = holder;
      if (result.as === 'failed') return { next: marked, outcome: { ok: false, refusal: result.refusal } };
      if (result.as === 'refused') {
        const { code, message: problem } = result.refusal;
        context.logger.warn('the IPAM-API does not take the options of a Service', { code, problem });
      }
      return { next: { ...marked, holders: withHolder(marked.holders, holder.id, told) }, outcome: accept(undefined) };
    },
  };
}

interface Going {
  readonly intent: Intent;
  readonly gone: IntentHolder;
  readonly address: Address;
}

function giving(context: RemoteContext, going: Going): Job {
  const { intent, gone } = going;
  return {
    kind: 'call',
    intent,
    call: (ms) => giveBack(context, going, ms),
    settle: (marked, result) => {
      if (result.as === 'failed') return { next: marked, outcome: { ok: false, refusal: result.refusal } };
      const isOver = result.as === 'done' || isNobodys(result.refusal.code);
      if (!isOver) return { next: marked, outcome: { ok: false, refusal: result.refusal } };
      const holders = withHolder(marked.holders, gone.id, undefined);
      return { next: holders.length === 0 ? undefined : { ...marked, holders }, outcome: accept(undefined) };
    },
  };
}

// "Not found" may be a fault of the database there, so it is not believed: registered for certain, the service must be found.
async function giveBack(
  { calls, clock, suspect }: RemoteContext,
  { intent, gone, address }: Going,
  ms: number,
): Promise<V2Result> {
  const endMs = clock.nowMs() + ms;
  const leftMs = (): number => Math.max(1, endMs - clock.nowMs());
  const days = gone.leavingDays ?? 0;
  const options = { ...gone.options, retentionPeriodDays: days };
  const call = { ...callOf(intent, { ...gone, options }), address };
  const released = await calls.release(call, leftMs());
  if (released.as !== 'refused' || released.refusal.code !== 'claim/not-found') return released;
  const confirmed = await calls.register({ ...call, options: gone.options }, leftMs());
  if (confirmed.as !== 'done') return confirmed;
  if (confirmed.fresh) suspect();
  // what was not registered had no retention left
  const last = confirmed.fresh ? { ...options, retentionPeriodDays: 0 } : options;
  const again = await calls.release({ ...call, options: last }, leftMs());
  return again.as === 'refused' && again.refusal.code === 'claim/not-found'
    ? { as: 'failed', doubt: 'done', refusal: { ...again.refusal, code: 'store/unavailable' } }
    : again;
}

/**
 * Ends requests without a living caller: rows whose answer was lost and whose lease ran out.
 *
 * @param context - rows, calls, clock
 * @param startedMs - when the list of Services began that shows the living ones
 * @returns ids of the rows that have something to give back now
 */
export async function endLostAsks(context: RemoteContext, startedMs: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const known of context.table.all(term.asking)) {
    const lost = known.intent.holders.filter((each) => isLost(each, startedMs));
    if (lost.length === 0) continue;
    const done =
      known.intent.address === undefined ? await learnAddress(context, known) : await endAsking(context, known, lost);
    if (done.ok) ids.push(known.intent.id);
  }
  return ids;
}

function isLost({ phase, expiresAtMs, sinceMs }: IntentHolder, startedMs: number): boolean {
  return phase === 'asking' && (expiresAtMs ?? sinceMs) < startedMs;
}

async function endAsking(
  context: RemoteContext,
  { intent }: Known,
  lost: readonly IntentHolder[],
): Promise<Outcome<unknown>> {
  await quiet(context, intent.id, { endMs: context.clock.nowMs(), doubts: false });
  const holders = intent.holders.map((each) => (lost.includes(each) ? leaving(each, 0) : each));
  return save(context, intent, changed(intent, { holders }, context.clock.nowMs()));
}

// Asking again gives the address of the lost answer, or a new one; either goes back.
function learnAddress(context: RemoteContext, { intent: { id } }: Known): Promise<Outcome<undefined>> {
  let isKnown = false;
  return callFor<undefined>(context, id, {
    prepare: (known) => {
      const [holder] = known?.holders ?? [];
      if (known === undefined || known.address !== undefined || holder?.phase !== 'asking')
        return { kind: 'over', outcome: accept(undefined) };
      isKnown = isHeldElsewhere(context, holder);
      const call = isKnown ? undefined : (ms: number) => context.calls.register(callOf(known, holder), ms);
      const needless: V2Result = { as: 'refused', refusal: { code: 'claim/not-found', message: 'held already' } };
      return { kind: 'call', intent: known, call: call ?? (() => Promise.resolve(needless)) };
    },
    settle: (marked, result) => {
      if (result.as === 'done' && result.address !== undefined) {
        const holders = marked.holders.map((each) => leaving(each, 0));
        return { next: { ...marked, address: result.address, holders }, outcome: accept(undefined) };
      }
      const nothing = isKnown || (result.as === 'refused' && result.refusal.code === 'pool/exhausted');
      if (nothing) return { next: undefined, outcome: accept(undefined) };
      const refusal = result.as === 'done' ? undefined : result.refusal;
      return {
        next: marked,
        outcome: refusal === undefined ? refuse('internal', 'no address') : { ok: false, refusal },
      };
    },
  });
}

// The row of the address was written, then the process died before it took this one away.
function isHeldElsewhere({ table }: RemoteContext, { key }: IntentHolder): boolean {
  if (key === undefined) return false;
  return table.all(term.key(key)).some(({ record }) => record?.holders.some((each) => each.key === key));
}
