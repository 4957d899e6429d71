import { IpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import type { VersionedFeed } from '../../ports/object-feed';
import { versionNumber } from '../../contract/resource-version';

const LOOK_MS = 10;
const PATIENCE_MS = 10_000;

/**
 * Waits until a watch has told every change up to a version.
 *
 * @param feed - the watch
 * @param version - resource version of one of its objects
 * @param clock - for pauses
 * @throws IpamError `store/unavailable` when it is not so far within ten seconds
 */
export async function feedReached(feed: VersionedFeed, version: number, clock: Clock): Promise<void> {
  for (let left = PATIENCE_MS / LOOK_MS; left > 0; left -= 1) {
    const reached = feed.version();
    if (reached !== undefined && versionNumber(reached) >= version) return;
    await new Promise<void>((resolve) => {
      clock.after(LOOK_MS, resolve);
    });
  }
  throw new IpamError('store/unavailable', 'the watch of claims is behind the claims that were written last');
}
