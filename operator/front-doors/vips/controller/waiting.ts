import { isIn, type Address } from '../../../addressing/address';
import type { Meter } from '../../../ports/meter';
import type { ObjectKey } from '../../../ports/object-feed';
import type { VipRefusal } from '../../../rules/vips/types';
import { WaitingLine } from '../../../runtime/waiting-line';
import type { VipKey } from './door-parts';

/** Services that wait, and the changes that wake them. */
export class Waiting extends WaitingLine<VipKey, readonly VipRefusal[]> {
  /**
   * Starts without a Service.
   *
   * @param meter - is told how many wait, by the first reason of each
   */
  constructor(meter: Pick<Meter, 'set'>) {
    super({ meter, gauge: 'vip_services_waiting' });
  }

  /**
   * Lets a Service wait. What it was woken for goes to the next one. A change that came since the look wakes it at once.
   *
   * @param key - of the Service
   * @param refusals - why it waits
   * @param look - that refused it
   * @param look.createdMs - when the Service was made: the oldest one is served first
   * @param look.since - mark from before the look; by default nothing came since
   */
  park(key: ObjectKey, refusals: readonly VipRefusal[], look: { readonly createdMs: number; readonly since?: number }) {
    const [first] = refusals;
    if (first === undefined) return;
    const work = { of: 'service', ...key } as const;
    const { createdMs, since } = look;
    this.add(key.uid, { key: work, createdMs, wants: refusals, reason: first.reason }, since);
  }

  /**
   * Wakes those that a free address helps: all that asked for it, and the oldest one that takes any of its groups.
   *
   * @param address - free now
   * @param groups - of the address
   */
  freed(address: Address, groups: readonly string[]): void {
    this.wakeWhere((refusals) => refusals.some(({ wokenBy }) => isIn(address, wokenBy.addresses)));
    for (const group of groups) this.offer((refusals) => takesFrom(refusals, group));
  }

  /**
   * Wakes those that may share an address: one that has it, and its key, came or changed.
   *
   * @param keys - sharing keys of the holders
   */
  shared(keys: readonly string[]): void {
    if (keys.length === 0) return;
    this.wakeWhere((refusals) => refusals.some(({ wokenBy: { sharingKey = '' } }) => keys.includes(sharingKey)));
  }

  /**
   * Wakes all: groups, other doors or labels changed.
   *
   * @param namespace - those of this namespace alone
   */
  wakeAll(namespace?: string): void {
    this.wakeWhere((_wants, key) => namespace === undefined || (key.of === 'service' && key.namespace === namespace));
  }
}

// One that asked for an address is woken by that address alone.
const takesFrom = (refusals: readonly VipRefusal[], group: string): boolean =>
  refusals.some(({ wokenBy }) => wokenBy.addresses.length === 0 && wokenBy.groups.includes(group));
