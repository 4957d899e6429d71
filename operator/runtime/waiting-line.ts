import type { Meter, MetricName } from '../ports/meter';
import { ListenerSet } from './listener-set';
import { ReasonCounts } from './reason-counts';

/** An object in the line. */
export interface WaitingObject<K, W> {
  /** Piece of work that serves it. */
  readonly key: K;
  /** Time at which it was made: the oldest one is served first. */
  readonly createdMs: number;
  /** Changes that help it. */
  readonly wants: W;
  /** Label of the gauge, from a bounded set. */
  readonly reason: string;
  /** True: the next one in the line would wait for the same, so that it is not woken after this one. */
  readonly endsTurn?: boolean;
}

/** Something that was freed, offered to one object after another. */
interface Turn<W> {
  readonly fits: (wants: W) => boolean;
  readonly tried: Set<string>;
  /** True: there may be more of it after one has taken some. */
  readonly isMany: boolean;
}

/** A change as it was told, kept for objects that were looked at while it came. */
interface Told<K, W> {
  readonly fits: (wants: W, key: K) => boolean;
}

/** Changes that are kept; a look that takes longer than so many is repeated. */
const MOST_TOLD = 1_000;

interface Waiter<K, W> extends WaitingObject<K, W> {
  readonly turn: Turn<W> | undefined;
}

/** Objects that wait, and the changes that wake them. Waiting costs nothing: nothing polls. */
export class WaitingLine<K, W> {
  readonly #line = new Map<string, Waiter<K, W>>();
  readonly #listeners = new ListenerSet<K>();
  readonly #counts: ReasonCounts | undefined;
  #changes: Told<K, W>[] = [];
  #turns = 0;

  /**
   * Starts without an object.
   *
   * @param told - is told how many wait; without it they are counted nowhere
   * @param told.meter - where the number goes
   * @param told.gauge - with the one label `reason`
   */
  constructor(told?: { readonly meter: Pick<Meter, 'set'>; readonly gauge: MetricName }) {
    this.#counts = told === undefined ? undefined : new ReasonCounts(told);
  }

  /**
   * Adds a listener.
   *
   * @param listener - is told each piece of work
   * @returns the function that takes it away
   */
  onWake(listener: (key: K) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Tells the listeners of work.
   *
   * @param key - what is to be looked at
   */
  wake(key: K): void {
    this.#listeners.tell(key);
  }

  /**
   * Marks the time before an object is looked at, so that no change is missed that comes between the look and {@link add}.
   *
   * @returns the mark, for `park`
   */
  mark(): number {
    return this.#turns;
  }

  /**
   * Lets an object wait. What it was woken for goes to the next one. A change that came since the look wakes it at once.
   *
   * @param id - of the object
   * @param object - why it waits, and for what
   * @param since - mark from before the look; by default nothing came since
   */
  add(id: string, object: WaitingObject<K, W>, since = this.#turns): void {
    const before = this.#line.get(id);
    this.#line.set(id, { ...object, turn: undefined });
    this.#counts?.move(before?.reason, object.reason);
    if (before?.turn !== undefined && object.endsTurn !== true) this.#wakeNext(before.turn);
    if (this.#hasChanged(object, since)) this.wake(object.key);
  }

  /**
   * Takes an object out of the line.
   *
   * @param id - of the object
   * @param hasTaken - true where it has what it was woken for
   */
  leave(id: string, hasTaken: boolean): void {
    const before = this.#line.get(id);
    this.#line.delete(id);
    this.#counts?.move(before?.reason, undefined);
    if (before?.turn !== undefined && (!hasTaken || before.turn.isMany)) this.#wakeNext(before.turn);
  }

  /**
   * Lets the next object follow one that could not be worked on; it keeps its place in the line.
   *
   * @param id - of the object
   */
  passOn(id: string): void {
    const waiter = this.#line.get(id);
    if (waiter?.turn === undefined) return;
    this.#line.set(id, { ...waiter, turn: undefined });
    this.#wakeNext(waiter.turn);
  }

  /**
   * Lists what is waited for.
   *
   * @returns wants of each object
   */
  wants(): readonly W[] {
    return [...this.#line.values()].map(({ wants }) => wants);
  }

  /**
   * Offers something that is free now: the oldest object that it helps is woken, and the next one where that one does not take it.
   *
   * @param fits - tells whether it helps
   */
  offer(fits: (wants: W) => boolean): void {
    this.remember(fits);
    this.#wakeNext({ fits, tried: new Set(), isMany: false });
  }

  /**
   * Offers something of which there may be much: the oldest object that it helps is woken, and after each one the next, until one ends it.
   *
   * @param fits - tells whether it helps
   */
  begin(fits: (wants: W) => boolean): void {
    this.#wakeNext({ fits, tried: new Set(), isMany: true });
  }

  /**
   * Wakes every object that a change helps, the oldest first.
   *
   * @param fits - tells whether it helps
   */
  wakeWhere(fits: (wants: W, key: K) => boolean): void {
    this.remember(fits);
    const all = [...this.#line.values()].filter(({ wants, key }) => fits(wants, key));
    for (const { key } of all.sort((a, b) => a.createdMs - b.createdMs)) this.wake(key);
  }

  /** Forgets all: another process looks after them. */
  clear(): void {
    this.#line.clear();
    this.#counts?.clear();
  }

  /**
   * Keeps a change for objects that are looked at while it comes.
   *
   * @param fits - tells whether it helps
   */
  remember(fits: (wants: W, key: K) => boolean): void {
    this.#turns += 1;
    this.#changes.push({ fits });
    if (this.#changes.length > 2 * MOST_TOLD) this.#changes = this.#changes.slice(-MOST_TOLD);
  }

  #hasChanged({ wants, key }: WaitingObject<K, W>, since: number): boolean {
    const missed = this.#turns - since;
    if (missed > this.#changes.length) return true;
    return missed > 0 && this.#changes.slice(-missed).some(({ fits }) => fits(wants, key));
  }

  #wakeNext(turn: Turn<W>): void {
    let next: readonly [string, Waiter<K, W>] | undefined;
    for (const [id, waiter] of this.#line) {
      const isAsked = waiter.turn !== undefined || turn.tried.has(id);
      if (isAsked || !turn.fits(waiter.wants)) continue;
      if (next === undefined || waiter.createdMs < next[1].createdMs) next = [id, waiter];
    }
    if (next === undefined) return;
    const [id, waiter] = next;
    turn.tried.add(id);
    this.#line.set(id, { ...waiter, turn });
    this.wake(waiter.key);
  }
}
