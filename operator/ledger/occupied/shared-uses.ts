import type { Address, Family } from '../../addressing/address';
import { MAX_PAGE } from '../../contract/ipam-api/v3/pieces';
import type { Zone } from '../../contract/zones';
import { accept, refuse, type Outcome, type Refusal } from '../../errors/outcome';
import type { AddressBook, ContestRequest } from '../../ports/address-book';
import type { AddressUse, OccupiedAddresses, OccupiedChange } from '../../ports/occupied-addresses';
import type { Registry } from '../../ports/registry';
import type { ZoneSource } from '../../ports/zone-source';
import { zoneAround } from '../../rules/adoption';
import { unknownZone } from '../../rules/zone-limits';
import { AddressTurns } from '../records/address-turns';
import { ownHolder } from '../records/claims';
import { placeKey } from '../../addressing/place';

/** Most addresses of one family of a zone that a cluster has on record, unless its client has a limit of its own. */
const MOST_IN_ZONE = 1_024;
/** Most addresses that no zone has: Nodes and other load balancers of a large cluster. */
const MOST_OUTSIDE = 16_384;
/** Differences that are written side by side. */
const AT_ONCE = 64;

/** Most calls of one cluster that change its uses and have not ended: its operator makes one after the other. */
const MOST_CHANGING = 8;
/** Most contests of one cluster that have not ended: its operator works on some Services side by side. */
const MOST_CONTESTS = 64;

/** Limits of the client that speaks for a cluster. */
export interface UseLimits {
  /** Most addresses of one family of a zone; absent: half of them, `clusterQuota` or 1,024, whichever is least. */
  readonly occupiedQuota?: number;
  readonly clusterQuota?: number;
}

/** What a call may do, and for how long. */
export interface UseCall {
  readonly limits: UseLimits;
  /** Tells that the caller waits no more, so that nothing further is begun. */
  readonly isLate: () => boolean;
}

/** What {@link SharedUses} works on. */
export interface SharedUsesParts {
  readonly uses: OccupiedAddresses;
  readonly book: Pick<AddressBook, 'contests'>;
  readonly registry: Pick<Registry, 'claim' | 'claims'>;
  readonly zones: ZoneSource;
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
 * What several clusters show without a claim, each within its share of a zone, so that one that is broken or hostile closes no zone
 * for the others.
 *
 * Safe for parallel calls: those of one cluster run one after the other, and few of them wait. Several processes over one record count by themselves, so
 * together they may write as many as {@link AT_ONCE} differences each beyond a share.
 */
export class SharedUses {
  readonly uses: OccupiedAddresses;
  readonly #parts: SharedUsesParts;
  readonly #turns = new AddressTurns();
  readonly #open = new Map<string, number>();

  /**
   * Works beside a ledger.
   *
   * @param parts - uses, contests, record, zones
   */
  constructor(parts: SharedUsesParts) {
    this.uses = parts.uses;
    this.#parts = parts;
  }

  /**
   * Finds where Services contest.
   *
   * @returns the verbs; undefined where the record has no place for it
   */
  get contests(): AddressBook['contests'] {
    return this.#parts.book.contests;
  }

  /**
   * Writes differences. What the cluster shows no more is taken off first.
   *
   * @param cluster - whose differences they are
   * @param changes - of several for one address the last one counts
   * @param call - limits of the client, and its deadline
   * @returns those that are not on record: refusal `cluster/quota`; or refusal `api/busy` where too many calls of the cluster wait, or
   *   `store/deadline`, where some may be written
   */
  write(cluster: string, changes: readonly UseChange[], call: UseCall): Promise<Outcome<readonly RefusedUse[]>> {
    const line = { cluster, work: 'changes of what it shows', most: MOST_CHANGING };
    return this.#inLine(line, call, () => this.#writeAll(cluster, changes, call));
  }

  /**
   * Notes what a stored Service shows although the record does not grant it; see `Contests.contest`.
   *
   * @param request - the Service and the address
   * @param call - limits of the client, and its deadline
   * @returns as `contest`; or refusal `cluster/quota`, `zone/unknown`, `address/outside-zone`, `api/busy`, `store/deadline`
   */
  contest(request: ContestRequest, call: UseCall): Promise<Outcome<boolean>> {
    const line = { cluster: request.claimant.service.clusterUid, work: 'contests', most: MOST_CONTESTS };
    return this.#inLine(line, call, () => this.#contestWithin(request, call.limits));
  }

  // What waits is kept in memory after its caller has gone, so little may wait, and it ends unread once the caller has gone.
  async #inLine<V>(
    { cluster, work, most }: { readonly cluster: string; readonly work: string; readonly most: number },
    { isLate }: UseCall,
    run: () => Promise<Outcome<V>>,
  ): Promise<Outcome<V>> {
    const key = JSON.stringify([cluster, work]);
    const open = this.#open.get(key) ?? 0;
    if (open >= most) {
      const message = `${most} ${work} of cluster "${cluster}" are under way; send this one again in a moment`;
      return refuse('api/busy', message, { value: cluster, retryAfterSeconds: 1 });
    }
    this.#open.set(key, open + 1);
    try {
      return await this.#turns.run(cluster, async () => (isLate() ? tooLate() : run()));
    } finally {
      const left = (this.#open.get(key) ?? 1) - 1;
      if (left === 0) this.#open.delete(key);
      else this.#open.set(key, left);
    }
  }

  async #writeAll(
    cluster: string,
    changes: readonly UseChange[],
    { limits, isLate }: UseCall,
  ): Promise<Outcome<readonly RefusedUse[]>> {
    const last = [...new Map(changes.map((each) => [placeKey(each), each])).values()];
    const shown = last.filter(({ use }) => use !== undefined);
    for (const some of slices(last.filter(({ use }) => use === undefined))) {
      if (isLate()) return tooLate();
      await this.#writeSome(cluster, some);
    }
    const refused: RefusedUse[] = [];
    let shares: Shares | undefined;
    for (const some of slices(shown)) {
      if (isLate()) return tooLate();
      // counted anew after what took room, since another process may write for the cluster as well
      if (shares === undefined || shares.hasTaken) shares = await this.#sharesFor(cluster, shown);
      const counted = shares;
      const problems = some.map((change) => counted.take(change, limits, cluster));
      await this.#writeSome(
        cluster,
        some.filter((_each, index) => problems[index] === undefined),
      );
      refused.push(...problems.filter((each) => each !== undefined));
    }
    return accept(refused);
  }

  async #writeSome(cluster: string, changes: readonly UseChange[]): Promise<void> {
    await Promise.all(changes.map((change) => this.uses.write({ cluster, ...change })));
  }

  async #sharesFor(cluster: string, changes: readonly UseChange[]): Promise<Shares> {
    const { zones } = this.#parts.zones.current();
    const shares = new Shares(zones);
    for (const { network, address, weight } of await this.uses.list({ by: 'cluster', cluster })) {
      shares.add({ network, address }, weight);
    }
    const concerned = changes
      .filter(({ use }) => use?.weight === 'occupied')
      .map(({ network, address }) => zoneAround(zones, network, address));
    for (const zone of new Set(concerned)) {
      if (zone === undefined) continue;
      for (const { address } of await this.#contested(cluster, zone)) {
        shares.addContested({ network: zone.network, address });
      }
    }
    return shares;
  }

  async #contestWithin(request: ContestRequest, limits: UseLimits): Promise<Outcome<boolean>> {
    const { contests } = this;
    const { zones, registry } = this.#parts;
    const { claimant, zone: name, address } = request;
    const catalogue = zones.current();
    const zone = catalogue.zone(name);
    if (contests === undefined || zone === undefined) return { ok: false, refusal: unknownZone(catalogue, name) };
    const { network } = zone;
    if (zoneAround(catalogue.zones, network, address) !== zone) return outsideZone(name, address);
    const { clusterUid: cluster } = claimant.service;
    const use = { source: '', weight: 'occupied' } as const;
    const shares = await this.#sharesFor(cluster, [{ network, address, use }]);
    const problem = shares.takeContested({ network, address, use }, limits, cluster);
    if (problem === undefined) return contests.contest(request);
    const record = await registry.claim(network, address);
    const noted = record?.holders.some(({ owner, state }) => {
      return state === 'contested' && owner.cluster === cluster && owner.uid === claimant.serviceUid;
    });
    const isKnown = noted === true || (record !== undefined && ownHolder(record, claimant) !== undefined);
    return isKnown ? contests.contest(request) : { ok: false, refusal: problem.refusal };
  }

  // One for each Service: several may contest one address.
  async #contested(clusterUid: string, { network, name: zone }: Zone): Promise<readonly { address: Address }[]> {
    const found: { address: Address }[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: Awaited<ReturnType<Registry['claims']>> = await this.#parts.registry.claims(
        { clusterUid, network, zone, state: 'contested' },
        { limit: MAX_PAGE, ...(after === '' ? {} : { after }) },
      );
      for (const { address, holders } of page.entries) {
        const own = holders.filter(({ owner, state }) => state === 'contested' && owner.cluster === clusterUid);
        found.push(...own.map(() => ({ address })));
      }
      after = page.next;
    }
    return found;
  }
}

/** What a cluster has on record, by zone and family. An address that is in use and contested counts once for each Service that contests. */
class Shares {
  readonly #zones: readonly Zone[];
  readonly #counts = new Map<string, number>();
  readonly #known = new Map<string, AddressUse['weight']>();
  readonly #contested = new Set<string>();
  /** Tells whether something took room since the count. */
  hasTaken = false;

  constructor(zones: readonly Zone[]) {
    this.#zones = zones;
  }

  add(place: Pick<UseChange, 'network' | 'address'>, weight: AddressUse['weight']): void {
    const counts = !this.#isCounted(place, weight);
    this.#known.set(placeKey(place), weight);
    if (counts) this.#count(place, weight);
  }

  addContested(place: Pick<UseChange, 'network' | 'address'>): void {
    const counts = !this.#isCovered(place);
    this.#contested.add(placeKey(place));
    if (counts) this.#count(place, 'occupied');
  }

  // What is there already under the same weight takes no more.
  take(change: UseChange, limits: UseLimits, cluster: string): RefusedUse | undefined {
    const weight = change.use?.weight ?? 'occupied';
    if (this.#isCounted(change, weight)) return undefined;
    const problem = this.#problem(change, limits, cluster);
    if (problem !== undefined) return problem;
    this.add(change, weight);
    this.hasTaken = true;
    return undefined;
  }

  // Each Service counts by itself, so that no number of them has room at one address.
  takeContested(change: UseChange, limits: UseLimits, cluster: string): RefusedUse | undefined {
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

  #problem({ network, address, use }: UseChange, limits: UseLimits, cluster: string): RefusedUse | undefined {
    const zone = zoneAround(this.#zones, network, address);
    const key = shareKey(zone, address.family, use?.weight ?? 'occupied');
    const most = zone === undefined ? MOST_OUTSIDE : mostIn(zone, address.family, limits);
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

function slices<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, i) => all.slice(i * AT_ONCE, (i + 1) * AT_ONCE));
}

// The caller was answered by the deadline itself.
function tooLate(): Outcome<never> {
  return refuse('store/deadline', 'the deadline of the request ended before its turn came; ask again');
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

function outsideZone(zone: string, address: Address): Outcome<never> {
  const value = address.toString();
  return refuse('address/outside-zone', `address "${value}" is of no prefix of zone "${zone}"`, { value });
}
