import { faultFields } from '../../../errors/trace';
import type { ServicesController } from './controller';
import type { LeaderWork } from '../../../runtime/leadership';
import { COMPARE_AGAIN_MS, leaderTerm, workOf } from '../../../runtime/leader-term';
import type { Logger } from '../../../ports/logger';
import type { ServiceFeed } from '../../../ports/service-feed';
import type { Tools } from '../../../ports/tools';

/** Services that are worked on at once: enough to fill the groups of the store, few enough for the API server. */
const WORKERS = 16;

/** Parts of the work on stored Services. */
export interface ServicesWorkParts extends Tools {
  readonly feed: ServiceFeed;
  readonly controller: ServicesController;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the controller of the Services door: the whole is compared first, then each change is worked on, and the whole again
 * from time to time.
 *
 * @param parts - feed, controller and tools
 * @returns the work of the leader
 */
export function servicesWork({ feed, controller, resyncSeconds, ...tools }: ServicesWorkParts): LeaderWork {
  return leaderTerm({
    ...tools,
    name: 'services',
    feeds: [{ feed, keysOf: ({ key }) => [key] }],
    textOf: ({ namespace, name, uid }) => `${namespace}/${name}/${uid}`,
    groupOf: ({ namespace }) => namespace,
    workers: WORKERS,
    resyncSeconds,
    ...workOf(controller),
    onCompareFailed: (thrown) => {
      reportFailed(tools.logger, thrown);
    },
  });
}

/**
 * Compares once at the start of a process that may not lead: like every other replica it gives nothing out before it has seen every
 * holder. Adopting twice is harmless, since the store gives an address to one holder only.
 *
 * @param parts - feed, controller and tools
 * @returns the function that ends it; it waits for a comparison that is under way
 */
export function compareAtStart({
  feed,
  controller,
  clock,
  logger,
}: Omit<ServicesWorkParts, 'resyncSeconds'>): () => Promise<void> {
  const state = { ended: false, cancel: (): void => undefined };
  const compare = async (): Promise<void> => {
    if (state.ended || controller.adopted()) return;
    try {
      await controller.compare();
    } catch (thrown) {
      reportFailed(logger, thrown);
      state.cancel = clock.after(COMPARE_AGAIN_MS, () => {
        running = compare();
      });
    }
  };
  let end: (synced: false) => void = () => undefined;
  const ended = new Promise<false>((resolve) => {
    end = resolve;
  });
  // the first list may never come; a feed that is closed before it has nothing to compare
  const whenSynced = (): Promise<boolean> =>
    Promise.race([
      ended,
      feed.whenSynced().then(
        () => true,
        () => false,
      ),
    ]);
  const compareIf = (synced: boolean): Promise<void> => (synced ? compare() : Promise.resolve());
  let running = whenSynced().then(compareIf);
  const stopResets = feed.onReset?.(() => {
    state.cancel();
    const synced = whenSynced();
    running = running.then(() => synced).then(compareIf);
  });
  return async () => {
    state.ended = true;
    end(false);
    stopResets?.();
    await running;
    state.cancel();
  };
}

function reportFailed(logger: Logger, thrown: unknown): void {
  logger.warn('comparison of Services with the record failed and is tried again', faultFields(thrown));
}
