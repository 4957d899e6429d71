import { metadataOf, type JsonMap } from '../../contract/loose-json';
import { statusIn } from '../../contract/stored-status';
import { faultFields } from '../../errors/trace';
import { lookInTurn } from '../../ledger/records/others-first';
import type { ObjectChange } from '../../ports/object-feed';
import { leaderTerm, workOf } from '../../runtime/leader-term';
import type { LeaderWork } from '../../runtime/leadership';
import type { NetworksController } from './controller';
import type { NetworksDoorParts, NetworksKey, ObjectWork } from './door-parts';
import { feedOf, gistOf, hasFinalizer } from './objects';

/** Keys that are worked on at once; twice as many as the record decides on together. */
const WORKERS = 64;

/** Parts of the work of the leader. */
export interface NetworksWorkParts {
  readonly parts: NetworksDoorParts;
  readonly controller: NetworksController;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the controller of the Networks door while this process leads.
 *
 * @param work - feeds, controller and tools
 * @returns the work of the leader
 */
export function networksWork({ parts, controller, resyncSeconds }: NetworksWorkParts): LeaderWork {
  const { clock, logger, meter } = parts;
  const feedsOf = (of: ObjectWork) => ({
    feed: feedOf(parts, of),
    keysOf: (change: ObjectChange): readonly NetworksKey[] => (isNews(change) ? [{ of, ...change.key }] : []),
  });
  return leaderTerm<NetworksKey>({
    clock,
    logger,
    meter,
    name: 'networks',
    feeds: [feedsOf('instance'), feedsOf('prefix'), feedsOf('allocation')],
    textOf: networksKeyText,
    groupOf: (key) => (key.of === 'orphan' ? key.network : key.namespace),
    workers: WORKERS,
    resyncSeconds,
    ...workOf(controller),
    reconcile: lookInTurn((key) => controller.reconcile(key)),
    onCompareFailed: (thrown) => {
      logger.warn('comparison of networks with the record failed and is tried again', faultFields(thrown));
    },
  });
}

// No other key has this text.
function networksKeyText(key: NetworksKey): string {
  if (key.of === 'orphan') return `entry ${key.network}/${key.block.toString()}`;
  return `${key.of}/${key.namespace}/${key.name}/${key.uid}`;
}

// Own writes come back by the watch: the finalizer, and a status that is about the newest spec.
function isNews({ before, after }: ObjectChange): boolean {
  if (before === undefined || after === undefined || gistOf(before) !== gistOf(after)) return true;
  if (hasFinalizer(before) && !hasFinalizer(after)) return true;
  return before['status'] !== after['status'] && !isSettled(after);
}

function isSettled(object: JsonMap): boolean {
  const { observedGeneration, conditions } = statusIn(object);
  return observedGeneration === metadataOf(object)['generation'] && Array.isArray(conditions) && conditions.length > 0;
}
