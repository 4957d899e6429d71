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
export class Waiting extends WaitingLine<NetworksKey, Wants> {
  /**
   * Starts without an object.
   *
   * @param meter - is told how many wait, by reason
   */
  constructor(meter: Pick<Meter, 'set'>) {
    super({ meter, gauge: 'network_waiting' });
  }

  /**
   * Lets an object wait. What it was woken for goes to the next one.
   *
   * @param waiter - the object
   * @param refusal - why it waits
   */
  park({ key, createdMs, since, ...where }: Waiter, { code, wokenBy = NOTHING }: WaitsFor): void {
    const { reason } = CATALOGUE[code];
    this.add(key.uid, { key, createdMs, wants: { ...where, ...wokenBy }, reason }, since);
  }

  /**
   * Wakes those that a freed block helps: all that asked for it, and the oldest one that takes from around it.
   *
   * @param network - on record
   * @param block - free now
   */
  freed(network: string, block: Prefix): void {
    this.placeChanged(network, block);
    this.offer((wants) => wants.network === network && wants.parents.some((each) => each.containsPrefix(block)));
  }

  /**
   * Wakes those that asked for a place of which something changed.
   *
   * @param network - on record
   * @param block - put, changed or removed
   */
  placeChanged(network: string, block: Prefix): void {
    this.wakeWhere((wants) => wants.network === network && wants.places.some((each) => each.overlaps(block)));
  }

  /**
   * Wakes those that wait for prefixes, labels, exclusions or ranges of a network.
   *
   * @param network - on record
   */
  configured(network: string): void {
    this.wakeWhere((wants) => wants.network === network && (wants.isByLabels || wants.parents.length > 0));
  }

  /**
   * Wakes those that wait for an instance, and all of it once it changed.
   *
   * @param instance - `namespace/name`
   */
  instanceChanged(instance: string): void {
    this.wakeWhere((wants) => wants.instance === instance && wants.isByInstance);
  }

  /**
   * Wakes everything that waits in an instance.
   *
   * @param instance - `namespace/name`
   */
  wakeAll(instance: string): void {
    this.wakeWhere((wants) => wants.instance === instance);
  }
}
