import { isIn, type Address } from '../../../addressing/address';
import type { Meter } from '../../../ports/meter';
import type { ObjectKey } from '../../../ports/object-feed';
import type { VipRefusal } from '../../../rules/vips/types';
import { ListenerSet } from '../../../runtime/listener-set';
import type { VipKey } from './door-parts';

/** Something that was freed, offered to one Service after another until one takes it. */
interface Turn {
  readonly group: string;
  readonly tried: Set<string>;
}

interface Waiter {
  readonly key: ObjectKey;
  readonly refusals: readonly VipRefusal[];
  readonly createdMs: number;
  readonly turn: Turn | undefined;
}

/** Services that wait, and the changes that wake them. Waiting costs nothing: nothing polls. */
export class Waiting {
  readonly #line = new Map<string, Waiter>();
  readonly #listeners = new ListenerSet<VipKey>();
  readonly #meter: Pick<Meter, 'set'>;
  readonly #counts = new Map<string, number>();

  /**
   * Starts without a Service.
   *
   * @param meter - is told how many wait, by the first reason of each
   */
  constructor(meter: Pick<Meter, 'set'>) {
    this.#meter = meter;
  }

  /**
   * Adds a listener.
   *
   * @param listener - is told each piece of work
   * @returns the function that takes it away
   */
  onWake(listener: (key: VipKey) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Tells the listeners of work.
   *
   * @param key - what is to be looked at
   */
  wake(key: VipKey): void {
    this.#listeners.tell(key);
  }

  /**
   * Lets a Service wait. What it was woken for goes to the next one.
   *
   * @param key - of the Service
   * @param createdMs - when it was made: the oldest one is served first
   * @param refusals - why it waits
   */
  park(key: ObjectKey, createdMs: number, refusals: readonly VipRefusal[]): void {
    const before = this.#line.get(key.uid);
    const turn = before?.turn;
    this.#line.set(key.uid, { key, refusals, createdMs, turn: undefined });
    this.#move(before?.refusals, refusals);
    if (turn !== undefined) this.#wakeNext(turn);
  }

  /**
   * Takes a Service out of the line.
   *
   * @param uid - of the Service
   * @param hasTaken - true where it has what it was woken for
   */
  leave(uid: string, hasTaken: boolean): void {
    const before = this.#line.get(uid);
    const turn = before?.turn;
    this.#line.delete(uid);
    this.#move(before?.refusals, undefined);
    if (turn !== undefined && !hasTaken) this.#wakeNext(turn);
  }

  /**
   * Wakes those that a free address helps: all that asked for it, and the oldest one that takes any of its groups.
   *
   * @param address - free now
   * @param groups - of the address
   */
  freed(address: Address, groups: readonly string[]): void {
    const asking = [...this.#line.values()].filter(({ refusals }) =>
      refusals.some(({ wokenBy }) => isIn(address, wokenBy.addresses)),
    );
    for (const { key } of asking.sort(byAge)) this.wake({ of: 'service', ...key });
    for (const group of groups) this.#wakeNext({ group, tried: new Set() });
  }

  /**
   * Wakes all: groups, other doors or labels changed.
   *
   * @param namespace - those of this namespace alone
   */
  wakeAll(namespace?: string): void {
    const all = [...this.#line.values()].filter(({ key }) => namespace === undefined || key.namespace === namespace);
    for (const { key } of all.sort(byAge)) this.wake({ of: 'service', ...key });
  }

  /** Forgets all: another process looks after them. */
  clear(): void {
    this.#line.clear();
    for (const reason of this.#counts.keys()) this.#meter.set('vip_services_waiting', 0, { reason });
    this.#counts.clear();
  }

  // A reason once used is told as 0 when no Service waits for it any more.
  #move(before: readonly VipRefusal[] | undefined, after: readonly VipRefusal[] | undefined): void {
    const [from, to] = [before?.[0]?.reason, after?.[0]?.reason];
    if (from === to) return;
    if (from !== undefined) this.#add(from, -1);
    if (to !== undefined) this.#add(to, 1);
  }

  #add(reason: string, by: number): void {
    const count = (this.#counts.get(reason) ?? 0) + by;
    this.#counts.set(reason, count);
    this.#meter.set('vip_services_waiting', count, { reason });
  }

  #wakeNext(turn: Turn): void {
    let next: Waiter | undefined;
    for (const waiter of this.#line.values()) {
      const isAsked = waiter.turn !== undefined || turn.tried.has(waiter.key.uid);
      if (isAsked || !takesFrom(waiter, turn.group)) continue;
      if (next === undefined || waiter.createdMs < next.createdMs) next = waiter;
    }
    if (next === undefined) return;
    turn.tried.add(next.key.uid);
    this.#line.set(next.key.uid, { ...next, turn });
    this.wake({ of: 'service', ...next.key });
  }
}

const byAge = (a: Waiter, b: Waiter): number => a.createdMs - b.createdMs;

// One that asked for an address is woken by that address alone.
function takesFrom({ refusals }: Waiter, group: string): boolean {
  return refusals.some(({ wokenBy }) => wokenBy.addresses.length === 0 && wokenBy.groups.includes(group));
}
