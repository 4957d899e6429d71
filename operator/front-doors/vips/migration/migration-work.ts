import { VIRTUAL_IP_STATES, type VirtualIpView } from '../../../contract/kinds/virtual-ip';
import { mapOf, type JsonMap } from '../../../contract/loose-json';
import { faultFields } from '../../../errors/trace';
import type { Claims } from '../../../ports/claims';
import type { ObjectFeed, ObjectKey, RenewableFeed } from '../../../ports/object-feed';
import type { Tools } from '../../../ports/tools';
import { leaderTerm } from '../../../runtime/leader-term';
import type { LeaderWork } from '../../../runtime/leadership';
import type { MigrationController } from './migration-controller';
import type { MigrationGauge } from './migration-gauge';
import type { VirtualIpIndex } from './virtual-ip-index';

/** VirtualIPs that are worked on at once: each one is a short pause of its Service. */
const WORKERS = 4;

type Feed = ObjectFeed & Partial<RenewableFeed>;

/** Parts of the work that migrates VirtualIPs. */
export interface MigrationWorkParts extends Tools {
  readonly virtualIpFeed: Feed;
  readonly services: Feed;
  readonly groups: Feed;
  readonly claims: Pick<Claims, 'watch'>;
  readonly virtualIps: VirtualIpIndex;
  readonly gauge: Pick<MigrationGauge, 'start' | 'end'>;
  readonly controller: Pick<MigrationController, 'reconcile' | 'lookBehind'>;
  /** Seconds between two looks at everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the migration while this process leads. Whatever a VirtualIP waits for wakes it: its Service, a group, the record.
 *
 * @param parts - feeds, controller and tools
 * @returns the work of the leader
 */
export function migrationWork(parts: MigrationWorkParts): LeaderWork {
  const { virtualIpFeed, services, groups, claims, virtualIps, controller, resyncSeconds, gauge, ...tools } = parts;
  return leaderTerm<ObjectKey>({
    ...tools,
    name: 'vips-migration',
    feeds: [
      { feed: virtualIpFeed, keysOf: ({ key, after }) => (after === undefined ? [] : [key]) },
      { feed: services, keysOf: ({ key }) => virtualIps.touching(key.namespace, key.name).filter(isOpen).map(keyOf) },
      {
        feed: groups,
        keysOf: ({ before, after }) =>
          appliedOf(before) === appliedOf(after) ? [] : virtualIps.all().filter(isOpen).map(keyOf),
      },
    ],
    textOf: ({ namespace, name, uid }) => `VirtualIP/${namespace}/${name}/${uid}`,
    groupOf: ({ namespace }) => namespace,
    workers: WORKERS,
    resyncSeconds,
    reconcile: (key) => controller.reconcile(key),
    compare: async () => {
      gauge.start();
      await controller.lookBehind();
      return virtualIps.all().filter(isOpen).map(keyOf);
    },
    onCompareFailed: (thrown) => {
      tools.logger.warn('VirtualIPs were not listed, which is tried again', faultFields(thrown));
    },
    onEnded: () => {
      gauge.end();
    },
    onWake: (listener) =>
      claims.watch(({ address }) => {
        for (const each of virtualIps.at(address).filter(isOpen)) listener(keyOf(each));
      }),
  });
}

// A group gives from what its status says, and its counters change all the time.
const appliedOf = (group: JsonMap | undefined): string =>
  JSON.stringify(mapOf(group?.['status'])['applied'] ?? group?.['metadata'] === undefined);

const isOpen = ({ order, state, isDying, finalizers }: VirtualIpView): boolean =>
  isDying || (order !== 'none' && (state !== VIRTUAL_IP_STATES.migrated || finalizers.length > 0));

const keyOf = ({ namespace, name, uid }: VirtualIpView): ObjectKey => ({ namespace, name, uid });
