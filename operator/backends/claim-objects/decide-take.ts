import { randomUUID } from 'node:crypto';

import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { AddressRecord, Taken, TakeRequest } from '../../ports/claims';
import type { ClaimCodec } from './claim-codec';
import type { ClaimVerb, Decided } from './claim-verb';
import type { ClaimView } from './claim-view';
import { over, type ClaimWrite } from './claim-write';
import { fittingWrites } from './decision-size';
import { isEnded } from './delete-ended';
import { newHolder } from './new-holder';
import { planTake, type Plan, type Target } from './plan-take';

/**
 * Makes the verb that takes space.
 *
 * @param codec - of the claims
 * @param request - the spaces that are asked for
 * @returns decides the call
 */
export function takeVerb(codec: ClaimCodec, request: TakeRequest): ClaimVerb<readonly Taken[]> {
  return {
    decide: (view, decision) => {
      if (request.secret !== undefined) return { as: 'refusal', outcome: refuseSecret(), because: [] };
      const leaving = view.leavingSoon();
      if (leaving !== undefined) return { as: 'depends', name: leaving };
      const plan = planTake(view, request);
      if (!plan.ok) return refusalOf(view, plan);
      const busy = plan.targets.flatMap(({ known }) => underWay(view, known));
      if (busy[0] !== undefined) return { as: 'depends', name: busy[0] };
      return taking({ codec, view, request, decision }, plan.targets);
    },
  };
}

function refuseSecret(): Outcome<never> {
  return refuse('claim/invalid', 'a claim that is an object of the cluster keeps no secret; take it without one');
}

function refusalOf(view: ClaimView, plan: Plan & { readonly ok: false }): Decided<never> {
  const name = plan.inTheWay === undefined ? undefined : view.nameOf(plan.inTheWay);
  if (name === undefined) return { as: 'refusal', outcome: plan.refused, because: [] };
  // another process frees the space at this moment
  return view.isLeaving(name) ? { as: 'depends', name } : { as: 'refusal', outcome: plan.refused, because: [name] };
}

function underWay(view: ClaimView, known: AddressRecord | undefined): readonly string[] {
  if (known === undefined) return [];
  const name = view.nameOf(known);
  return view.deciding(name) === undefined ? [] : [name];
}

interface Taking {
  readonly codec: ClaimCodec;
  readonly view: ClaimView;
  readonly request: TakeRequest;
  readonly decision: string;
}

function taking(to: Taking, targets: readonly Target[]): Decided<readonly Taken[]> {
  const writes: ClaimWrite[] = [];
  /** Place of the write of each target among all writes. */
  const places: number[] = [];
  for (const target of targets) {
    if (target.known === undefined) {
      const outcome = writesOf(to, target);
      if (!outcome.ok) return { as: 'refusal', outcome, because: [] };
      writes.push(...outcome.value);
    }
    places.push(writes.length - 1);
  }
  const answer = (records: readonly (AddressRecord | undefined)[]): readonly Taken[] =>
    targets.map(({ known }, index): Taken => {
      if (known !== undefined) return { record: known, created: false };
      return { record: records[places[index] ?? 0] as AddressRecord, created: true };
    });
  if (writes.length === 0) return { as: 'answer', value: answer([]) };
  return endedFirst(to.view, writes) ?? { as: 'writes', writes, answer };
}

// What no decision can write at once: as many quarantines that ended as one decision can delete.
function endedFirst(view: ClaimView, writes: readonly ClaimWrite[]): Decided<never> | undefined {
  if (writes.length === 1 || fittingWrites(writes).length === writes.length) return undefined;
  const ended = writes.filter(({ name, after }) => after === undefined && isEnded(view, name));
  return ended.length === 0 ? undefined : { as: 'first', writes: fittingWrites(ended) };
}

// Ended claims of other names first, the claim itself last.
function writesOf(to: Taking, target: Target & { readonly known?: undefined }): Outcome<readonly ClaimWrite[]> {
  const { codec, view, request, decision } = to;
  const { nowMs } = view;
  const { first, length } = target.block;
  const { key, family } = target.want;
  const place = { network: request.network, address: first, length };
  const name = view.nameOf(place);
  const holder = newHolder(request.holder, {
    id: randomUUID(),
    sinceMs: nowMs,
    nowMs,
    ...(key === undefined ? {} : { key }),
  });
  const draft = { ...place, pool: request.pool, family, state: 'held', holders: [holder], takenAtMs: nowMs } as const;
  const stored = view.stored(name);
  const before = stored === undefined ? {} : { before: stored.object };
  const after = codec.write(draft, { decision, ...before });
  if (!after.ok) return after;
  const ended = target.over
    .map((record) => view.nameOf(record))
    .filter((each) => each !== name)
    .map((each): ClaimWrite => ({ name: each, ...over(view.stored(each)) }));
  return accept([...ended, { name, after: after.value, ...over(stored) }]);
}
