import { faultFields } from '../../../errors/trace';
import { lookInTurn } from '../../../ledger/records/others-first';
import { leaderTerm, workOf } from '../../../runtime/leader-term';
import type { LeaderWork } from '../../../runtime/leadership';
import type { EgressDoorParts } from '../facts/door-parts';
import { isNewsOfNamespace, isNewsOfEgressIpam } from '../facts/news';
import type { PlacementController } from './placement-controller';
import { keyText, type PlacementKey } from './placement-key';

/** Keys that are worked on at once; each waits for one answer of the API server at a time. */
const WORKERS = 16;
/** Longest pause before a failed move is tried again. */
const MOST_BACKOFF_MS = 30_000;

/** Parts of the work of the leader. */
export interface PlacementWorkParts {
  readonly parts: EgressDoorParts;
  readonly controller: PlacementController;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the placement of egress addresses while this process leads.
 *
 * @param work - feeds, controller and tools
 * @returns the work of the leader
 */
export function placementWork({ parts, controller, resyncSeconds }: PlacementWorkParts): LeaderWork {
  const { clock, logger, meter, egressIpams, namespaces, nodes } = parts;
  return leaderTerm<PlacementKey>({
    clock,
    logger,
    meter,
    name: 'egress-placement',
    feeds: [
      { feed: nodes, keysOf: (change) => controller.keysOfNode(change) },
      { feed: namespaces, keysOf: (change) => (isNewsOfNamespace(change) ? controller.keysOfNamespace(change) : []) },
      {
        feed: egressIpams,
        keysOf: (change) => (isNewsOfEgressIpam(change) ? controller.keysOfEgressIpam(change) : []),
      },
    ],
    textOf: keyText,
    workers: WORKERS,
    mostBackoffMs: MOST_BACKOFF_MS,
    resyncSeconds,
    ...workOf(controller),
    reconcile: lookInTurn((key) => controller.reconcile(key)),
    onCompareFailed: (thrown) => {
      logger.warn(
        'comparison of nodes with the placement of egress addresses failed and is tried again',
        faultFields(thrown),
      );
    },
  });
}
