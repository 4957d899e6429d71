import type { AddressRecord, Place } from '../../ports/claims';
import type { KnownClaims } from '../../ports/known-claims';
import type { ClaimIndex } from './claim-index';
import { byAddress } from '../../addressing/place';

/**
 * Shows an index to a door.
 *
 * @param index - is filled and kept up to date by its owner
 * @param nameOf - names the object of a space
 * @returns the claims as they are known
 */
export function knownClaims(index: ClaimIndex, nameOf: (place: Place) => string): KnownClaims {
  return {
    at: (place) => {
      const record = index.at(nameOf(place))?.record;
      return record?.network === place.network ? record : undefined;
    },
    find: (query) => index.find(query, 0),
    within: (network, space) => {
      const found = new Set<AddressRecord>();
      for (const block of space.prefixes())
        for (const { record } of index.overlapping(network, block)) found.add(record);
      return [...found].sort(byAddress);
    },
  };
}
