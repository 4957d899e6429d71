import type { Family } from '../../addressing/address';
import type { Zone } from '../../contract/zones';
import type { Refusal } from '../../errors/outcome';
import type { AddressUse, OccupiedChange } from '../../ports/occupied-addresses';
import { zoneAround } from '../../rules/adoption';
import { placeKey } from '../../addressing/place';

/** Most addresses of one family of a zone that a cluster has on record, unless its client has a limit of its own. */
const MOST_IN_ZONE = 1_024;
/** Most addresses that no zone has: Nodes and other load balancers of a large cluster. */
const MOST_OUTSIDE = 16_384;

/** Limits of the client that speaks for a cluster. */
export interface UseLimits {
  /** Most addresses of one family of a zone; absent: half of them, `clusterQuota` or 1,024, whichever is least. */
  readonly occupiedQuota?: number;
  readonly clusterQuota?: number;
}

/** One difference of one cluster. */
export type UseChange = Omit<OccupiedChange, 'cluster'>;

/** A difference that is not on record, and why. */
export interface RefusedUse extends Pick<UseChange, 'network' | 'address'> {
  readonly refusal: Refusal;
  /** Zone whose share is used up; empty outside of every zone. */
  readonly zone: string;
}

/**
 * Addresses that a cluster has on record, by zone and family, and its room for more. An address that is in use and contested counts once for each
 * Service that contests. One caller at a time.
 */
export class ZoneShares {
  readonly #zones: readonly Zone[];
  readonly #counts = new Map<string, number>();
  readonly #known = new Map<string, AddressUse['weight']>();
  readonly #contested = new Set<string>();
  /** Tells whether something took room since the count. */
  hasTaken = false;

  /**
   * Counts nothing yet.
   *
   * @param zones - those that there are now
   */
  constructor(zones: readonly Zone[]) {
    this.#zones = zones;
  }

  /**
   * Counts a use that is on record.
   *
   * @param place - network and address
   * @param weight - how it counts
   */
  add(place: Pick<UseChange, 'network' | 'address'>, weight: AddressUse['weight']): void {
    const counts = !this.#isCounted(place, weight);
    this.#known.set(placeKey(place), weight);
    if (counts) this.#count(place, weight);
  }

  /**
   * Counts one Service that contests an address on record.
   *
   * @param place - network and address
   */
  addContested(place: Pick<UseChange, 'network' | 'address'>): void {
    const counts = !this.#isCovered(place);
    this.#contested.add(placeKey(place));
    if (counts) this.#count(place, 'occupied');
  }

  /**
   * Counts a use that is to be on record, where there is room. What is there already under the same weight takes no more.
   *
   * @param change - the use
   * @param limits - of the clients that speak for the cluster; the widest one counts
   * @param cluster - whose use it is
   * @returns why there is no room; undefined where it is counted
   */
  take(change: UseChange, limits: readonly UseLimits[], cluster: string): RefusedUse | undefined {
    const weight = change.use?.weight ?? 'occupied';
    if (this.#isCounted(change, weight)) return undefined;
    const problem = this.#problem(change, limits, cluster);
    if (problem !== undefined) return problem;
    this.add(change, weight);
    this.hasTaken = true;
    return undefined;
  }

  /**
   * Counts one more Service that contests an address, where there is room. Each one counts by itself, so that no number of them has room at
   * one address.
   *
   * @param change - the address
   * @param limits - of the clients that speak for the cluster; the widest one counts
   * @param cluster - whose Service it is
   * @returns why there is no room; undefined where it is counted
   */
  takeContested(change: UseChange, limits: readonly UseLimits[], cluster: string): RefusedUse | undefined {
    const problem = this.#isCovered(change) ? undefined : this.#problem(change, limits, cluster);
    if (problem === undefined) this.addContested(change);
    return problem;
  }

  #isCounted(place: Pick<UseChange, 'network' | 'address'>, weight: AddressUse['weight']): boolean {
    const key = placeKey(place);
    return this.#known.get(key) === weight || (weight === 'occupied' && this.#contested.has(key));
  }

  // The use of the first Service that contests is on record before its contest is.
  #isCovered(place: Pick<UseChange, 'network' | 'address'>): boolean {
    const key = placeKey(place);
    return this.#known.get(key) === 'occupied' && !this.#contested.has(key);
  }

  #problem(
    { network, address, use }: UseChange,
    limits: readonly UseLimits[],
    cluster: string,
  ): RefusedUse | undefined {
    const zone = zoneAround(this.#zones, network, address);
    const key = shareKey(zone, address.family, use?.weight ?? 'occupied');
    const most =
      zone === undefined ? MOST_OUTSIDE : Math.max(...limits.map((each) => mostIn(zone, address.family, each)));
    if ((this.#counts.get(key) ?? 0) < most) return undefined;
    const of = zone === undefined ? 'outside of every zone' : `of zone "${zone.name}"`;
    const value = address.toString();
    const message = `cluster "${cluster}" has ${most} addresses ${of} on record as in use or contested, which is the limit of its client (occupiedQuota), so "${value}" is not put on record`;
    return { network, address, zone: zone?.name ?? '', refusal: { code: 'cluster/quota', message, value } };
  }

  #count({ network, address }: Pick<UseChange, 'network' | 'address'>, weight: AddressUse['weight']): void {
    const key = shareKey(zoneAround(this.#zones, network, address), address.family, weight);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}

function mostIn(zone: Zone, family: Family, { occupiedQuota, clusterQuota = MOST_IN_ZONE }: UseLimits): number {
  if (occupiedQuota !== undefined) return occupiedQuota;
  const half = zone.space.count(family) / 2n;
  const share = half > BigInt(MOST_IN_ZONE) ? MOST_IN_ZONE : Math.max(1, Number(half));
  return Math.min(share, clusterQuota, MOST_IN_ZONE);
}

function shareKey(zone: Zone | undefined, family: Family, weight: AddressUse['weight']): string {
  return JSON.stringify(zone === undefined ? [weight] : [weight, zone.network, zone.name, family]);
}
