import type { Family } from '../../../addressing/address';
import type { Meter } from '../../../ports/meter';
import type { GroupCounts } from '../../../rules/vips/group-life';

/** Most groups with series of their own: any author of groups could make more of them than a monitoring system bears. */
const MOST_GROUPS = 256;
/** Label of all other groups together; no object can have this name. */
const OTHERS = '_other';

const STATES = ['allocated', 'quarantined', 'foreign', 'free'] as const;
type CountedState = (typeof STATES)[number];

/** Numbers about one group. */
export interface GroupNumbers {
  /** For each family that the group has addresses of. */
  readonly counts: ReadonlyMap<Family, Pick<GroupCounts, CountedState>>;
  /** Why it does not give what its spec says; absent where it does. */
  readonly unready?: string | undefined;
}

/** Gauges about the groups, as the process that leads sees them. They are exact up to 2^53, enough for a gauge. */
export class GroupGauges {
  readonly #meter: Meter;
  readonly #groups = new Map<string, GroupNumbers>();
  readonly #named = new Set<string>();

  /**
   * Starts without a group.
   *
   * @param meter - where the numbers go
   */
  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /**
   * Sets the gauges of a group.
   *
   * @param name - as the API server has it
   * @param numbers - as they are now
   */
  tell(name: string, numbers: GroupNumbers): void {
    const before = this.#groups.get(name);
    this.#groups.set(name, numbers);
    if (this.#named.size < MOST_GROUPS) this.#named.add(name);
    const isSameShape = before?.counts.size === numbers.counts.size && before.unready === numbers.unready;
    if (before === undefined || !isSameShape || !this.#named.has(name)) this.#tellAll();
    else this.#tellOne(name, numbers.counts);
  }

  /**
   * Takes the gauges of a group away.
   *
   * @param name - of a group that is gone
   */
  forget(name: string): void {
    if (!this.#groups.delete(name)) return;
    this.#named.delete(name);
    for (const other of this.#groups.keys()) if (this.#named.size < MOST_GROUPS) this.#named.add(other);
    this.#tellAll();
  }

  /** Takes all gauges away: another process leads. */
  clear(): void {
    this.#groups.clear();
    this.#named.clear();
    this.#tellAll();
  }

  #tellAll(): void {
    this.#meter.clear('vip_group_addresses');
    this.#meter.clear('vip_groups_unready');
    const others = new Map<Family, Record<CountedState, string>>();
    const unready = new Map<string, number>();
    for (const [name, { counts, unready: reason }] of this.#groups) {
      if (reason !== undefined) unready.set(reason, (unready.get(reason) ?? 0) + 1);
      if (this.#named.has(name)) this.#tellOne(name, counts);
      else for (const [family, count] of counts) others.set(family, sum(others.get(family), count));
    }
    this.#tellOne(OTHERS, others);
    for (const [reason, count] of unready) this.#meter.set('vip_groups_unready', count, { reason });
  }

  #tellOne(group: string, counts: GroupNumbers['counts']): void {
    for (const [family, count] of counts)
      for (const state of STATES)
        this.#meter.set('vip_group_addresses', Number(count[state]), { group, family: `ipv${String(family)}`, state });
  }
}

type Sum = Record<CountedState, string>;

function sum(before: Sum | undefined, more: Sum): Sum {
  const of = (state: keyof Sum): string => (BigInt(before?.[state] ?? 0) + BigInt(more[state])).toString();
  return { allocated: of('allocated'), quarantined: of('quarantined'), foreign: of('foreign'), free: of('free') };
}
