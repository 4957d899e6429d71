import { isClusterPaused, readAddressClaim } from '../../contract/cluster-api';
import { faultFields } from '../../errors/trace';
import type { ObjectChange } from '../../ports/object-feed';
import { leaderTerm, workOf } from '../../runtime/leader-term';
import type { LeaderWork } from '../../runtime/leadership';
import { claimKeyText, type ClusterApiController } from './controller';
import type { ClaimKey, ClusterApiParts } from './door-parts';

/** Claims that are worked on at once; each one is about five writes. */
const WORKERS = 8;

/** Parts of the work of the leader. */
export interface ClusterApiWorkParts {
  readonly parts: ClusterApiParts;
  readonly controller: ClusterApiController;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the controller of address claims while this process leads.
 *
 * @param work - feeds, controller and tools
 * @returns the work of the leader
 */
export function clusterApiWork({ parts, controller, resyncSeconds }: ClusterApiWorkParts): LeaderWork {
  const { claims, addresses, clusters, clock, logger, meter } = parts;
  const claimOf = ({ key: { namespace, name } }: ObjectChange): readonly ClaimKey[] => {
    const claim = readAddressClaim(claims.get(namespace, name));
    return claim === undefined ? [] : [{ namespace, name, uid: claim.uid }];
  };
  const ofCluster = {
    keysOf: ({ key, before, after }: ObjectChange) =>
      isPaused(before) === isPaused(after) ? [] : controller.claimsOf(key),
  };
  return leaderTerm<ClaimKey>({
    clock,
    logger,
    meter,
    name: 'cluster-api',
    feeds: [
      { feed: claims, keysOf: ({ key }) => [key] },
      { feed: addresses, keysOf: claimOf },
      ...(clusters === undefined ? [] : [{ feed: clusters, ...ofCluster }]),
    ],
    textOf: claimKeyText,
    groupOf: ({ namespace }) => namespace,
    workers: WORKERS,
    resyncSeconds,
    ...workOf(controller),
    onCompareFailed: (thrown) => {
      logger.warn('comparison of address claims with the record failed and is tried again', faultFields(thrown));
    },
  });
}

const isPaused = (cluster: ObjectChange['after']): boolean | undefined =>
  cluster === undefined ? undefined : isClusterPaused(cluster);
