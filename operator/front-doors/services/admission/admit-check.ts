import { isIn, type Address } from '../../../addressing/address';
import type { AdmissionRequest } from '../../../contract/admission-review';
import { IPAM, METALLB, WAITING_POOL } from '../../../contract/group';
import { addressesReadByMetalLb, poolReadByMetalLb } from '../../../contract/read-by-metallb';
import type { ServiceView } from '../../../contract/service';
import { mapOf, metadataOf, textOf } from '../../../contract/loose-json';
import { annotationPath } from '../../../contract/service-annotations';
import { refusalOf } from '../../../errors/ipam-error';
import { refusedAt, type Refusal } from '../../../errors/outcome';
import { familyNames } from '../../../rules/family-facts';
import { optOutProblem } from '../../../rules/opt-out';
import { optsOut } from '../../../rules/service-owner';
import { pairedAddressProblems } from '../../../rules/spec-address';
import { collectWishes, namedAddresses } from '../../../rules/wishes';
import { externalIpProblem } from './external-ips';
import { refusalOfLate, withinDeadline, type Awaiting } from '../wanted/admission-deadline';
import type { ServicesDoorParts } from '../wanted/door-parts';
import { readClaimant } from '../wanted/facts';
import { reportFault } from '../wanted/report';
import { announcesTheSame, isOldProblem, openReview, touchesNothing, type Review } from '../wanted/review';
import { namesExactly } from '../wanted/result-keys';
import { isServed } from './waiting';
import { allow, deny, type AllowedBecause, type Verdict } from '../../../reviews/verdict';
import { isUnavailable } from '../wanted/refusal-classes';

/**
 * Checks the final object: the validating webhook. It reserves nothing; a reservation gets the name of its object here.
 *
 * @param parts - of the door
 * @param request - of the review
 * @returns the verdict, at the latest when the door's own deadline ends
 */
export async function checkService(parts: ServicesDoorParts, request: AdmissionRequest): Promise<Verdict> {
  const opened = openReview(request, parts);
  if (typeof opened === 'string') return allow(opened);
  if (!opened.ok) return deny(opened.refusal);
  const review = opened.value;
  return optsOut(review.service) ? checkOptOut(parts, review) : checkFinal(parts, review, request);
}

async function checkFinal(parts: ServicesDoorParts, review: Review, request: AdmissionRequest): Promise<Verdict> {
  const passes = nothingToCheck(review, parts.settings.whenUnavailable);
  if (passes !== undefined) return allow(passes);
  const [wrong, ...others] = finalProblems(review);
  if (wrong !== undefined) return deny(wrong, ...others);
  // the mutating webhook judged it by looks alone a moment ago: there is no reservation to be found
  return review.dryRun ? allow('verified') : checkReserved(parts, review, request);
}

async function checkReserved(parts: ServicesDoorParts, review: Review, request: AdmissionRequest): Promise<Verdict> {
  const { clock, settings } = parts;
  const done = await withinDeadline(clock, settings.deadlineSeconds, async (attempt) => {
    const problem = await verify(parts, review, attempt);
    attempt.awaits = 'api-server';
    return problem?.code === 'reservation/missing' && (await isOutdated(parts, request)) ? undefined : problem;
  });
  const refusal = done.kind === 'late' ? refusalOfLate(parts.meter, done) : done.result;
  if (refusal === undefined) return allow('verified');
  // the mutating webhook has verified or parked it a moment ago
  const waits = settings.whenUnavailable === 'admit' && isUnavailable(refusal);
  return waits ? { allowed: true, because: 'waiting', cause: refusal } : deny(refusal);
}

// The object changed since the API server read it, and the address may be gone with that change. The API server cannot store this one over
// it: it judges the change anew on the object as it is now, or tells its caller of the conflict.
async function isOutdated(
  { cluster }: Pick<ServicesDoorParts, 'cluster'>,
  { operation, oldObject }: AdmissionRequest,
): Promise<boolean> {
  if (operation !== 'UPDATE') return false;
  const { namespace, name, resourceVersion } = metadataOf(mapOf(oldObject));
  if (typeof resourceVersion !== 'string' || resourceVersion === '') return false;
  const stored = await cluster.service(textOf(namespace), textOf(name)).catch(() => undefined);
  return stored !== undefined && metadataOf(stored)['resourceVersion'] !== resourceVersion;
}

function checkOptOut({ zones }: Pick<ServicesDoorParts, 'zones'>, { service }: Review): Verdict {
  const problem = optOutProblem(service, zones.current());
  return problem === undefined ? allow('not-ours') : deny(problem);
}

function nothingToCheck(review: Review, whenUnavailable: 'deny' | 'admit'): AllowedBecause | undefined {
  if (touchesNothing(review)) return 'unchanged';
  if (review.service.annotations[METALLB.pool] === WAITING_POOL) return 'waiting';
  // a wish that was admitted for later stands beside the address that the Service still has
  const waits = whenUnavailable === 'admit' || wishesAnother(review);
  return waits && announcesTheSame(review) ? 'waiting' : undefined;
}

// MetalLB does not read our key, so a served Service may name an address there that it does not have yet.
function wishesAnother({ service, live }: Review): boolean {
  const wish = service.annotations[IPAM.addresses];
  if (wish === undefined || live === undefined || !isServed(live)) return false;
  return wish !== live.annotations[IPAM.addresses] && !namesExactly(wish, addressesReadByMetalLb(service));
}

function finalProblems(review: Review): readonly Refusal[] {
  const { service } = review;
  const problems = collectWishes(service).problems.filter((problem) => !isOldProblem(problem, review));
  if (problems.length > 0) return problems;
  const paired = pairedAddressProblems(service);
  if (paired.length > 0) return paired;
  const addresses = addressesReadByMetalLb(service);
  const isMissing = poolReadByMetalLb(service).text === '' || (addresses.length === 0 && !review.dryRun);
  if (isMissing) return [behindOurBack(service)];
  // a dry run shows no address that is only free at the moment
  if (addresses.length === 0) return [];
  return familyProblems(service, addresses);
}

function behindOurBack(service: ServiceView): Refusal {
  const missing = poolReadByMetalLb(service).text === '' ? METALLB.pool : METALLB.addresses;
  const why = `the Service is of type LoadBalancer but ${annotationPath(missing)} is missing, so no address was reserved`;
  const likely = 'another webhook changed it after ours, or ours was not called';
  return {
    code: 'service/not-ours',
    field: 'spec.type',
    message: `${why} (${likely}); make that change in your manifest instead`,
  };
}

function familyProblems({ ipFamilies }: ServiceView, addresses: readonly Address[]): readonly Refusal[] {
  if (ipFamilies.length === 0) return [];
  const given = addresses.map(({ family }) => family);
  if (given.length === ipFamilies.length && given.every((family) => ipFamilies.includes(family))) return [];
  const field = 'spec.ipFamilies';
  const message = `${field} is ${familyNames(ipFamilies)} but the Service has ${addresses.map(String).join(' and ')}; MetalLB announces only matching families`;
  return [{ code: 'wish/family', field, message }];
}

async function verify(parts: ServicesDoorParts, review: Review, awaiting: Awaiting): Promise<Refusal | undefined> {
  try {
    awaiting.awaits = 'api-server';
    const read = await readClaimant(parts, review, finalReservation(review));
    if (!read.ok) return read.refusal;
    awaiting.awaits = 'store';
    const external = await externalIpProblem(parts, review, read.value.claimant);
    if (external !== undefined) return external;
    const zone = poolReadByMetalLb(review.service).text;
    const sources = namedAddresses(review.service);
    const { claimant } = read.value;
    const addresses = unique(sources.flatMap((source) => source.addresses));
    // both families in one message to the store
    const checks = await Promise.all(
      addresses.map(async (address) => ({ address, held: await parts.book.check({ claimant, zone, address }) })),
    );
    for (const { address, held } of checks) if (!held.ok) return refusedAt(held.refusal, fieldIn(sources, address));
    return undefined;
  } catch (thrown) {
    reportFault(parts.logger, thrown, review);
    return refusalOf(thrown);
  }
}

// The UID of a CREATE is invented when the create fails later, so name or reservation identify it.
function finalReservation({ operation, service, live }: Review): string | undefined {
  if (operation === 'UPDATE') return live?.annotations[IPAM.reservation];
  return service.generateName === '' ? undefined : service.annotations[IPAM.reservation];
}

function fieldIn(sources: ReturnType<typeof namedAddresses>, address: Address): string {
  const source = sources.find(({ addresses }) => isIn(address, addresses));
  return source?.field ?? annotationPath(METALLB.addresses);
}

function unique(addresses: readonly Address[]): readonly Address[] {
  return addresses.filter((address, i) => addresses.findIndex((each) => each.equals(address)) === i);
}
