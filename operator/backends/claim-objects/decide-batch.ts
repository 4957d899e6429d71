import { randomUUID } from 'node:crypto';

import { refuse, type Outcome } from '../../errors/outcome';
import type { AddressRecord } from '../../ports/claims';
import type { Decided } from './claim-verb';
import type { ClaimView } from './claim-view';
import type { ClaimWrite } from './claim-write';
import type { Job } from './verb-queue';

/** A call whose decision is made and not yet carried out. */
export interface Planned {
  readonly job: Job;
  /** Mark of the decision. */
  readonly id: string;
  readonly writes: readonly ClaimWrite[];
  /** Undefined: the call is decided again. */
  readonly answer: ((records: readonly (AddressRecord | undefined)[]) => unknown) | undefined;
}

/** Decisions of one batch, and the calls that have to wait until those are carried out. */
export interface Batch {
  readonly planned: readonly Planned[];
  readonly later: readonly Job[];
}

/** Parts that the decisions of a batch need beside the claims. */
export interface Deciders {
  /** Reads objects once more, so that no refusal rests on what is over. */
  readonly refresh: (names: readonly string[]) => Promise<void>;
  /** Refuses what cannot be written together. */
  readonly tooLarge?: (writes: readonly ClaimWrite[]) => Outcome<never> | undefined;
}

/**
 * Decides calls in their order, each over the decisions before it. Calls that need no write are answered.
 *
 * @param view - the claims; takes the decisions in
 * @param jobs - the calls
 * @param by - reads and limits
 * @returns the decisions to carry out
 */
export async function decideBatch(
  view: ClaimView,
  jobs: readonly Job[],
  { refresh, tooLarge }: Deciders,
): Promise<Batch> {
  const planned: Planned[] = [];
  for (const [index, job] of jobs.entries()) {
    const id = randomUUID();
    const decided = await sureDecision(view, { job, id }, refresh);
    if (decided.as === 'depends' && view.deciding(decided.name) === 'own') {
      return { planned, later: jobs.slice(index) };
    }
    if (decided.as !== 'writes' && decided.as !== 'first') {
      answerAtOnce(job, decided);
      continue;
    }
    const { writes } = decided;
    const refusal = tooLarge?.(writes);
    if (refusal !== undefined) {
      job.refuse(refusal);
      continue;
    }
    view.add(writes, 'own');
    planned.push({ job, id, writes, answer: decided.as === 'writes' ? decided.answer : undefined });
  }
  return { planned, later: [] };
}

async function sureDecision(
  view: ClaimView,
  { job, id }: { readonly job: Job; readonly id: string },
  refresh: (names: readonly string[]) => Promise<void>,
): Promise<Decided<unknown>> {
  const sure = new Set<string>();
  for (;;) {
    const decided = job.verb.decide(view, id);
    if (decided.as !== 'refusal') return decided;
    const unsure = decided.because.filter((name) => !sure.has(name) && view.deciding(name) === undefined);
    if (unsure.length === 0) return decided;
    await refresh(unsure);
    for (const name of unsure) sure.add(name);
    view.forgetSearches();
  }
}

function answerAtOnce(job: Job, decided: Exclude<Decided<unknown>, { readonly as: 'writes' | 'first' }>): void {
  if (decided.as === 'answer') job.accept(decided.value);
  else job.refuse(decided.as === 'refusal' ? decided.outcome : refuseBusy(decided.name));
}

function refuseBusy(name: string): Outcome<never> {
  const message = `claim "${name}" is being written by another process; read it again and try again in a moment`;
  return refuse('store/conflict', message, { retryAfterSeconds: 1 });
}
