import type { Family } from '../../addressing/address';
import type { Meter } from '../../ports/meter';

/** Most series of each gauge: any author could make more objects than a monitoring system bears. */
const MOST_PREFIXES = 256;
const MOST_INSTANCES = 64;

/** Counts of one IPPrefix, as its status has them. */
interface PrefixCounts {
  readonly used: string;
  readonly free: string;
  readonly excluded: string;
}

/** One IPPrefix of the gauges. */
interface CountedPrefix {
  readonly instance: string;
  readonly prefix: string;
  readonly family: Family;
  readonly counts: PrefixCounts;
}

/** Gauges about prefixes and instances, as the process that leads sees them. They are exact up to 2^53, enough for a gauge. */
export class NetworkGauges {
  readonly #meter: Meter;
  readonly #prefixes = new Map<string, CountedPrefix>();
  readonly #instances = new Map<string, number>();

  /**
   * Starts without a number.
   *
   * @param meter - where the numbers go
   */
  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /**
   * Sets the gauges of an IPPrefix; those beyond the most that are told stay away.
   *
   * @param uid - of the object
   * @param counted - as it is now
   */
  tellPrefix(uid: string, counted: CountedPrefix): void {
    if (!this.#prefixes.has(uid) && this.#prefixes.size >= MOST_PREFIXES) return;
    const before = this.#prefixes.get(uid);
    this.#prefixes.set(uid, counted);
    if (before !== undefined && before.prefix !== counted.prefix) this.#tellPrefixes();
    else this.#set(counted);
  }

  /**
   * Sets the gauge of an instance.
   *
   * @param instance - `namespace/name`
   * @param entries - on record
   */
  tellInstance(instance: string, entries: number): void {
    if (!this.#instances.has(instance) && this.#instances.size >= MOST_INSTANCES) return;
    this.#instances.set(instance, entries);
    this.#meter.set('network_entries', entries, { instance });
  }

  /**
   * Takes the gauges of an object away.
   *
   * @param id - UID of an IPPrefix, or `namespace/name` of an instance
   */
  forget(id: string): void {
    if (this.#prefixes.delete(id)) this.#tellPrefixes();
    if (this.#instances.delete(id)) this.#tellInstances();
  }

  /** Takes all gauges away: another process leads. */
  clear(): void {
    this.#prefixes.clear();
    this.#instances.clear();
    this.#tellPrefixes();
    this.#tellInstances();
  }

  #tellPrefixes(): void {
    this.#meter.clear('network_prefix_addresses');
    for (const counted of this.#prefixes.values()) this.#set(counted);
  }

  #tellInstances(): void {
    this.#meter.clear('network_entries');
    for (const [instance, entries] of this.#instances) this.#meter.set('network_entries', entries, { instance });
  }

  #set({ instance, prefix, family, counts }: CountedPrefix): void {
    for (const state of ['used', 'free', 'excluded'] as const)
      this.#meter.set('network_prefix_addresses', Number(counts[state]), {
        instance,
        prefix,
        state,
        family: `ipv${String(family)}`,
      });
  }
}
