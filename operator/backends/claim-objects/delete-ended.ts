import { MAX_WRITES } from '../../contract/kinds/address-table';
import { term } from './claim-index';
import type { ClaimVerb } from './claim-verb';
import type { ClaimView } from './claim-view';
import { over } from './claim-write';

/**
 * Tells whether a stored claim is a quarantine that is over.
 *
 * @param view - the claims
 * @param name - of its object
 * @returns true for one that holds its space no longer
 */
export function isEnded(view: ClaimView, name: string): boolean {
  const record = view.stored(name)?.record;
  return record?.quarantine !== undefined && !view.isLive(record);
}

/**
 * Makes the verb that deletes quarantines that are over. They hold no space, but each one that a larger prefix covers has to be deleted
 * before that is taken, and nothing else deletes them.
 *
 * @param network - of the claims
 * @returns decides as many deletes as one decision can hold; answers whether more are left
 */
export function deleteEndedVerb(network: string): ClaimVerb<boolean> {
  return {
    decide: (view) => {
      const names = view.all(term.quarantined(network)).map((record) => view.nameOf(record));
      const ended = names.filter((name) => view.deciding(name) === undefined && isEnded(view, name));
      if (ended.length === 0) return { as: 'answer', value: false };
      const writes = ended.slice(0, MAX_WRITES).map((name) => ({ name, ...over(view.stored(name)) }));
      return { as: 'writes', writes, answer: () => ended.length > writes.length };
    },
  };
}
