import type { Address } from '../../../addressing/address';
import { placeKey } from '../../../addressing/place';
import type { JsonMap } from '../../../contract/loose-json';
import type { ServiceView } from '../../../contract/service';
import { catalogueRow } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import type { Labels, Meter } from '../../../ports/meter';
import type { ServiceKey } from '../../../ports/service-feed';
import { ReasonedGauge } from './reasoned-gauge';

/** Addresses of a Service on record, as of the last look. */
export interface Have {
  readonly zone: string;
  readonly grants: readonly Grant[];
  readonly notes: readonly Refusal[];
  /** Why it would not get its addresses today. */
  readonly against: readonly Refusal[];
  /** Bound to it as well, but no longer named by it: kept until the new addresses are announced. */
  readonly old: readonly Address[];
}

/** How a Service is counted whose status lacks an address of its own. */
interface Unannounced {
  readonly zone: string;
  readonly reason: string;
}

/**
 * Why a contested address has no row of its own Service: the record keeps nothing of what is contested; the share of the cluster is used up;
 * or so many Services of the cluster contest the address that one more changes nothing.
 */
export type UnrecordedReason = 'lacking' | 'quota' | 'covered';

/** A contested address without a row, and when that was asked, milliseconds since 1970. */
interface Unrecorded {
  readonly why: UnrecordedReason;
  readonly atMs: number;
}

/** Memory of the controller of one Service; all of it can be found out again after a restart. */
export interface Known {
  readonly key: ServiceKey;
  /** Object of the feed on which there was nothing left to do. */
  settledOn?: JsonMap;
  /** The Service as it was last in order, with the keys that we wrote. */
  live?: ServiceView;
  have?: Have;
  /** True when the record or a Secret may have changed, so that an unchanged object needs a look all the same. */
  recheck: boolean;
  /** True once an address of ours was seen in its status. */
  wasAnnounced: boolean;
  /** Addresses that its status shows and the record does not grant, as far as they are on record. */
  contested: readonly Address[];
  /** Addresses of that kind that the record had no place for. */
  readonly unrecorded: Map<string, Unrecorded>;
  /** Since when its status lacks an address of its own, milliseconds since 1970; absent while it shows all of them. */
  hiddenSinceMs?: number;
  /** Since when nothing stands in the way any more of what was told to be unannounced, milliseconds since 1970. */
  clearSinceMs?: number;
  /** Reason that was told for addresses that its status lacks. */
  unannounced?: Unannounced;
  /** Since when its present addresses are written on it, milliseconds since 1970. */
  servedAtMs: number;
  /** When its condition was written last, and before when it is not written again. */
  statusWrittenAtMs: number;
  statusNotBeforeMs: number;
  /** Repairs of its keys in a row, and when the next one may be. */
  repairs: number;
  repairNotBeforeMs: number;
}

/** Memory of the controller, by UID. Nothing in it is needed for correctness but that writes stay rare. */
export class KnownServices {
  readonly #byUid = new Map<string, Known>();
  readonly #byAddress = new Map<string, string>();
  readonly #kept: ReasonedGauge;
  readonly #contested: ReasonedGauge;
  readonly #unannounced: ReasonedGauge;

  /**
   * Makes an empty memory.
   *
   * @param meter - where it counts Services that keep addresses which the zone would not give today, and those whose addresses nothing announces
   */
  constructor(meter: Meter) {
    this.#kept = new ReasonedGauge(meter, 'services_kept');
    this.#contested = new ReasonedGauge(meter, 'services_contested');
    this.#unannounced = new ReasonedGauge(meter, 'services_unannounced');
  }

  /**
   * Finds what is remembered.
   *
   * @param uid - of the Service
   * @returns the memory, undefined for one that was never looked at
   */
  find(uid: string): Known | undefined {
    return this.#byUid.get(uid);
  }

  /**
   * Finds or begins the memory of a Service.
   *
   * @param key - of the Service
   * @returns its memory
   */
  of(key: ServiceKey): Known {
    const found = this.#byUid.get(key.uid);
    if (found !== undefined) return found;
    const times = { servedAtMs: 0, statusWrittenAtMs: 0, statusNotBeforeMs: 0, repairs: 0, repairNotBeforeMs: 0 };
    const known: Known = { key, recheck: false, wasAnnounced: false, contested: [], unrecorded: new Map(), ...times };
    this.#byUid.set(key.uid, known);
    return known;
  }

  /**
   * Remembers what a Service has now.
   *
   * @param known - its memory
   * @param have - by the record; undefined when it waits
   */
  setHave(known: Known, have: Have | undefined): void {
    for (const grant of known.have?.grants ?? []) this.#byAddress.delete(placeKey(grant));
    this.#kept.move(keptLabels(known.have), keptLabels(have));
    if (have === undefined) {
      delete known.have;
      this.setUnannounced(known, undefined);
    } else known.have = have;
    for (const grant of have?.grants ?? []) this.#byAddress.set(placeKey(grant), known.key.uid);
  }

  /**
   * Remembers what a Service contests now.
   *
   * @param known - its memory
   * @param addresses - what its status shows, and the record does not grant
   */
  setContested(known: Known, addresses: readonly Address[]): void {
    this.#contested.move(contestedLabels(known.contested), contestedLabels(addresses));
    known.contested = addresses;
  }

  /**
   * Remembers what was told of addresses that the status of a Service lacks.
   *
   * @param known - its memory
   * @param told - zone and reason; undefined when it shows all that it has, or has nothing
   */
  setUnannounced(known: Known, told: Unannounced | undefined): void {
    this.#unannounced.move(known.unannounced && { ...known.unannounced }, told && { ...told });
    if (told === undefined) delete known.unannounced;
    else known.unannounced = told;
  }

  /**
   * Finds the users of an address.
   *
   * @param place - network and address
   * @returns the memory of the Service that was last seen with it
   */
  userOf(place: Pick<Grant, 'network' | 'address'>): Known | undefined {
    const uid = this.#byAddress.get(placeKey(place));
    return uid === undefined ? undefined : this.#byUid.get(uid);
  }

  /**
   * Forgets a Service.
   *
   * @param uid - of the Service
   */
  forget(uid: string): void {
    const known = this.#byUid.get(uid);
    if (known === undefined) return;
    this.setHave(known, undefined);
    this.setContested(known, []);
    this.setUnannounced(known, undefined);
    this.#byUid.delete(uid);
  }

  /** Forgets every Service. */
  forgetAll(): void {
    for (const uid of [...this.#byUid.keys()]) this.forget(uid);
  }

  /**
   * Lists everything.
   *
   * @returns the memories, in the order in which they began
   */
  all(): IterableIterator<Known> {
    return this.#byUid.values();
  }
}

function keptLabels(have: Have | undefined): Labels | undefined {
  const [first] = have?.against ?? [];
  return have === undefined || first === undefined
    ? undefined
    : { zone: have.zone, reason: catalogueRow(first.code).reason };
}

function contestedLabels(addresses: readonly Address[]): Labels | undefined {
  return addresses.length === 0 ? undefined : {};
}
