import { serviceIdentity } from '../../contract/service-identity';
import { IPAM } from '../../contract/group';
import type { Refusal } from '../../errors/outcome';
import type { ReserveRequest } from '../../ports/address-book';
import type { AddressRecord, Holder, Owner, SharingTerms } from '../../ports/claims';
import { samePlace } from '../../rules/secrets';
import { sharingProblem, type SharingProblem } from '../../rules/sharing';
import { ownerOf } from '../records/claims';
import { explain, labelOf, namesFor } from '../records/holder-words';
import { refused, type ReserveCase, type Step } from './reserve-case';

// MetalLB takes the address away from the first of two that change one after the other, so there is no way in place.
const APART_FIRST = `to change all of them, move one away first: give it another address by ${IPAM.addresses}, change each, then wish the shared address again`;

/** A holder beside which a Service cannot have an address, and why. */
export interface Blocker {
  readonly holder: Holder;
  readonly problem: SharingProblem;
}

/** A Service on an address, or one that wants to join there. */
export interface Sharing {
  readonly owner: Owner;
  /** Absent where its caller knows none of it. */
  readonly terms: SharingTerms | undefined;
  /**
   * True for one that has the address already. What is not on record of the others does not count against it then: they came together
   * before the record knew of terms, and each one writes its own as soon as its stored object is looked at.
   */
  readonly stays: boolean;
}

/**
 * Finds every holder of an address with which a Service cannot share it. Only present holders have a say: a retained holder
 * has a secret and nothing else, a contested one has nothing.
 *
 * @param sharing - the Service that wants to join or to stay, with its new terms
 * @param others - the other holders
 * @returns the holders that stand in the way; none when all of them may share
 */
export function blockersOf({ owner, terms, stays }: Sharing, others: readonly Holder[]): readonly Blocker[] {
  const candidate = { label: labelOf(owner), place: serviceIdentity(owner), terms };
  return others.filter(hasSay).flatMap((holder) => {
    if (stays && holder.sharing === undefined) return [];
    const there = { label: labelOf(holder.owner), place: serviceIdentity(holder.owner), terms: holder.sharing };
    const problem = sharingProblem(candidate, there);
    return problem === undefined ? [] : [{ holder, problem }];
  });
}

/**
 * Describes the claimant of an address as one that shares it.
 *
 * @param request - claimant, with its terms
 * @param stays - whether it has the address already
 * @returns owner and terms
 */
export function sharerOf({ claimant, sharing }: ReserveRequest, stays: boolean): Sharing {
  return { owner: ownerOf(claimant), terms: sharing, stays };
}

/**
 * Tells whether a holder decides about those that may join its address.
 *
 * @param holder - of an address
 * @returns true for one that is reserved or bound
 */
export function hasSay({ state }: Pick<Holder, 'state'>): boolean {
  return state === 'reserved' || state === 'bound';
}

/**
 * Says why a Service that has proven the secret cannot have an address now. Where all that stand in the way are of its own namespace,
 * that is a matter of time: the new one of two that replace each other is made first.
 *
 * @param on - the case
 * @param record - the wished address
 * @param blockers - holders that stand in the way, at least one
 * @returns refusal `address/in-use` where waiting helps, else `address/held` or `sharing/refused`
 */
export function blockedStep(on: ReserveCase, record: AddressRecord, blockers: readonly Blocker[]): Step {
  const { claimant, sharing, as, adopt } = on.request;
  const value = record.address.toString();
  const why = blockers[0]?.problem.text ?? '';
  const place = serviceIdentity(ownerOf(claimant));
  const isOurs = blockers.every(({ holder: { owner } }) => samePlace(serviceIdentity(owner), place));
  if (isOurs && as === 'lease' && adopt === undefined) {
    const then = 'a Service of this namespace, so this Service waits and has the address as soon as it is given up';
    return refused(
      'address/in-use',
      `address "${value}" ${explain(record, namesFor(on.request.claimant))}, ${then} (${why})`,
      { value },
    );
  }
  const code = sharing?.key === '' ? 'address/held' : 'sharing/refused';
  return refused(code, `address "${value}" ${explain(record, namesFor(on.request.claimant))}: ${why}`, { value });
}

/**
 * Refuses terms under which an address could not stay shared.
 *
 * @param record - the shared address
 * @param blocker - the holder with which it could not, and why
 * @returns refusal `sharing/refused`, with the way that leads there
 */
export function unshareable(record: AddressRecord, { problem: { rule, text } }: Blocker): Refusal {
  const value = record.address.toString();
  const way = rule === 'policy' || rule === 'selector' ? `; ${APART_FIRST}` : '';
  return { code: 'sharing/refused', message: `address "${value}" cannot stay shared: ${text}${way}`, value };
}
