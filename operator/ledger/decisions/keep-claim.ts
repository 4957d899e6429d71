import type { Expiry, Holder, HolderState, NewHolder, SecretProof } from '../../ports/claims';
import type { Claim } from '../records/claims';
import { namesOf } from '../../errors/named-objects';
import { labelOf, sharersText } from '../records/holder-words';
import { changedHolder, keptEnd, sameContent, sameTerms } from '../records/holder-draft';
import { keyUnder, prove, refreshed } from '../records/proof';
import { refused, type ReserveCase, type Step } from './reserve-case';
import { blockedStep, blockersOf, hasSay, sharerOf, unshareable } from './sharing-check';
import { wishZone } from './zone-gate';

/** Longest that the API server works on a request, from the first webhook to the stored object, by its default. */
const MOST_ADMISSION_MS = 60_000;

/**
 * Decides on an address that the claimant holds already: it keeps it, with new options, a recalled retention, a longer
 * lease or a new secret where the request brings them.
 *
 * @param on - the case
 * @param claim - the claimant's claim
 * @returns `keep` when nothing changes, `write`, or a refusal
 */
export function keepClaim(on: ReserveCase, claim: Claim): Step {
  const rotates = prove(claim.record, on.request.claimant, on.shown) !== 'proven';
  const stands = rotates ? rotationProblem(on, claim) : undefined;
  if (stands !== undefined) return stands;
  const blocked = returnProblem(on, claim) ?? changedTermsProblem(on, claim);
  if (blocked !== undefined) return blocked;
  return ofStoredOwner(on, claim, rotates) ?? changeClaim(on, claim, rotates);
}

// The change may still be refused by others: what it brings becomes durable when the stored object is bound with it.
function ofStoredOwner(on: ReserveCase, claim: Claim, rotates: boolean): Step | undefined {
  if (!isStoredOwner(on, claim.holder)) return undefined;
  if (on.request.returns === true) return leaseAnew(on, claim);
  return rotates && on.request.key === undefined ? { do: 'keep', claim } : undefined;
}

function changeClaim(on: ReserveCase, claim: Claim, rotates: boolean): Step {
  const { record } = claim;
  const secret = rotates ? on.shown : refreshed(record.secret, on.shown);
  return writeOrKeep(claim, nextHolder(on, claim, secret), secret);
}

function rotationProblem(on: ReserveCase, claim: Claim): Step | undefined {
  const { record, holder } = claim;
  const address = record.address.toString();
  const mayKeep = on.request.ownerKeeps === true && isStoredOwner(on, holder);
  if (!mayKeep && !provesPrevious(on, claim)) {
    const message = `the secret is not the one under which "${labelOf(holder.owner)}" holds address "${address}"`;
    return refused('secret/wrong', message, { value: address });
  }
  // a Secret that was edited under its name is no wish of this request, so it is no obstacle
  if (mayKeep && on.previous === undefined) return undefined;
  const others = othersOn(claim);
  if (others.length === 0) return undefined;
  const message = `the secret of address "${address}" cannot change while ${sharersText(others, record, namesOf(holder.owner.cluster))} share it`;
  return refused('secret/shared', message, { value: address });
}

/**
 * Lists the other holders that have a say about an address.
 *
 * @param claim - one holder on its address
 * @returns the other holders that are reserved or bound
 */
export function othersOn({ record, holder }: Claim): readonly Holder[] {
  return record.holders.filter((other) => other.id !== holder.id && hasSay(other));
}

/**
 * Tells whether the claimant shows the secret that the address had until now.
 *
 * @param on - the case
 * @param claim - the claimant's claim
 * @returns true when the shown secret may replace the kept one
 */
export function provesPrevious(on: ReserveCase, claim: Claim): boolean {
  return on.previous !== undefined && prove(claim.record, on.request.claimant, on.previous) === 'proven';
}

/**
 * Finds why a retained address cannot go back to the one that left it. It comes back like any other claimant: by the zone as it is now, and
 * beside those that came since.
 *
 * @param on - the case
 * @param claim - the claimant's claim
 * @returns the refusal; undefined for a claim that may come back, and for one that is not retained
 */
export function returnProblem(on: ReserveCase, { record, holder }: Claim): Step | undefined {
  if (holder.state !== 'retained') return undefined;
  const zone = wishZone(on, record.address);
  if (!zone.ok) return { do: 'refuse', refusal: zone.refusal };
  const { request } = on;
  const terms = request.sharing ?? holder.sharing;
  const blockers = blockersOf({ owner: holder.owner, terms, stays: false }, othersOn({ record, holder }));
  return blockers.length === 0 ? undefined : blockedStep(on, record, blockers);
}

function changedTermsProblem({ request }: ReserveCase, claim: Claim): Step | undefined {
  const { record, holder } = claim;
  if (request.sharing === undefined || sameTerms(request.sharing, holder.sharing)) return undefined;
  const [blocker] = blockersOf(sharerOf(request, true), othersOn(claim));
  return blocker === undefined ? undefined : { do: 'refuse', refusal: unshareable(record, blocker) };
}

function isStoredOwner({ request }: ReserveCase, { state, owner }: Holder): boolean {
  if (request.as !== 'lease' || state !== 'bound' || owner.uid === undefined) return false;
  return owner.uid === request.claimant.serviceUid;
}

function writeOrKeep({ record, holder }: Claim, next: NewHolder, secret: SecretProof | undefined): Step {
  if (secret !== undefined) return { do: 'write', record, holderId: holder.id, holder: next, secret };
  if (sameContent(next, holder)) return { do: 'keep', claim: { record, holder } };
  return { do: 'write', record, holderId: holder.id, holder: next };
}

// It stays bound, since the change may be refused while the status still shows the address; a release makes it a lease, see `release-by-uid.ts`.
function leaseAnew({ leaseMs }: ReserveCase, { record, holder }: Claim): Step {
  const leased = changedHolder(holder, { expiry: { kind: 'after', ms: Math.min(leaseMs, MOST_ADMISSION_MS) } });
  return { do: 'write', record, holderId: holder.id, holder: leased };
}

function nextHolder(on: ReserveCase, { record, holder }: Claim, secret: SecretProof | undefined): NewHolder {
  const { options, sharing = holder.sharing, writtenKeys } = on.request;
  // a Service that is not stored may still be refused: it changes nothing of the stored one but its end
  if (isSuccessor(on, holder)) return changedHolder(holder, { expiry: renewed(on, holder.expiresAtMs) });
  const state = keptState(holder.state, on);
  const uid = ownerUid(on, holder);
  const key = keyUnder(holder.key, record.secret, secret);
  return changedHolder(holder, {
    owner: uid === undefined ? holder.owner : { ...holder.owner, uid },
    state,
    key,
    options,
    sharing,
    writtenKeys,
    // the present owner waits for no successor
    expiry: uid === holder.owner.uid ? keptExpiry(on, holder, state) : undefined,
  });
}

// An address that is owned at once is bound like one that a controller binds: to the object that the request names.
function ownerUid({ request: { as, claimant } }: ReserveCase, holder: Holder): string | undefined {
  return as === 'bound' ? (claimant.serviceUid ?? holder.owner.uid) : holder.owner.uid;
}

/**
 * Recognises a Service of the same name that is made while the old object's end is not yet seen; see `release-by-uid.ts`.
 *
 * @param on - the case
 * @param on.request - claimant and wish
 * @param holder - the claimant's holder
 * @returns true when the holder is bound to another object, and the claimant may still be refused
 */
export function isSuccessor({ request }: Pick<ReserveCase, 'request'>, holder: Holder): boolean {
  if (request.as !== 'lease' || holder.state !== 'bound' || holder.owner.uid === undefined) return false;
  return holder.owner.uid !== request.claimant.serviceUid;
}

function keptState(state: HolderState, { request }: ReserveCase): HolderState {
  return state === 'bound' || request.as === 'bound' ? 'bound' : 'reserved';
}

function keptExpiry(on: ReserveCase, holder: Holder, state: HolderState): Expiry | undefined {
  if (state === 'bound') return holder.state === 'bound' ? keptEnd(holder) : undefined;
  return holder.state === 'reserved' ? renewed(on, holder.expiresAtMs) : { kind: 'after', ms: on.leaseMs };
}

// Leaves a lease alone until half of it is over, so that repeated calls of one request write nothing.
function renewed({ nowMs, leaseMs }: ReserveCase, expiresAtMs: number | undefined): Expiry {
  const isLong = expiresAtMs !== undefined && expiresAtMs - nowMs >= leaseMs / 2;
  return isLong ? { kind: 'unchanged' } : { kind: 'after', ms: leaseMs };
}
