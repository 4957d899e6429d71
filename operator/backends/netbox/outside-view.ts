import { randomUUID } from 'node:crypto';
import type { Address } from '../../addressing/address';
import { PrefixSetBuilder } from '../../addressing/prefix-set';
import { accept, type Outcome } from '../../errors/outcome';
import type { ClaimCounts, PoolSpace, PoolUsage } from '../../ports/claim-counts';
import type { Claims, Place, Previews, TakeRequest, Want } from '../../ports/claims';
import type { Clock } from '../../ports/clock';
import type { ForeignAnswer } from '../../ports/foreign-addresses';
import type { OutsideRow, OutsideRows } from '../../ports/outside-rows';
import type { Ensured, HostPrefixes } from './host-prefixes';
import { failed } from './netbox-answer';
import type { NetBoxZones } from './netbox-zones';
import { heldOutside, inRange, MOST_MS, MOST_TRIES, refuseFault, stillLeaving, triedInVain } from './outside-refusals';

/** Parts of {@link OutsideView}. */
export interface OutsideViewParts {
  readonly rows: OutsideRows;
  readonly hosts: Pick<HostPrefixes, 'inTheWay'>;
  readonly zones: NetBoxZones;
  readonly clock: Clock;
  /** Begins each mark of this installation. */
  readonly markPrefix: string;
}

interface PooledAddress {
  readonly network: string;
  readonly pool: string;
  readonly address: Address;
}

/** Reads of a store. */
type ReadStore = Pick<Claims, 'get'> & Pick<ClaimCounts, 'usage'>;

/** Obstacle to an address; `leaving`: the source still loses its former one. */
type InTheWay = Exclude<Ensured, { kind: 'there' }> | { readonly kind: 'leaving' };

/**
 * Reads of a store with NetBox beside it: they tell what a take would do, so NetBox is asked as a take asks it, and changed by
 * nothing. Safe for parallel calls.
 */
export class OutsideView {
  readonly #store: ReadStore;
  readonly #parts: OutsideViewParts;

  /**
   * Reads a store.
   *
   * @param store - the record of holders
   * @param parts - zones, rows, NetBox
   */
  constructor(store: ReadStore, parts: OutsideViewParts) {
    this.#store = store;
    this.#parts = parts;
  }

  /**
   * `peek` of the port, for a zone of NetBox.
   *
   * @param store - looks at what is on record here
   * @param request - what `take` would be asked
   * @returns the addresses that it would take or find, or its refusal
   */
  async peek(store: Previews, request: TakeRequest): Promise<Outcome<readonly Place[]>> {
    const places: Place[] = [];
    for (const want of request.wants) {
      const found = await this.#peekOne(store, request, want);
      if (!found.ok) return found;
      places.push({ network: request.network, address: found.value });
    }
    return accept(places);
  }

  async #peekOne(store: Previews, request: TakeRequest, want: Want): Promise<Outcome<Address>> {
    const { zones, clock } = this.#parts;
    const { network, pool } = request;
    const deadlineMs = clock.nowMs() + MOST_MS;
    let { space } = want;
    for (let tries = 0; tries < MOST_TRIES && clock.nowMs() < deadlineMs; tries++) {
      const found = await store.peek({ ...request, wants: [{ ...want, space: zones.freeIn(pool, space) }] });
      if (!found.ok) return found;
      const [place] = found.value;
      if (place === undefined) break;
      const { address } = place;
      if (await this.#isHeld(place)) return accept(address);
      const isNamed = want.address !== undefined;
      const met = await this.#inTheWay({ network, pool, address }, isNamed);
      if (met === undefined) return accept(address);
      if (met.kind === 'fault') return refuseFault(met.fault, pool);
      if (isNamed) return met.kind === 'leaving' ? stillLeaving(address) : heldOutside(address, met.words);
      space = space.subtract(new PrefixSetBuilder().add(address).build());
    }
    return triedInVain(pool);
  }

  /**
   * `usage` of the port: what others have in NetBox is counted beside what is on record here.
   *
   * @param spaces - what the zones may give
   * @returns the numbers; those of NetBox as of its newest reading, and what was met since
   */
  async usage(spaces: readonly PoolSpace[]): Promise<readonly PoolUsage[]> {
    const { zones } = this.#parts;
    const left = spaces.map((each) => {
      const space = zones.isOutside(each.pool) ? zones.freeIn(each.pool, each.space) : each.space;
      return space === each.space ? each : { ...each, space };
    });
    const tallies = await this.#store.usage(spaces);
    const changed = left.filter((each, index) => each !== spaces[index]);
    if (changed.length === 0) return tallies;
    const free = await this.#store.usage(changed);
    return tallies.map((tally) => {
      const lost = changed.find((each) => isSame(each, tally));
      const all = spaces.find((each) => isSame(each, tally));
      const others = free.find((each) => isSame(each, tally));
      if (lost === undefined || all === undefined || others === undefined) return tally;
      // what is ours all the same, as an address that NetBox gave to another owner later, is counted as ours
      const ours = BigInt(Math.max(0, tally.occupied - others.occupied));
      const foreign = all.space.count(tally.family) - lost.space.count(tally.family) - ours;
      return foreign > 0n ? { ...tally, foreign } : tally;
    });
  }

  /**
   * `foreignAt` of the port, for a zone of NetBox.
   *
   * @param place - an address without a holder here
   * @returns what NetBox says against it
   */
  async foreignAt(place: PooledAddress): Promise<ForeignAnswer | undefined> {
    const met = await this.#inTheWay(place, true);
    if (met === undefined) return undefined;
    if (met.kind === 'leaving')
      return { kind: 'unknown', words: 'NetBox still has it from its former use, which ends in a moment' };
    return met.kind === 'foreign'
      ? { kind: 'foreign', words: `NetBox ${met.words}` }
      : { kind: 'unknown', words: `NetBox ${met.fault.words}` };
  }

  // A holder keeps its address without a word of NetBox.
  async #isHeld(place: Place): Promise<boolean> {
    return (await this.#store.get(place))?.state === 'held';
  }

  async #inTheWay(place: PooledAddress, named: boolean): Promise<InTheWay | undefined> {
    const { zones, rows, hosts } = this.#parts;
    const { network, pool: zone, address } = place;
    const row = await rows.get(network, address);
    if (row?.state === 'leaving') return { kind: 'leaving' };
    if (row?.state === 'confirmed') return undefined;
    const container = zones.containerFor(zone, address);
    if (container === undefined)
      return { kind: 'fault', ...failed('refused', `has no container for address ${address.toString()}`) };
    const range = inRange(zones, zone, address);
    if (range !== undefined) return range;
    const met = await hosts.inTheWay({ address, zone, container, named, mark: this.#markOf(row) });
    if (met?.kind === 'foreign') zones.avoid(zone, met.block);
    return met;
  }

  #markOf(row: OutsideRow | undefined): string {
    return row?.mark ?? `${this.#parts.markPrefix}${randomUUID()}`;
  }
}

function isSame(
  a: Pick<PoolSpace, 'network' | 'pool' | 'family'>,
  b: Pick<PoolSpace, 'network' | 'pool' | 'family'>,
): boolean {
  return a.network === b.network && a.pool === b.pool && a.family === b.family;
}
