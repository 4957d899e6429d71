import type { Family } from '../../../addressing/address';
import type { ObjectKey } from '../../../ports/object-feed';
import type { ServiceDecision, ServiceFacts, VipView } from '../../../rules/vips/types';
import type { VipsDoorParts } from './door-parts';
import type { GroupGauges } from './group-gauges';
import type { GroupFinalizers } from './group-finalizers';
import type { GroupTallies } from './group-tallies';
import type { GroupsView } from './groups-view';
import type { InUse } from './in-use';
import type { SharedKeys } from './shared-keys';
import type { VipService } from './vip-service';
import type { Waiting } from './waiting';
import type { WrittenStatuses } from './written-statuses';

/** Everything that the controller shares between pieces of its work. */
export interface VipsContext {
  readonly parts: VipsDoorParts;
  readonly groups: GroupsView;
  /** Finalizers of the groups. */
  readonly finalizers: GroupFinalizers;
  readonly gauges: GroupGauges;
  readonly tallies: GroupTallies;
  readonly shared: SharedKeys;
  readonly inUse: InUse;
  readonly waiting: Waiting;
  /** Writes of statuses that the watch has not told yet; `parts.shown` has them too. */
  readonly written: WrittenStatuses;
  /** Warnings that Services were told without a write to their status, by UID. */
  readonly warned: Map<string, { readonly key: ObjectKey; readonly message: string }>;
  /** Work of other doors that puts holders on record, done before anything is given. */
  readonly restorers: (() => Promise<void>)[];
  /** True once every existing holder is on record, in the term in which this process leads. */
  isGiving: boolean;
  /** Families of the cluster, the primary one first. */
  families: readonly Family[];
}

/** One Service, with what was decided about it. */
export interface Decided<D extends ServiceDecision> {
  readonly stored: VipService;
  readonly facts: ServiceFacts;
  readonly view: VipView;
  readonly decision: D;
  /** Mark of the waiting Services from before it was looked at. */
  readonly since: number;
}

/** Decision that serves a Service. */
export type Serve = ServiceDecision & { readonly act: 'serve' };

/** Decision that gives nothing. */
export type Leave = ServiceDecision & { readonly act: 'leave' };

/** How a piece of work ended: done, or to be decided once more since something else changed at the same time. */
export type Ended = 'done' | 'again';
