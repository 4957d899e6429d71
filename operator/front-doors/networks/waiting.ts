import type { Prefix } from '../../addressing/prefix';
import { CATALOGUE } from '../../errors/catalogue';
import type { Refusal } from '../../errors/outcome';
import type { Meter } from '../../ports/meter';
import type { NetworkRefusal, WokenBy } from '../../rules/networks/types';
import { WaitingLine } from '../../runtime/waiting-line';
import type { NetworksKey, NetworksObjectKey } from './door-parts';

/** An object that waits in one NetworkInstance. */
export interface Waiter {
  readonly key: NetworksObjectKey;
  readonly createdMs: number;
  /** `namespace/name` of the instance, whether it exists or not; empty where the object names none. */
  readonly instance: string;
  /** Network on record; undefined while there is no instance. */
  readonly network: string | undefined;
  /** Mark from before it was looked at. */
  readonly since: number;
}

type Wants = Pick<Waiter, 'instance' | 'network'> & WokenBy;

/** Why an object waits, and for what; nothing but a change of its own where that is left out. */
type WaitsFor = Pick<Refusal, 'code'> & Partial<Pick<NetworkRefusal, 'wokenBy'>>;

const NOTHING: WokenBy = { parents: [], places: [], isByLabels: false, isByInstance: false };

/** Objects that wait, and the changes that wake them. */
export class Waiting {
  readonly #line: WaitingLine<NetworksKey, Wants>;

  /**
   * Starts without an object.
   *
   * @param meter - is told how many wait, by reason
   */
  constructor(meter: Pick<Meter, 'set'>) {
    this.#line = new WaitingLine({ meter, gauge: 'network_waiting' });
  }

  /**
   * Adds a listener.
   *
   * @param listener - is told each piece of work
   * @returns the function that takes it away
   */
  onWake(listener: (key: NetworksKey) => void): () => void {
    return this.#line.onWake(listener);
  }

  /**
   * Tells the listeners of work.
   *
   * @param key - what is to be looked at
   */
  wake(key: NetworksKey): void {
    this.#line.wake(key);
  }

  /**
   * Marks the time before an object is looked at.
   *
   * @returns the mark, for {@link park}
   */
  mark(): number {
    return this.#line.mark();
  }

  /**
   * Lets an object wait. What it was woken for goes to the next one.
   *
   * @param waiter - the object
   * @param refusal - why it waits
   */
  park({ key, createdMs, since, ...where }: Waiter, { code, wokenBy = NOTHING }: WaitsFor): void {
    const { reason } = CATALOGUE[code];
    this.#line.park(key.uid, { key, createdMs, wants: { ...where, ...wokenBy }, reason }, since);
  }

  /**
   * Takes an object out of the line.
   *
   * @param uid - of the object
   * @param hasTaken - true where it has what it was woken for
   */
  leave(uid: string, hasTaken: boolean): void {
    this.#line.leave(uid, hasTaken);
  }

  /**
   * Wakes those that a freed block helps: all that asked for it, and the oldest one that takes from around it.
   *
   * @param network - on record
   * @param block - free now
   */
  freed(network: string, block: Prefix): void {
    this.placeChanged(network, block);
    this.#line.offer((wants) => wants.network === network && wants.parents.some((each) => each.containsPrefix(block)));
  }

  /**
   * Wakes those that asked for a place of which something changed.
   *
   * @param network - on record
   * @param block - put, changed or removed
   */
  placeChanged(network: string, block: Prefix): void {
    this.#line.wakeWhere((wants) => wants.network === network && wants.places.some((each) => each.overlaps(block)));
  }

  /**
   * Wakes those that wait for prefixes, labels, exclusions or ranges of a network.
   *
   * @param network - on record
   */
  configured(network: string): void {
    this.#line.wakeWhere((wants) => wants.network === network && (wants.isByLabels || wants.parents.length > 0));
  }

  /**
   * Wakes those that wait for an instance, and all of it once it changed.
   *
   * @param instance - `namespace/name`
   */
  instanceChanged(instance: string): void {
    this.#line.wakeWhere((wants) => wants.instance === instance && wants.isByInstance);
  }

  /**
   * Wakes everything that waits in an instance.
   *
   * @param instance - `namespace/name`
   */
  wakeAll(instance: string): void {
    this.#line.wakeWhere((wants) => wants.instance === instance);
  }

  /** Forgets all: another process looks after them. */
  clear(): void {
    this.#line.clear();
  }
}
