import { isIn, type Address } from '../../../addressing/address';
import type { Meter } from '../../../ports/meter';
import type { ObjectKey } from '../../../ports/object-feed';
import type { VipRefusal } from '../../../rules/vips/types';
import { WaitingLine } from '../../../runtime/waiting-line';
import type { VipKey } from './door-parts';

/** Services that wait, and the changes that wake them. */
export class Waiting {
  readonly #line: WaitingLine<VipKey, readonly VipRefusal[]>;

  /**
   * Starts without a Service.
   *
   * @param meter - is told how many wait, by the first reason of each
   */
  constructor(meter: Pick<Meter, 'set'>) {
    this.#line = new WaitingLine({ meter, gauge: 'vip_services_waiting' });
  }

  /**
   * Adds a listener.
   *
   * @param listener - is told each piece of work
   * @returns the function that takes it away
   */
  onWake(listener: (key: VipKey) => void): () => void {
    return this.#line.onWake(listener);
  }

  /**
   * Tells the listeners of work.
   *
   * @param key - what is to be looked at
   */
  wake(key: VipKey): void {
    this.#line.wake(key);
  }

  /**
   * Marks the time before a Service is looked at.
   *
   * @returns the mark, for {@link park}
   */
  mark(): number {
    return this.#line.mark();
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
    this.#line.park(key.uid, { key: work, createdMs, wants: refusals, reason: first.reason }, since);
  }

  /**
   * Takes a Service out of the line.
   *
   * @param uid - of the Service
   * @param hasTaken - true where it has what it was woken for
   */
  leave(uid: string, hasTaken: boolean): void {
    this.#line.leave(uid, hasTaken);
  }

  /**
   * Wakes those that a free address helps: all that asked for it, and the oldest one that takes any of its groups.
   *
   * @param address - free now
   * @param groups - of the address
   */
  freed(address: Address, groups: readonly string[]): void {
    this.#line.wakeWhere((refusals) => refusals.some(({ wokenBy }) => isIn(address, wokenBy.addresses)));
    for (const group of groups) this.#line.offer((refusals) => takesFrom(refusals, group));
  }

  /**
   * Wakes all: groups, other doors or labels changed.
   *
   * @param namespace - those of this namespace alone
   */
  wakeAll(namespace?: string): void {
    this.#line.wakeWhere(
      (_wants, key) => namespace === undefined || (key.of === 'service' && key.namespace === namespace),
    );
  }

  /** Forgets all: another process looks after them. */
  clear(): void {
    this.#line.clear();
  }
}

// One that asked for an address is woken by that address alone.
const takesFrom = (refusals: readonly VipRefusal[], group: string): boolean =>
  refusals.some(({ wokenBy }) => wokenBy.addresses.length === 0 && wokenBy.groups.includes(group));
