import { faultFields } from '../../errors/trace';
import { lookInTurn } from '../../ledger/records/others-first';
import { leaderTerm, workOf } from '../../runtime/leader-term';
import type { LeaderWork } from '../../runtime/leadership';
import { isNewsOfEgressIpam, isNewsOfNamespace, type EgressController } from './controller';
import type { EgressDoorParts, EgressKey } from './door-parts';

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
 * Runs the controller of the Egress door while this process leads.
 *
 * @param work - feeds, controller and tools
 * @returns the work of the leader
 */
export function egressWork({ parts, controller, resyncSeconds }: EgressWorkParts): LeaderWork {
  const { clock, logger, meter, egressIpams, namespaces } = parts;
  return leaderTerm<EgressKey>({
    ...{ clock, logger, meter },
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
