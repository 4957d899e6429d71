import { faultFields } from '../../errors/trace';
import { lookInTurn } from '../../ledger/records/others-first';
import { leaderTerm, workOf } from '../../runtime/leader-term';
import { together, type LeaderWork } from '../../runtime/leadership';
import type { EgressController } from './controller';
import type { EgressDoorParts, EgressKey } from './facts/door-parts';
import { isNewsOfEgressIpam, isNewsOfNamespace } from './facts/news';
import { placementWork } from './placement';

/** Keys that are worked on at once. They begin in their order, which is that in which addresses are given. */
const WORKERS = 16;

/** Parts of the work of the leader. */
export interface EgressWorkParts {
  readonly parts: EgressDoorParts;
  readonly controller: EgressController;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the controllers of the Egress door while this process leads: one gives addresses to namespaces, one puts them on nodes.
 *
 * @param work - feeds, controller and tools
 * @returns the work of the leader
 */
export function egressWork(work: EgressWorkParts): LeaderWork {
  return together(placementWork({ ...work, controller: work.controller.placement }), allocationWork(work));
}

function allocationWork({ parts, controller, resyncSeconds }: EgressWorkParts): LeaderWork {
  const { clock, logger, meter, egressIpams, namespaces } = parts;
  return leaderTerm<EgressKey>({
    clock,
    logger,
    meter,
    name: 'egress',
    feeds: [
      {
        feed: egressIpams,
        keysOf: (change) => (isNewsOfEgressIpam(change) ? [{ of: 'egressIpam', name: change.key.name }] : []),
      },
      {
        feed: namespaces,
        keysOf: (change) => (isNewsOfNamespace(change) ? [{ of: 'namespace', name: change.key.name }] : []),
      },
    ],
    textOf: ({ of, name }) => `${of}/${name}`,
    workers: WORKERS,
    resyncSeconds,
    ...workOf(controller),
    reconcile: lookInTurn((key) => controller.reconcile(key)),
    onCompareFailed: (thrown) => {
      logger.warn('comparison of namespaces with the record failed and is tried again', faultFields(thrown));
    },
  });
}
