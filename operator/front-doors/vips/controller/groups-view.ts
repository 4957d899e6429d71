import { IP_NETWORK } from '../../../contract/paas';
import type { Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';
import { PrefixSet } from '../../../addressing/prefix-set';
import { strongerSpaces, type StrongerSpace } from '../../../ledger/occupied/stronger-spaces';
import { planGroups } from '../../../rules/vips';
import type { GroupPlan } from '../../../rules/vips/plan-groups';
import type { VipGroup } from '../../../rules/vips/types';
import type { VipsDoorParts } from './door-parts';
import { nameOfHolder } from './record';

/** The groups as this process knows them, planned once for many decisions. */
export class GroupsView {
  readonly #parts: Pick<VipsDoorParts, 'groups' | 'known' | 'strongerPools'>;
  #plans: readonly GroupPlan[] | undefined;
  /** True where a change is held back, which depends on what is held. */
  #dependsOnHolders = false;

  /**
   * Starts without a plan.
   *
   * @param parts - groups, record, pools of other doors
   */
  constructor(parts: Pick<VipsDoorParts, 'groups' | 'known' | 'strongerPools'>) {
    this.#parts = parts;
  }

  /** Forgets the plans: groups, or other doors, changed. */
  changed(): void {
    this.#plans = undefined;
  }

  /** Forgets the plans where they depend on the record, of which something changed. */
  recordChanged(): void {
    if (this.#dependsOnHolders) this.#plans = undefined;
  }

  /**
   * Plans every group.
   *
   * @returns one plan for each, in the order of choice
   */
  plans(): readonly GroupPlan[] {
    if (this.#plans !== undefined) return this.#plans;
    const { groups, known } = this.#parts;
    const spaces = new Map<string, PrefixSet>();
    const plans = planGroups(groups.list(), {
      strongerSpace: (network) => {
        const space = spaces.get(network) ?? PrefixSet.of(...this.#strongerIn(network).map((each) => each.space));
        spaces.set(network, space);
        return space;
      },
      heldIn: (space) =>
        known
          .within(IP_NETWORK, space)
          .filter(({ state }) => state === 'held')
          .map(({ address, pool: group, holders }) => ({ address, group, holders: holders.map(nameOfHolder) })),
    });
    this.#dependsOnHolders = plans.some(({ group, apply }) => !group.readiness.ok || apply !== undefined);
    this.#plans = plans;
    return plans;
  }

  /**
   * Finds a group.
   *
   * @param name - as the API server has it
   * @returns its plan; undefined where there is none
   */
  plan(name: string): GroupPlan | undefined {
    return this.plans().find(({ group }) => group.name === name);
  }

  /**
   * Lists the pools of other doors that have a part of a group.
   *
   * @param group - as it is planned
   * @returns kind and name of each, in the words of users
   */
  strongerNames({ network, segments }: VipGroup): readonly string[] {
    return this.#strongerIn(network)
      .filter(({ space }) => space.overlaps(segments))
      .map(({ kind, name }) => `${kind} "${name}"`);
  }

  /**
   * Finds the groups of an address or a prefix.
   *
   * @param block - any one
   * @returns those that give something of it, or would without its exclusion; none before they are planned
   */
  at(block: Address | Prefix): readonly VipGroup[] {
    const space = PrefixSet.of(block);
    return (this.#plans ?? []).map(({ group }) => group).filter(({ segments }) => segments.overlaps(space));
  }

  /**
   * Finds the networks in which an address is in a group. Only one of them gives it.
   *
   * @param address - any address
   * @returns their names
   */
  networksAt(address: Address): readonly string[] {
    const plans = this.plans().filter(({ group }) => group.segments.contains(address));
    return plans.map(({ group }) => group.network);
  }

  #strongerIn(network: string): readonly StrongerSpace[] {
    return strongerSpaces(this.#parts.strongerPools, network);
  }
}
