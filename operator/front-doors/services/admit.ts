import type { AdmissionRequest } from '../../contract/admission-review';
import { refusalOf } from '../../errors/ipam-error';
import { collectWishes } from '../../rules/wishes';
import { withinDeadline, type Attempt } from './deadline';
import { ownerSettings, type ServicesDoorParts } from './door';
import { gatherFacts } from './facts';
import { readIntent } from './intent';
import { annotationPatch, policyPatch } from './patch';
import { reportFault } from './report';
import { reservationId } from './reservation-id';
import { reserveAll } from './reserve';
import { ourKeys, resultChanges } from './result-keys';
import { isOldProblem, openReview, touchesNothing, type Review } from './review';
import { allow, deny, isUnavailable, type Verdict } from './verdict';
import { admitWaiting, isServed } from './waiting';

/**
 * Judges and completes a Service: the mutating webhook.
 *
 * @param parts - of the door
 * @param request - of the review
 * @returns the verdict, at the latest when the door's own deadline ends
 */
export async function admitService(parts: ServicesDoorParts, request: AdmissionRequest): Promise<Verdict> {
  const review = openReview(request, ownerSettings(parts));
  if (typeof review === 'string') return allow(review);
  const quiet = touchesNothing(review);
  if (quiet && isServed(review.service)) return allow('unchanged');
  const [wrong, ...others] = unreadable(review);
  if (wrong !== undefined) return deny(wrong, ...others);
  const reservation = reservationId(review, parts.clock.nowMs());
  const { clock, settings } = parts;
  const done = await withinDeadline(clock, settings.deadlineSeconds, (attempt) =>
    attemptToServe(parts, { review, reservation }, attempt),
  );
  const verdict = 'late' in done ? deny(done.late) : done.result;
  if (verdict.allowed) return verdict;
  if (quiet) return allow('unchanged'); // a stored object is never rejected for what it was stored with
  return byPolicy(parts, { review, reservation }, verdict);
}

/** A review with the id of a Service without a name. */
interface Asked {
  readonly review: Review;
  readonly reservation: string | undefined;
}

// Only the shape of the annotations: contradictions need the record, since a result is no wish.
function unreadable(review: Review): ReturnType<typeof collectWishes>['problems'] {
  const { problems } = collectWishes(review.service);
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

async function serve(parts: ServicesDoorParts, { review, reservation }: Asked, attempt: Attempt): Promise<Verdict> {
  const facts = await gatherFacts(parts, review, reservation);
  if (!facts.ok) return deny(facts.refusal);
  const read = readIntent(review, facts.value);
  if (!read.ok) return deny(...read.refusals);
  const { intent } = read;
  const on = { review, intent, reservation };
  const { claimant } = facts.value;
  const granted = await reserveAll(parts, { claimant, intent, writtenKeys: ourKeys(on) }, attempt);
  if (!granted.ok) return deny(granted.refusal);
  const addresses = granted.value.map(({ address }) => address);
  const { setPolicy } = intent.plan;
  return {
    allowed: true,
    because: 'served',
    patch: [
      ...annotationPatch(review.service, resultChanges(on, addresses)),
      ...(setPolicy === undefined ? [] : [policyPatch(setPolicy)]),
    ],
    zone: intent.zone,
    addresses: addresses.map(String).join(','),
  };
}

function byPolicy(
  parts: ServicesDoorParts,
  { review, reservation }: Asked,
  denied: Verdict & { allowed: false },
): Verdict {
  const [cause, ...others] = denied.refusals;
  const waits = parts.settings.whenUnavailable === 'admit' && others.length === 0 && isUnavailable(cause);
  if (!waits) return denied;
  return admitWaiting(review, { cause, defaultZone: parts.zones.current().defaultZone, reservation });
}
