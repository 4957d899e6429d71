import { refuse, type Outcome } from '../../errors/outcome';

/** Result of one attempt: it settled the request, or another write changed the record meanwhile. */
export type Attempt<V> = Outcome<V> | 'again';

/** Attempts before a caller is told to come back; each one fails only because another write changed the address. */
const MAX_ATTEMPTS = 16;

/**
 * Repeats load, decide, commit until the commit finds the record as it was loaded.
 *
 * @param attempt - one round; loads anew each time
 * @returns its outcome, or refusal `store/conflict` after {@link MAX_ATTEMPTS} rounds
 */
export async function untilSettled<V>(attempt: () => Promise<Attempt<V>>): Promise<Outcome<V>> {
  for (let round = 0; round < MAX_ATTEMPTS; round += 1) {
    const found = await attempt();
    if (found !== 'again') return found;
  }
  const message = `the record was changed by others ${MAX_ATTEMPTS} times in a row; try again`;
  return refuse('store/conflict', message, { retryAfterSeconds: 1 });
}

/**
 * Turns what the store said to a guarded write into the result of an attempt.
 *
 * @param outcome - answer of `bind` or `release`
 * @returns the outcome, or `again` when the record was changed or ended meanwhile
 */
export function orAgain<V>(outcome: Outcome<V>): Attempt<V> {
  if (outcome.ok) return outcome;
  const { code } = outcome.refusal;
  return code === 'store/conflict' || code === 'claim/not-found' ? 'again' : outcome;
}
