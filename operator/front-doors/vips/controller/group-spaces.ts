import type { Address } from '../../../addressing/address';
import { PrefixSet } from '../../../addressing/prefix-set';
import { IP_NETWORK } from '../../../contract/paas';
import type { NamedSpace, PoolSpaces } from '../../../ports/pool-spaces';
import type { GroupPlan } from '../../../rules/vips/plan-groups';
import { ListenerSet } from '../../../runtime/listener-set';
import type { VipsContext } from './context';

/** The space of the groups for weaker doors, with the IPs that lie in no segment of their group. */
export class GroupSpaces implements PoolSpaces {
  readonly kind = 'IPGroup';
  readonly #context: Pick<VipsContext, 'groups' | 'parts'>;
  readonly #listeners = new ListenerSet<undefined>();
  #known: { readonly of: readonly GroupPlan[]; readonly spaces: readonly NamedSpace[] } | undefined;
  /** Addresses outside of the segments of their groups, as texts. */
  readonly #outside = new Set<string>();

  /**
   * Shows what the controller knows.
   *
   * @param context - of the controller
   */
  constructor(context: Pick<VipsContext, 'groups' | 'parts'>) {
    this.#context = context;
  }

  /** @inheritdoc */
  whenKnown(): Promise<void> {
    return this.#context.parts.groups.whenSynced();
  }

  /** @inheritdoc */
  list(): readonly NamedSpace[] {
    const of = this.#context.groups.plans();
    if (this.#known?.of !== of) this.#known = { of, spaces: this.#spaces(of) };
    return this.#known.spaces;
  }

  /** @inheritdoc */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Tells that groups changed. */
  changed(): void {
    this.#known = undefined;
    this.#listeners.tell(undefined);
  }

  /**
   * Takes over a change of the record; one of an address in its group changes nothing.
   *
   * @param address - of the IP
   * @param group - name of its group
   */
  recordChanged(address: Address, group: string): void {
    const isStored = this.#context.parts.known.at({ network: IP_NETWORK, address }) !== undefined;
    const isOutside = isStored && this.#context.groups.plan(group)?.group.segments.contains(address) !== true;
    if (isOutside !== this.#outside.has(address.toString())) this.changed();
  }

  #spaces(plans: readonly GroupPlan[]): readonly NamedSpace[] {
    const groups = new Map(plans.map(({ group }) => [group.name, group]));
    const spaces: NamedSpace[] = plans.map(({ group: { name, network, segments } }) => ({
      name,
      network,
      space: segments,
    }));
    this.#outside.clear();
    for (const { address, pool } of this.#context.parts.known.within(IP_NETWORK, PrefixSet.EVERYTHING)) {
      const group = groups.get(pool);
      if (group?.segments.contains(address) === true) continue;
      this.#outside.add(address.toString());
      const network = group === undefined ? {} : { network: group.network };
      spaces.push({ name: pool, space: PrefixSet.of(address), ...network });
    }
    return spaces;
  }
}
