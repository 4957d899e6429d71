import { IpamError } from '../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { MAX_NAME_LENGTH } from '../../contract/vocabulary';
import { hasTooManyPorts } from '../../contract/sharing-terms';
import { unusableReason, type Address } from '../../addressing/address';
import type { Adoption, Grant, ReserveRequest } from '../../ports/address-book';
import { checkSecret } from '../../rules/secrets';
import { chooseClaim } from '../decisions/choose-claim';
import { ownerOf, recordsOf } from '../records/claims';
import { commitStep } from './commit-step';
import { takeFirst, type FirstStep } from './first-take';
import { joinByKey, keyOfSharers } from '../decisions/join-by-key';
import { keyedClaim } from '../decisions/key-wish';
import type { LedgerContext } from '../records/ledger-context';
import { proofOf } from '../records/proof';
import { keyOf, type ReserveCase, type Step } from '../decisions/reserve-case';
import { takeoverProblem } from '../decisions/takeover';
import { untilSettled } from '../records/until-settled';
import { keepWish, wishClaim } from '../decisions/wish-claim';
import { wishZone } from '../decisions/zone-gate';

/**
 * Reserves one address; see `AddressBook.reserve`.
 *
 * @param context - the ledger's parts
 * @param request - claimant and wish
 * @returns the grant or the refusal
 * @remarks one store call for a new claimant without a wish where the store can look and take at once; else four at most
 */
export async function reserve(context: LedgerContext, request: ReserveRequest): Promise<Outcome<Grant>> {
  const problem = requestProblem(request);
  if (problem !== undefined) return problem;
  const first = await reserveFirst(context, [request]);
  if (first !== undefined) return first.ok ? grantIn(first.value) : first;
  return settleCase(context, () => openCase(context, request));
}

/**
 * Reserves one address of each family for a claimant that has nothing yet; see `AddressBook.reserveBoth`.
 *
 * @param context - the ledger's parts
 * @param requests - one for each family, else the same
 * @returns the grants; undefined where each is to be reserved for itself, also for the words of a refusal
 * @remarks one store call
 */
export async function reserveBoth(
  context: LedgerContext,
  requests: readonly [ReserveRequest, ReserveRequest],
): Promise<readonly Grant[] | undefined> {
  if (requests.some((request) => requestProblem(request) !== undefined)) return undefined;
  const first = await reserveFirst(context, requests);
  return first?.ok === true ? first.value : undefined;
}

function grantIn([grant]: readonly Grant[]): Outcome<Grant> {
  if (grant === undefined) throw new IpamError('internal', 'a reservation was made without a grant');
  return accept(grant);
}

// Most requests are those of new Services: on the guess that the claimant has nothing, which the store checks with the take itself.
async function reserveFirst(
  context: LedgerContext,
  requests: readonly ReserveRequest[],
): Promise<Outcome<readonly Grant[]> | undefined> {
  if (!requests.every(isNewcomers)) return undefined;
  const firsts: FirstStep[] = [];
  for (const request of requests) {
    const on = openCase(context, request);
    const step = chooseClaim(on, []);
    if (step.do !== 'take') return undefined;
    firsts.push({ on, step });
  }
  return takeFirst(context, firsts);
}

function isNewcomers(request: ReserveRequest): boolean {
  const { claimant, wish, key, sharing } = request;
  // a Service that is stored, or names an address or a key, mostly has something
  if (wish !== undefined || key !== undefined || claimant.serviceUid !== undefined) return false;
  // may have the address of others, or is told why not
  return keyOfSharers(request) === undefined && (sharing === undefined || !hasTooManyPorts(sharing));
}

/**
 * Refuses a request that contradicts itself.
 *
 * @param request - claimant and wish
 * @returns refusal `claim/invalid`, `secret/invalid`, `api/malformed`, `address/unusable` or `address/wrong-family`; undefined when it makes
 *   sense
 */
export function requestProblem({ claimant, wish, family, secret, adopt }: ReserveRequest): Outcome<never> | undefined {
  if (claimant.service.serviceName.length > MAX_NAME_LENGTH) return nameTooLong();
  const checked = checkSecret(secret.value, 'secret');
  if (!checked.ok) return checked;
  if (wish === undefined) return adopt === undefined ? undefined : nothingAdopted(adopt);
  const value = wish.toString();
  const unusable = unusableReason(wish);
  if (unusable !== undefined) {
    const message = `address "${value}" cannot be assigned to a Service (${unusable}); give one of the zone`;
    return refuse('address/unusable', message, { field: 'address', value });
  }
  if (wish.family === family) return undefined;
  const message = `address "${value}" is IPv${wish.family}, but IPv${family} was asked for`;
  return refuse('address/wrong-family', message, { value });
}

// Admission comes before the API server's own look at the name.
function nameTooLong(): Outcome<never> {
  const message = `metadata.name: a name has at most ${String(MAX_NAME_LENGTH)} characters; give a shorter one`;
  return refuse('claim/invalid', message, { field: 'metadata.name' });
}

// Limits do not stand against what is in use, so it must be said what that is.
function nothingAdopted(adopt: Adoption): Outcome<never> {
  const message = `address: missing; adopt "${adopt}" is for an address that is in use already, so name it`;
  return refuse('api/malformed', message, { field: 'address' });
}

/**
 * Decides and commits until no other write was faster.
 *
 * @param context - the ledger's parts
 * @param open - makes the case anew for each round
 * @returns the grant or the refusal
 */
export async function settleCase(context: LedgerContext, open: () => ReserveCase): Promise<Outcome<Grant>> {
  // without a wish the address is not known before the first round; a taken one is the store's choice
  const { request } = open();
  let contended: Address | string | undefined = request.wish ?? keyOfSharers(request);
  return untilSettled(() =>
    context.turns.run(contended, async () => {
      const on = open();
      const step = await decide(context, on);
      if (step.do === 'write') contended ??= step.record.address;
      return commitStep(context, on, step);
    }),
  );
}

/**
 * Gathers what a decision needs.
 *
 * @param context - the ledger's parts
 * @param request - claimant and wish
 * @returns the case as it is now
 */
export function openCase(context: LedgerContext, request: ReserveRequest): ReserveCase {
  const catalogue = context.zones.current();
  const shown = proofOf(context.hasher, request.secret);
  return {
    request,
    catalogue,
    zone: catalogue.zone(request.zone),
    shown,
    previous: request.previousSecret === undefined ? undefined : proofOf(context.hasher, request.previousSecret),
    key: keyOf(request, shown),
    nowMs: context.clock.nowMs(),
    leaseMs: context.leaseMs,
  };
}

/**
 * Decides what a reservation does; reads, and writes nothing.
 *
 * @param context - the ledger's parts
 * @param on - the case
 * @returns the step
 */
export async function decide(context: LedgerContext, on: ReserveCase): Promise<Step> {
  const keyed = await keyedClaim(context, on);
  if (keyed !== undefined) return keyed;
  const records = await recordsOf(context, on.request.claimant);
  const { wish } = on.request;
  if (wish !== undefined) return keepWish(on, wish, records) ?? (await newWish(context, on, wish));
  const step = chooseClaim(on, records);
  if (step.do !== 'take' || step.address !== undefined) return step;
  const joined = await joinByKey(context, on, step);
  return joined.do === 'take' ? preferLast(context, on, joined) : joined;
}

// A Service that comes back gets what it had, if it is still free; no promise, and nothing is kept for it.
async function preferLast(context: LedgerContext, on: ReserveCase, step: Extract<Step, { do: 'take' }>): Promise<Step> {
  const { claimant, family } = on.request;
  const { network, space } = step.zone;
  const owner = ownerOf(claimant);
  if (owner.name === '') return step;
  const last = await context.history?.lastAddress({ network, family, owner });
  if (last === undefined || !space.contains(last)) return step;
  const live = await context.claims.get({ network, address: last });
  return live === undefined ? { ...step, address: last } : step;
}

async function newWish(context: LedgerContext, on: ReserveCase, address: Address): Promise<Step> {
  const known = await takeoverProblem(context, on.request, on.nowMs);
  if (known !== undefined) return { do: 'refuse', refusal: known };
  const found = wishZone(on, address);
  if (!found.ok) return { do: 'refuse', refusal: found.refusal };
  const record = await context.claims.get({ network: found.value.network, address });
  return wishClaim(on, { address, zone: found.value }, record);
}
