import { mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import { faultFields } from '../../errors/trace';
import type { ObjectFeed, RenewableFeed } from '../../ports/object-feed';
import type { Tools } from '../../ports/tools';
import { lookInTurn } from '../../ledger/records/others-first';
import { leaderTerm, workOf } from '../../runtime/leader-term';
import type { LeaderWork } from '../../runtime/leadership';
import type { VipKey, VipsController } from './controller/door-parts';

/** Keys that are worked on at once; as many as the record decides on together. */
const WORKERS = 32;

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
      {
        feed: groups,
        keysOf: ({ key: { name }, before, after }) => (isNews(before, after) ? [{ of: 'group', name }] : []),
      },
    ],
    textOf,
    groupOf: (key) => (key.of === 'service' ? key.namespace : ''),
    workers: WORKERS,
    resyncSeconds,
    ...workOf(controller),
    reconcile: lookInTurn((key) => controller.reconcile(key)),
    onCompareFailed: (thrown) => {
      tools.logger.warn('comparison of Services with the IPs failed and is tried again', faultFields(thrown));
    },
  });
}

// Own writes of the counters come back by the watch; each would bring the next about while Services come.
function isNews(before: JsonMap | undefined, after: JsonMap | undefined): boolean {
  return before === undefined || after === undefined || gistOf(before) !== gistOf(after);
}

function gistOf(group: JsonMap): string {
  const { uid, generation, deletionTimestamp, finalizers } = metadataOf(group);
  const { applied, conditions } = mapOf(group['status']);
  return JSON.stringify([uid, generation, deletionTimestamp, finalizers, applied, conditions]);
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
