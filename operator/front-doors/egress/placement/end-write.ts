import type { Written } from '../../../errors/after-write';
import type { LookAgain } from '../facts/door-parts';
import type { PlacementContext } from './placement-context';
import type { PlacementKey } from './placement-key';
import { DECIDE_AGAIN_MS } from '../../../runtime/decision-rounds';

/**
 * Writes to a dataplane, and wakes what waited for that, whether it succeeds or not.
 *
 * @param context - of the placement
 * @param key - whose work this is
 * @param write - to one dataplane
 * @returns when the key is to be looked at again by itself
 * @throws whatever the write throws
 */
export async function endWrite(
  context: PlacementContext,
  key: PlacementKey,
  write: () => Promise<Written>,
): Promise<LookAgain> {
  try {
    return (await write()) === 'changed' ? { requeueAfterMs: DECIDE_AGAIN_MS } : {};
  } finally {
    for (const each of context.waits.ended(key)) context.wake(each);
    context.changed();
  }
}
