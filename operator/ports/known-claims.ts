import type { PrefixSet } from '../addressing/prefix-set';
import type { AddressRecord, ClaimQuery, Place } from './claims';

/**
 * The claims as this process knows them now: own writes at once, those of others as the watch tells. Never decides a take; a claim
 * whose quarantine is over may still be told. Synchronous, and safe at any time.
 */
export interface KnownClaims {
  /** Finds the claim of exactly this space. */
  at(place: Place): AddressRecord | undefined;
  /** Finds what a query asks for, the lowest address first. O(result). */
  find(query: Exclude<ClaimQuery, { by: 'expired' }>): readonly AddressRecord[];
  /** Finds what lies in a space, the lowest address first. O(result and ranges of the space). */
  within(network: string, space: PrefixSet): readonly AddressRecord[];
}
