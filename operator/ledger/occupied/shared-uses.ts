import type { Address } from '../../addressing/address';
import { MAX_PAGE } from '../../contract/ipam-api/v3/pieces';
import type { Zone } from '../../contract/zones';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { AddressBook, ContestRequest } from '../../ports/address-book';
import type { OccupiedAddresses } from '../../ports/occupied-addresses';
import type { Registry } from '../../ports/registry';
import type { ZoneSource } from '../../ports/zone-source';
import { zoneAround } from '../../rules/adoption';
import { unknownZone } from '../../rules/zone-limits';
import { ZoneShares, type RefusedUse, type UseChange, type UseLimits } from './zone-shares';
import { AddressTurns } from '../records/address-turns';
import { ownHolder } from '../records/claims';
import { placeKey } from '../../addressing/place';

/** Differences that are written side by side. */
const AT_ONCE = 64;

/** Most calls of one cluster that change its uses and have not ended: its operator makes one after the other. */
const MOST_CHANGING = 8;
/** Most contests of one cluster that have not ended: its operator works on some Services side by side. */
const MOST_CONTESTS = 64;

/** Limits of a call. */
export interface UseCall {
  readonly limits: UseLimits;
  /** Tells that the caller waits no more, so that nothing further is begun. */
  readonly isLate: () => boolean;
}

/** Limits of {@link SharedUses.settle}. */
export interface SettleCall extends Partial<Pick<UseCall, 'isLate'>> {
  /** Of each client that speaks for the cluster, at least one: what one of them may report stays. */
  readonly limits: readonly UseLimits[];
}

/** Parts of {@link SharedUses}. */
export interface SharedUsesParts {
  readonly uses: OccupiedAddresses;
  readonly book: Pick<AddressBook, 'contests'>;
  readonly registry: Pick<Registry, 'claim' | 'claims'>;
  readonly zones: ZoneSource;
}

/**
 * Addresses that several clusters show without a claim, each within its share of a zone, so that a broken or hostile one closes no zone
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

  /**
   * Lets what a cluster has on record in zones beyond its share count as avoided. A prefix that becomes a zone may hold more of it, since
   * more was room for outside of every zone, and a zone that is split or shrinks leaves less room than there was. So none of it closes a
   * zone for others; and none of it is taken off, since the cluster uses it as far as anything here can tell: the lowest addresses count in
   * full, the others are given out last.
   *
   * Without `isLate` the server itself asks, once at a time: that has its turn however many calls of the cluster wait.
   *
   * @param cluster - whose uses they are
   * @param call - limits of its clients, and the deadline
   * @returns those that have become avoided; or refusal `api/busy`, `store/deadline`
   */
  settle(cluster: string, call: SettleCall): Promise<Outcome<readonly RefusedUse[]>> {
    const { limits, isLate } = call;
    if (isLate === undefined)
      return this.#turns.run(cluster, () => this.#settleAll(cluster, { limits, isLate: () => false }));
    const line = { cluster, work: 'changes of what it shows', most: MOST_CHANGING };
    return this.#inLine(line, { isLate }, () => this.#settleAll(cluster, { limits, isLate }));
  }

  // What waits is kept in memory after its caller has gone, so little may wait, and it ends unread once the caller has gone.
  async #inLine<V>(
    { cluster, work, most }: { readonly cluster: string; readonly work: string; readonly most: number },
    { isLate }: Pick<UseCall, 'isLate'>,
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
    let shares: ZoneShares | undefined;
    for (const some of slices(shown)) {
      if (isLate()) return tooLate();
      // counted anew after what took room, since another process may write for the cluster as well
      if (shares === undefined || shares.hasTaken) shares = await this.#sharesFor(cluster, shown);
      const counted = shares;
      const problems = some.map((change) => counted.take(change, [limits], cluster));
      await this.#writeSome(
        cluster,
        some.filter((_each, index) => problems[index] === undefined),
      );
      refused.push(...problems.filter((each) => each !== undefined));
    }
    return accept(refused);
  }

  async #settleAll(cluster: string, { limits, isLate }: Required<SettleCall>): Promise<Outcome<readonly RefusedUse[]>> {
    const { zones } = this.#parts.zones.current();
    const found = await this.uses.list({ by: 'cluster', cluster });
    const closing = found.filter(({ network, address, weight }) => {
      return weight === 'occupied' && zoneAround(zones, network, address) !== undefined;
    });
    const shares = new ZoneShares(zones);
    await this.#addContested(shares, { cluster, places: closing });
    const beyond = closing.flatMap(({ network, address, source, weight }) => {
      const refused = shares.take({ network, address, use: { source, weight } }, limits, cluster);
      return refused === undefined ? [] : { refused, use: { source, weight: 'avoided' } as const };
    });
    for (const some of slices(beyond)) {
      if (isLate()) return tooLate();
      await this.#writeSome(
        cluster,
        some.map(({ refused: { network, address }, use }) => ({ network, address, use })),
      );
    }
    return accept(beyond.map(({ refused }) => refused));
  }

  async #writeSome(cluster: string, changes: readonly UseChange[]): Promise<void> {
    await Promise.all(changes.map((change) => this.uses.write({ cluster, ...change })));
  }

  async #sharesFor(cluster: string, changes: readonly UseChange[]): Promise<ZoneShares> {
    const shares = new ZoneShares(this.#parts.zones.current().zones);
    for (const { network, address, weight } of await this.uses.list({ by: 'cluster', cluster })) {
      shares.add({ network, address }, weight);
    }
    await this.#addContested(shares, { cluster, places: changes.filter(({ use }) => use?.weight === 'occupied') });
    return shares;
  }

  async #addContested(
    shares: ZoneShares,
    { cluster, places }: { readonly cluster: string; readonly places: readonly Omit<UseChange, 'use'>[] },
  ): Promise<void> {
    const { zones } = this.#parts.zones.current();
    const concerned = places.map(({ network, address }) => zoneAround(zones, network, address));
    for (const zone of new Set(concerned)) {
      if (zone === undefined) continue;
      for (const { address } of await this.#contested(cluster, zone)) {
        shares.addContested({ network: zone.network, address });
      }
    }
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
    const problem = shares.takeContested({ network, address, use }, [limits], cluster);
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

function slices<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, i) => all.slice(i * AT_ONCE, (i + 1) * AT_ONCE));
}

// The caller was answered by the deadline itself.
function tooLate(): Outcome<never> {
  return refuse('store/deadline', 'the deadline of the request ended before its turn came; ask again');
}

function outsideZone(zone: string, address: Address): Outcome<never> {
  const value = address.toString();
  return refuse('address/outside-zone', `address "${value}" is of no prefix of zone "${zone}"`, { value });
}
