import type { AdmissionRequest } from '../../../contract/admission-review';
import { IPAM } from '../../../contract/group';
import { refusalOf } from '../../../errors/ipam-error';
import { accept, type Outcome } from '../../../errors/outcome';
import { collectWishes, type CollectedWishes } from '../../../rules/wishes';
import { pause, refusalOfLate, withinDeadline, type Attempt } from '../wanted/admission-deadline';
import type { ServicesDoorParts } from '../wanted/door-parts';
import { gatherFacts, type Facts } from '../wanted/facts';
import { optOutOf } from '../wanted/opt-out';
import { annotationPatch, policyPatch, type AnnotationChanges } from '../wanted/patch';
import { awaitPublished } from './publish-wait';
import { reportFault } from '../wanted/report';
import { reservationIds, type ReservationIds } from '../wanted/reservation-id';
import { resultChanges, type ResultCase } from '../wanted/result-keys';
import { ADDRESS_KEYS } from '../wanted/result-marks';
import { isOldProblem, openReview, touchesNothing, type Review } from '../wanted/review';
import { foreseeWished, takeWished } from './take-wished';
import { allow, deny, type Verdict } from '../../../reviews/verdict';
import { isTakenOver, isUnavailable } from '../wanted/refusal-classes';
import { admitWaiting, isServed } from './waiting';

/** Longest wait for the release of what a Service held before it left the type; without a controller it is not released. */
const FORMER_LIFE_MS = 2_000;
const FORMER_LIFE_PAUSE_MS = 20;

/**
 * Judges and completes a Service: the mutating webhook.
 *
 * @param parts - of the door
 * @param request - of the review
 * @returns the verdict, at the latest when the door's own deadline ends
 */
export async function admitService(parts: ServicesDoorParts, request: AdmissionRequest): Promise<Verdict> {
  const opened = openReview(request, parts);
  if (typeof opened === 'string') return allow(opened);
  if (!opened.ok) return deny(opened.refusal);
  const review = opened.value;
  const quiet = touchesNothing(review);
  if (quiet && isServed(review.service)) return allow('unchanged');
  const wishes = collectWishes(review.service);
  const [wrong, ...others] = unreadable(wishes, review);
  if (wrong !== undefined) return deny(wrong, ...others);
  const ids = reservationIds(review, parts.clock.nowMs());
  const { clock, settings } = parts;
  const done = await withinDeadline(clock, settings.deadlineSeconds, (attempt) =>
    attemptToServe(parts, { review, wishes, ids }, attempt),
  );
  const verdict = done.kind === 'late' ? deny(refusalOfLate(parts.meter, done)) : done.result;
  if (verdict.allowed) return verdict;
  if (quiet) return allow('unchanged'); // a stored object is never rejected for what it was stored with
  return byPolicy(parts, { review, wishes, ids }, verdict);
}

/** A review with what it reads like, and the ids of a Service without a name. */
interface Asked {
  readonly review: Review;
  /** As if no key were a result of ours. */
  readonly wishes: CollectedWishes;
  readonly ids: ReservationIds;
}

// Only the shape of the annotations: contradictions need the record, since a result is no wish.
function unreadable({ problems }: CollectedWishes, review: Review): CollectedWishes['problems'] {
  return problems.filter((problem) => problem.code !== 'wish/contradiction' && !isOldProblem(problem, review));
}

async function attemptToServe(parts: ServicesDoorParts, asked: Asked, attempt: Attempt): Promise<Verdict> {
  try {
    return await serve(parts, asked, attempt);
  } catch (thrown) {
    reportFault(parts.logger, thrown, asked.review);
    return deny(refusalOf(thrown));
  }
}

async function serve(parts: ServicesDoorParts, asked: Asked, attempt: Attempt): Promise<Verdict> {
  const { review } = asked;
  const read = await knownFacts(parts, asked, attempt);
  if (!read.ok) return deny(read.refusal);
  const { facts, reservation } = read.value;
  const leaving = optOutOf(review, facts);
  if (leaving !== undefined) return leaveBy(review, leaving);
  // a Service that holds nothing has no results of ours, so the wishes are what they were
  const wishes = facts.grants.length === 0 ? { wishes: asked.wishes } : {};
  const known = { review, facts, reservation, ...wishes };
  return review.dryRun ? tell(parts, known, attempt) : give(parts, known, attempt);
}

function leaveBy({ service }: Review, leaving: Outcome<AnnotationChanges>): Verdict {
  if (!leaving.ok) return deny(leaving.refusal);
  return { allowed: true, because: 'not-ours', patch: annotationPatch(service, leaving.value) };
}

type Known = Parameters<typeof takeWished>[1];

async function give(parts: ServicesDoorParts, known: Known, attempt: Attempt): Promise<Verdict> {
  const { review } = known;
  const taken = await takeWished(parts, known, attempt);
  if (!taken.ok) return deny(...taken.refusals);
  const { on, grants } = taken;
  const { intent } = on;
  const addresses = grants.map(({ address }) => address);
  const changes = resultChanges(on, addresses);
  const unpublished = await awaitPublished(parts, { review, changes, grants }, attempt);
  if (unpublished !== undefined) return deny(unpublished);
  const apart = grants.flatMap((grant) => (grant.apart === undefined ? [] : [grant.apart]));
  const warnings = apart.length === 0 ? {} : { warnings: apart };
  return { ...served(on, changes), ...warnings, zone: intent.zone, addresses: addresses.map(String).join(',') };
}

// A dry run shows every key that is certain: an address that the Service has or names, and not what is free at the moment. Where the record
// cannot be asked without taking, the user is told that nothing was looked up.
async function tell(parts: ServicesDoorParts, known: Known, attempt: Attempt): Promise<Verdict> {
  const foreseen = await foreseeWished(parts, known, attempt);
  if (!foreseen.ok) return deny(...foreseen.refusals);
  const { on, found } = foreseen;
  const changes = new Map(
    resultChanges(
      on,
      found.flatMap(({ address }) => address ?? []),
    ),
  );
  changes.delete(IPAM.reservation);
  // neither the address that is only free nor the one that it takes the place of
  const guessed = found.some(({ certain }) => !certain) ? ADDRESS_KEYS.filter((key) => changes.has(key)) : [];
  for (const key of guessed) changes.set(key, undefined);
  const caveats = new Set(found.flatMap(({ caveat }) => caveat ?? []));
  return { ...served(on, changes), ...(caveats.size === 0 ? {} : { warnings: [...caveats] }) };
}

function served({ review, intent }: ResultCase, changes: AnnotationChanges): Verdict & { allowed: true } {
  const { setPolicy } = intent.plan;
  const policy = setPolicy === undefined ? [] : [policyPatch(setPolicy)];
  return { allowed: true, because: 'served', patch: [...annotationPatch(review.service, changes), ...policy] };
}

// An id that a new object brought along proves nothing unless it leads to a reservation that was not given yet.
async function knownFacts(
  parts: ServicesDoorParts,
  { review, ids }: Asked,
  attempt: Attempt,
): Promise<Outcome<{ facts: Facts; reservation: string | undefined }>> {
  const { own, carried } = ids;
  const facts = await factsAfterFormerLife(parts, { review, reservation: carried ?? own }, attempt);
  if (!facts.ok) return facts;
  if (carried === undefined || own === undefined) return accept({ facts: facts.value, reservation: own });
  if (facts.value.grants.length > 0) return accept({ facts: facts.value, reservation: carried });
  const claimant = { ...facts.value.claimant, reservation: own };
  return accept({ facts: { ...facts.value, claimant }, reservation: own });
}

// A Service that left the type and comes back at once may still hold what the controller is about to release: counted on
// here, it would be gone when the validating webhook looks (SVC-01).
async function factsAfterFormerLife(
  parts: ServicesDoorParts,
  { review, reservation }: { readonly review: Review; readonly reservation: string | undefined },
  attempt: Attempt,
): Promise<Outcome<Facts>> {
  const returns = review.stored !== undefined && review.live === undefined;
  const endMs = parts.clock.nowMs() + FORMER_LIFE_MS;
  for (;;) {
    const facts = await gatherFacts(parts, { review, reservation }, attempt);
    const isOver = !facts.ok || !returns || facts.value.boundHolders.size === 0;
    if (isOver || parts.clock.nowMs() >= endMs) return facts;
    if (!(await pause(parts.clock, FORMER_LIFE_PAUSE_MS, attempt))) return facts;
  }
}

function byPolicy(parts: ServicesDoorParts, { review, ids }: Asked, denied: Verdict & { allowed: false }): Verdict {
  const [cause, ...others] = denied.refusals;
  const admits = parts.settings.whenUnavailable === 'admit' || isTakenOver(cause);
  const waits = admits && others.length === 0 && isUnavailable(cause);
  if (!waits) return denied;
  const reservation = review.dryRun ? review.service.annotations[IPAM.reservation] : ids.own;
  return admitWaiting(review, { cause, defaultZone: parts.zones.current().defaultZone, reservation });
}
