import { PrefixSet } from '../../../addressing/prefix-set';
import { strongerSpaces } from '../../../ledger/occupied/stronger-spaces';
import type { NamedSpace, PoolSpaces } from '../../../ports/pool-spaces';
import { planEgress } from '../../../rules/egress';
import type { EgressPlan } from '../../../rules/egress/types';
import { ListenerSet } from '../../../runtime/listener-set';
import type { EgressDoorParts } from './door-parts';

/** The EgressIPAMs as this process knows them, planned once for many decisions, and their space for weaker doors. */
export class EgressPlans implements PoolSpaces {
  readonly kind = 'EgressIPAM';
  readonly #parts: Pick<EgressDoorParts, 'egressIpams' | 'strongerPools' | 'networks' | 'cloud'>;
  readonly #listeners = new ListenerSet<undefined>();
  #known: ReadonlyMap<string, EgressPlan> | undefined;
  #spaces: readonly NamedSpace[] | undefined;

  /**
   * Starts without a plan.
   *
   * @param parts - EgressIPAMs, pools of other doors, networks of the cluster
   */
  constructor(parts: Pick<EgressDoorParts, 'egressIpams' | 'strongerPools' | 'networks' | 'cloud'>) {
    this.#parts = parts;
  }

  /** Forgets the plans: EgressIPAMs, or other doors, changed. */
  changed(): void {
    this.#known = undefined;
    this.#spaces = undefined;
    this.#listeners.tell(undefined);
  }

  /**
   * Plans every EgressIPAM.
   *
   * @returns one plan for each, the oldest first
   */
  all(): readonly EgressPlan[] {
    return [...this.#byName().values()];
  }

  /**
   * Finds an EgressIPAM.
   *
   * @param name - as namespaces name it
   * @returns its plan; undefined where there is none
   */
  plan(name: string): EgressPlan | undefined {
    return this.#byName().get(name);
  }

  /** @inheritdoc */
  whenKnown(): Promise<void> {
    return this.#parts.egressIpams.whenSynced();
  }

  /** @inheritdoc */
  list(): readonly NamedSpace[] {
    this.#spaces ??= this.all().map(({ name, network, pools }) => {
      return { name, network, space: PrefixSet.of(...pools.map(({ prefix }) => prefix)) };
    });
    return this.#spaces;
  }

  /** @inheritdoc */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  // A cloud may show an address for a time after it was detached.
  #inCloud(plan: EgressPlan): EgressPlan {
    const { cloud } = this.#parts;
    if (cloud === undefined || plan.isQuarantineGiven || plan.cloud === 'none') return plan;
    return { ...plan, quarantineMs: 1000 * cloud.quarantineSeconds };
  }

  #byName(): ReadonlyMap<string, EgressPlan> {
    const { egressIpams, strongerPools, networks } = this.#parts;
    const strongerSpace = (network: string): PrefixSet =>
      PrefixSet.of(...strongerSpaces(strongerPools, network).map(({ space }) => space));
    this.#known ??= new Map(
      planEgress(egressIpams.list(), strongerSpace, networks.list()).map((plan) => [plan.name, this.#inCloud(plan)]),
    );
    return this.#known;
  }
}
