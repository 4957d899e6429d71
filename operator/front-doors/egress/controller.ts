import { NAMESPACE } from '../../contract/egress';
import { metadataOf, textOf } from '../../contract/loose-json';
import { familyBits } from '../../addressing/address';
import { hostPrefix, type Prefix } from '../../addressing/prefix';
import type { ClaimChange } from '../../ports/claims';
import type { PoolSpaces } from '../../ports/pool-spaces';
import { optInOf } from '../../rules/egress';
import { COUNTERS_MS, DueKeys } from '../../runtime/due-keys';
import { compareAll } from './compare';
import type { HeldPlace } from './facts/carrier';
import type { EgressContext } from './facts/context';
import type { EgressDoorParts, EgressKey, LookAgain } from './facts/door-parts';
import type { HeldBack } from './facts/held-back';
import { reconcileEgressIpam } from './egress-ipam';
import { EgressGauges } from './facts/gauges';
import { InUse } from './facts/in-use';
import { reconcileNamespace } from './namespace';
import { specGist } from './facts/news';
import { PlacementController } from './placement';
import { EgressPlans } from './facts/plans';
import { NamespaceStates } from './facts/states';
import type { ViewedContext } from './facts/view';
import { Waiting } from './facts/waiting';

/** Pause before a namespace is looked at again for which it is not known which addresses are in use. */
const UNKNOWN_MS = 5_000;

/** The controller of the Egress door. Nothing is given before the first comparison. */
export class EgressController {
  /** Space of the EgressIPAMs, which weaker doors leave out. */
  readonly spaces: PoolSpaces;
  /** What puts the addresses on nodes, with a queue of its own. */
  readonly placement: PlacementController;
  /** State that reviews are judged by, whether this process leads or not. */
  readonly viewed: ViewedContext;
  readonly #context: EgressContext;
  readonly #stops: (() => void)[];
  #comparing: Promise<unknown> | undefined;
  /** EgressIPAMs whose status is about to be written. */
  readonly #dueCounts: DueKeys<EgressKey>;

  /**
   * Follows record and feeds.
   *
   * @param parts - record, feeds, writers
   */
  constructor(parts: EgressDoorParts) {
    const plans = new EgressPlans(parts);
    this.spaces = plans;
    const shared = {
      parts,
      plans,
      inUse: new InUse(parts, plans),
      states: new NamespaceStates(),
      waiting: new Waiting(parts.meter),
      gauges: new EgressGauges(parts.meter),
      isGiving: false,
      dyingSinceMs: new Map<string, number>(),
      heldBack: new Map<string, readonly HeldBack[]>(),
    };
    this.placement = new PlacementController(shared, {
      viewChanged: (egressIpam) => {
        this.#count(egressIpam);
      },
      foreignChanged: (address) => {
        if (address === undefined) this.#plansChanged();
        else this.shownChanged(hostPrefix(address));
      },
    });
    // one object, so that both know whether addresses are given
    this.#context = Object.assign(shared, { carrier: this.placement });
    this.viewed = this.#context;
    this.#dueCounts = new DueKeys(parts.clock, COUNTERS_MS, (key) => {
      this.#context.waiting.wake(key);
    });
    this.#stops = [
      parts.claims.watch((change) => {
        this.#recordChanged(change);
      }),
      parts.egressIpams.onChange(({ before, after }) => {
        if (specGist(before) !== specGist(after)) this.#plansChanged();
      }),
      parts.namespaces.onChange(({ key, after }) => {
        if (after === undefined) this.#context.inUse.forget(key.name);
        else this.#context.inUse.lookAtList(after);
      }),
      parts.networks.onChange(() => {
        this.#plansChanged();
      }),
      parts.cloud?.onChange(() => {
        this.#cloudChanged();
      }) ?? (() => undefined),
      // the record says which dataplane carries each address
      parts.dataplanes.onChange(() => {
        this.#wakeOptedIn();
      }),
      ...parts.strongerPools.map((pools) =>
        pools.onChange(() => {
          this.#plansChanged();
        }),
      ),
    ];
  }

  /**
   * Works on one key.
   *
   * @param key - a namespace or an EgressIPAM
   * @returns when it is to be looked at again by itself
   */
  async reconcile({ of, name }: EgressKey): Promise<LookAgain> {
    if (of === 'egressIpam') return reconcileEgressIpam(this.#context, name);
    const { isGiving, inUse } = this.#context;
    const before = this.#egressIpamsOf(name);
    if (!isGiving && inUse.isComplete()) await this.#compareAgain();
    try {
      const again = await reconcileNamespace(this.#context, name);
      return this.#isUnknownTo(name) ? { requeueAfterMs: UNKNOWN_MS } : again;
    } finally {
      for (const egressIpam of new Set([...before, ...this.#egressIpamsOf(name)])) this.#count(egressIpam);
    }
  }

  /**
   * Compares everything that is stored with the record.
   *
   * @returns keys that need a routine look
   */
  async compare(): Promise<readonly EgressKey[]> {
    const keys = await compareAll(this.#context);
    this.placement.recordComplete();
    return keys;
  }

  /**
   * Adds a listener for keys that something else than a change of their object asks for.
   *
   * @param listener - is told each
   * @returns the function that takes it away
   */
  onWake(listener: (key: EgressKey) => void): () => void {
    return this.#context.waiting.onWake(listener);
  }

  /**
   * Is to be told each address or prefix of which something changed in what the cluster shows.
   *
   * @param block - any one
   */
  shownChanged(block: Prefix): void {
    const { inUse, plans, waiting } = this.#context;
    inUse.changed();
    for (const { name, network, pools } of plans.all()) {
      if (!pools.some(({ prefix }) => prefix.overlaps(block))) continue;
      if (inUse.isFreeIn(block, network)) waiting.freed(block, network);
      this.#count(name);
    }
  }

  /** Forgets what waits: another process leads. */
  rest(): void {
    const { waiting, gauges, states, dyingSinceMs, heldBack } = this.#context;
    this.#context.isGiving = false;
    dyingSinceMs.clear();
    heldBack.clear();
    waiting.clear();
    gauges.clear();
    states.clear();
  }

  /** Ends timers and watches. */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#dueCounts.close();
    this.placement.close();
  }

  // Where something that tells of uses could not be read before.
  #compareAgain(): Promise<unknown> {
    this.#comparing ??= this.compare().finally(() => {
      this.#comparing = undefined;
    });
    return this.#comparing;
  }

  #plansChanged(): void {
    const { plans, inUse, waiting } = this.#context;
    plans.changed();
    inUse.changed();
    this.#wakeOptedIn();
    for (const { name } of plans.all()) waiting.wake({ of: 'egressIpam', name });
  }

  #cloudChanged(): void {
    const { plans, inUse, waiting } = this.#context;
    inUse.changed();
    for (const { name, network, pools } of plans.all()) {
      for (const { prefix } of pools) waiting.freed(prefix, network);
      this.#count(name);
    }
    this.#wakeOptedIn((name) => this.#isUnknownTo(name));
  }

  #wakeOptedIn(isConcerned: (name: string) => boolean = () => true): void {
    const { parts, waiting } = this.#context;
    for (const object of parts.namespaces.list()) {
      const name = textOf(metadataOf(object)['name']);
      if (optInOf(object) !== undefined && isConcerned(name)) waiting.wake({ of: 'namespace', name });
    }
  }

  // It waits until it is known what uses addresses.
  #isUnknownTo(namespace: string): boolean {
    return this.#context.states.get(namespace)?.problem?.reason === 'UsesUnknown';
  }

  // Whose status tells of a namespace.
  #egressIpamsOf(namespace: string): readonly string[] {
    const { states, heldBack } = this.#context;
    const asked = states.get(namespace)?.egressIpam;
    return [...(asked === undefined ? [] : [asked]), ...(heldBack.get(namespace) ?? []).map((each) => each.egressIpam)];
  }

  #recordChanged({ network, address, pool, kind, length }: ClaimChange): void {
    const { plans, waiting } = this.#context;
    if (length !== familyBits(address.family)) return;
    this.#holdersChanged({ network, address, isChanged: kind === 'changed' });
    if (kind === 'freed') waiting.freed(hostPrefix(address), network);
    if (plans.plan(pool)?.network === network) this.#count(pool);
  }

  #holdersChanged(of: HeldPlace & { readonly isChanged: boolean }): void {
    const { parts, inUse, waiting } = this.#context;
    const holders = parts.known.at(of)?.holders ?? [];
    for (const { owner, dataplanes } of holders.filter((each) => each.owner.kind === NAMESPACE.kind)) {
      const object = parts.namespaces.get('', owner.name);
      if (object !== undefined) inUse.lookAtList(object);
      // as after the annotation of an administrator
      if (of.isChanged && dataplanes === undefined) waiting.wake({ of: 'namespace', name: owner.name });
    }
  }

  #count(name: string | undefined): void {
    if (name !== undefined) this.#dueCounts.add(name, { of: 'egressIpam', name });
  }
}
