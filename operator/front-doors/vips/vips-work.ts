import { faultFields } from '../../errors/trace';
import type { ObjectFeed, RenewableFeed } from '../../ports/object-feed';
import type { Tools } from '../../ports/tools';
import { leaderTerm } from '../../runtime/leader-term';
import type { LeaderWork } from '../../runtime/leadership';
import type { VipKey, VipsController } from './controller/door-parts';

/** Keys that are worked on at once. */
const WORKERS = 16;

/** Parts of the work of the VIPs door. */
export interface VipsWorkParts extends Tools {
  readonly services: ObjectFeed & Partial<RenewableFeed>;
  readonly groups: ObjectFeed & Partial<RenewableFeed>;
  readonly controller: VipsController;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the controller of the VIPs door: everything is compared first, then each change is worked on, and everything again from time to
 * time.
 *
 * @param parts - feeds, controller and tools
 * @returns the work of the leader
 */
export function vipsWork({ services, groups, controller, resyncSeconds, ...tools }: VipsWorkParts): LeaderWork {
  return leaderTerm<VipKey>({
    ...tools,
    name: 'vips',
    feeds: [
      { feed: services, keysOf: ({ key }) => [{ of: 'service', ...key }] },
      { feed: groups, keysOf: ({ key: { name } }) => [{ of: 'group', name }] },
    ],
    textOf,
    groupOf: (key) => (key.of === 'service' ? key.namespace : ''),
    workers: WORKERS,
    resyncSeconds,
    reconcile: (key) => controller.reconcile(key),
    compare: () => controller.compare(),
    onCompareFailed: (thrown) => {
      tools.logger.warn('comparison of Services with the IPs failed and is tried again', faultFields(thrown));
    },
    onWake: (listener) => controller.onWake(listener),
    onEnded: () => {
      controller.rest();
    },
  });
}

function textOf(key: VipKey): string {
  switch (key.of) {
    case 'service':
      return `${key.namespace}/${key.name}/${key.uid}`;
    case 'group':
      return `IPGroup/${key.name}`;
    case 'orphan':
      return `IP/${key.address.toString()}`;
  }
}
