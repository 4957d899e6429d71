import type { Address } from '../../../addressing/address';
import { NAMESPACE } from '../../../contract/egress';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { ClaimChange } from '../../../ports/claims';
import type { DataplaneChange, EgressDataplane } from '../../../ports/egress-dataplane';
import type { ObjectChange } from '../../../ports/object-feed';
import { optInOf } from '../../../rules/egress';
import { DueKeys } from '../../../runtime/due-keys';
import { ListenerSet } from '../../../runtime/listener-set';
import { forEachInTurn } from '../../../ledger/records/others-first';
import type { Carrier, CarrierView, HeldPlace } from '../facts/carrier';
import type { LookAgain } from '../facts/door-parts';
import { dataplanesOf, egressRecords } from '../facts/record';
import { carryNode } from './carry-node';
import { Clearing, remainsOf } from './clearing';
import { MissingSince } from './missing-since';
import { placeEgressIpam } from './place-egress-ipam';
import { gistFor, gistOfNode } from './node-gist';
import { PlacementGauges } from './placement-gauges';
import { isKnown, type PlacementContext } from './placement-context';
import type { PlacementKey } from './placement-key';
import { RebalanceRounds } from './rebalance-rounds';
import { refreshSender } from './refresh-sender';
import { Senders } from './senders';
import { sendNamespace } from './send-namespace';
import { Writes } from './writes';
import { Waits } from './waits';

/** Pause in which changes of record and dataplanes are gathered. */
const GATHER_MS = 50;

/** What the allocation of addresses is told. */
export interface PlacementHooks {
  /** Users are to be shown something else of an EgressIPAM. */
  viewChanged(egressIpam: string): void;
  /** An address that a dataplane has without a claim came or went; undefined: any of them may have. */
  foreignChanged(address: Address | undefined): void;
}

/**
 * Puts egress addresses on nodes and sends the traffic of namespaces from them, by the dataplanes of the cluster. It has a queue of its own, so
 * that nothing which delays the allocation of addresses delays the move of an address from a node that fails.
 */
export class PlacementController implements Carrier {
  readonly #context: PlacementContext;
  readonly #clearing: Clearing;
  readonly #gauges: PlacementGauges;
  readonly #wakes = new ListenerSet<PlacementKey>();
  readonly #due: DueKeys<PlacementKey>;
  readonly #looks: DueKeys<undefined>;
  readonly #stops: (() => void)[];
  /** Ends of the watches of dataplanes. */
  readonly #watched = new Map<EgressDataplane, () => void>();
  readonly #hooks: PlacementHooks;

  /**
   * Follows record and dataplanes.
   *
   * @param door - the allocation beside it
   * @param hooks - are told what concerns the allocation
   */
  constructor(door: PlacementContext['door'], hooks: PlacementHooks) {
    const { parts } = door;
    this.#hooks = hooks;
    this.#due = new DueKeys(parts.clock, GATHER_MS, (key) => {
      this.#wakes.tell(key);
    });
    this.#looks = new DueKeys(parts.clock, GATHER_MS, () => {
      this.#look();
    });
    this.#context = this.#contextOf(door);
    this.#clearing = new Clearing(this.#context);
    this.#gauges = new PlacementGauges(parts.meter);
    this.#stops = [
      parts.claims.watch((change) => {
        this.#recordChanged(change);
      }),
      parts.dataplanes.onChange(() => {
        this.#dataplanesChanged();
      }),
    ];
  }

  /**
   * Works on one key.
   *
   * @param key - an EgressIPAM, a Node or a Namespace
   * @returns when it is to be looked at again by itself
   * @throws IpamError of a dataplane or the cluster
   */
  async reconcile({ of, name }: PlacementKey): Promise<LookAgain> {
    switch (of) {
      case 'egressIpam': {
        const again = placeEgressIpam(this.#context, name);
        // a dataplane is opened with the first EgressIPAM that it serves
        this.#watchDataplanes();
        return again;
      }
      case 'node':
        return carryNode(this.#context, name);
      case 'namespace':
        return sendNamespace(this.#context, name);
    }
  }

  /**
   * Decides every placement anew.
   *
   * @returns every node and namespace that a dataplane has something for, or is to have
   * @throws IpamError of the cluster
   */
  async compare(): Promise<readonly PlacementKey[]> {
    const { door, senders } = this.#context;
    const { parts } = door;
    await parts.dataplanes.whenKnown();
    this.#context.areDataplanesKnown = true;
    // what an earlier term wrote is there still, whatever the EgressIPAMs ask for now
    parts.dataplanes.choose('auto');
    for (const name of new Set(egressRecords(parts.known).flatMap(dataplanesOf))) parts.dataplanes.find(name);
    await forEachInTurn([...parts.namespaces.list().map(nameOf), ...senders.names()], (name) => {
      refreshSender(this.#context, name);
    });
    for (const name of this.#egressIpams()) placeEgressIpam(this.#context, name);
    this.#watchDataplanes();
    this.#context.changed();
    return this.#everything();
  }

  /**
   * Adds a listener for keys that something else than a change of their object asks for.
   *
   * @param listener - is told each
   * @returns the function that takes it away
   */
  onWake(listener: (key: PlacementKey) => void): () => void {
    return this.#wakes.add(listener);
  }

  /** Is to be told that what namespaces list is on record now, so that what has no claim may end. */
  recordComplete(): void {
    for (const key of this.#everything()) this.#wakes.tell(key);
  }

  /**
   * Tells what a change of a Node asks for.
   *
   * @param change - as the watch tells it
   * @returns the Node, and the EgressIPAMs to whose placement it is another one now
   */
  keysOfNode({ key: { name }, before, after }: ObjectChange): readonly PlacementKey[] {
    if (gistOfNode(before) === gistOfNode(after)) return [];
    const { door } = this.#context;
    const concerned = door.plans.all().filter((plan) => {
      return gistFor(this.#context, plan, before) !== gistFor(this.#context, plan, after);
    });
    return [keyOf('node', name), ...concerned.map((plan) => keyOf('egressIpam', plan.name))];
  }

  /**
   * Tells what a change of a Namespace asks for.
   *
   * @param change - as the watch tells it
   * @returns the Namespace, where it opts in or did so
   */
  keysOfNamespace({ key: { name }, before, after }: ObjectChange): readonly PlacementKey[] {
    const isConcerned = [before, after].some((object) => optInOf(object) !== undefined);
    return isConcerned || this.#context.senders.get(name) !== undefined ? [{ of: 'namespace', name }] : [];
  }

  /**
   * Tells what a change of an EgressIPAM asks for.
   *
   * @param change - as the watch tells it
   * @returns the EgressIPAM and its namespaces
   */
  keysOfEgressIpam({ key: { name } }: ObjectChange): readonly PlacementKey[] {
    const { door } = this.#context;
    const all = door.parts.namespaces.list().filter((object) => optInOf(object) === name);
    return [{ of: 'egressIpam', name }, ...all.map((object) => keyOf('namespace', nameOf(object)))];
  }

  /** @inheritdoc */
  view(egressIpam: string): CarrierView | undefined {
    return this.#context.placements.get(egressIpam)?.view;
  }

  /** @inheritdoc */
  isClear(namespace: string, held: readonly HeldPlace[]): boolean {
    const isClear = this.#clearing.isClear(namespace, held);
    // one that had an address is opened for the look
    this.#watchDataplanes();
    return isClear;
  }

  /** @inheritdoc */
  hasLetGo(dataplane: string, namespace: string, held: HeldPlace): boolean {
    const hasLetGo = this.#clearing.hasLetGo(dataplane, namespace, held);
    this.#watchDataplanes();
    return hasLetGo;
  }

  /** @inheritdoc */
  remainsOf(egressIpam: string): ReturnType<Carrier['remainsOf']> {
    return remainsOf(this.#context, egressIpam);
  }

  /** Forgets everything: another process leads. */
  rest(): void {
    const { senders, placements, writes, waits, rounds, missingSince } = this.#context;
    this.#context.areDataplanesKnown = false;
    for (const each of [senders, placements, writes, waits, rounds, missingSince, this.#clearing, this.#gauges])
      each.clear();
  }

  /** Ends timers and watches. */
  close(): void {
    for (const stop of [...this.#stops, ...this.#watched.values()]) stop();
    this.#due.close();
    this.#looks.close();
  }

  #contextOf(door: PlacementContext['door']): PlacementContext {
    const { clock } = door.parts;
    return {
      door,
      senders: new Senders(),
      placements: new Map(),
      writes: new Writes(),
      waits: new Waits(),
      rounds: new RebalanceRounds(clock),
      missingSince: new MissingSince(clock),
      nodesRead: new WeakMap(),
      areDataplanesKnown: false,
      wake: (key) => {
        this.#wakes.tell(key);
      },
      due: (egressIpam) => {
        this.#due.add(egressIpam, keyOf('egressIpam', egressIpam));
      },
      changed: () => {
        this.#looks.add('', undefined);
      },
      viewChanged: (egressIpam) => {
        this.#hooks.viewChanged(egressIpam);
        this.#context.changed();
      },
    };
  }

  #look(): void {
    const { placements, door } = this.#context;
    this.#clearing.look();
    this.#gauges.tell(new Map([...placements].map(([name, { view }]) => [name, view])));
    for (const { name, isDying } of door.plans.all()) if (isDying) this.#hooks.viewChanged(name);
  }

  #egressIpams(): readonly string[] {
    const { door, placements } = this.#context;
    return [...new Set([...door.plans.all().map(({ name }) => name), ...placements.keys()])];
  }

  #everything(): readonly PlacementKey[] {
    const { door, placements, senders, writes } = this.#context;
    const open = door.parts.dataplanes.open().filter(isKnown);
    const known = open.map((dataplane) => dataplane.known());
    // what was written may wait for its end after its object has gone
    const written = open.map((dataplane) => writes.of(dataplane));
    const groups = [...placements.values()].flatMap(({ placed }) => [...(placed?.groups.keys() ?? [])]);
    const nodes = new Set([
      ...groups,
      ...known.flatMap((each) => each.nodes),
      ...written.flatMap((each) => each.nodes.names()),
    ]);
    const namespaces = new Set([
      ...senders.names(),
      ...known.flatMap((each) => each.namespaces),
      ...written.flatMap((each) => each.namespaces.names()),
    ]);
    return [
      ...[...nodes].map((name) => keyOf('node', name)),
      ...[...namespaces].map((name) => keyOf('namespace', name)),
    ];
  }

  #recordChanged({ network, address, pool }: ClaimChange): void {
    if (!this.#context.areDataplanesKnown) return;
    const { parts } = this.#context.door;
    for (const { owner } of parts.known.at({ network, address })?.holders ?? []) {
      if (owner.kind !== NAMESPACE.kind) continue;
      this.#due.add(`namespace/${owner.name}`, keyOf('namespace', owner.name));
      // it may opt in to another one than that which gave the address
      const asked = this.#context.senders.get(owner.name)?.egressIpam;
      if (asked !== undefined) this.#context.due(asked);
    }
    this.#context.due(pool);
  }

  #dataplanesChanged(): void {
    this.#watchDataplanes();
    for (const name of this.#egressIpams()) this.#context.due(name);
    this.#context.changed();
  }

  #watchDataplanes(): void {
    const open = this.#context.door.parts.dataplanes.open();
    for (const [dataplane, stop] of this.#watched) {
      if (open.includes(dataplane)) continue;
      stop();
      this.#watched.delete(dataplane);
    }
    for (const dataplane of open) if (!this.#watched.has(dataplane)) this.#watch(dataplane);
  }

  #watch(dataplane: EgressDataplane): void {
    this.#watched.set(
      dataplane,
      dataplane.onChange((change) => {
        this.#dataplaneChanged(change);
      }),
    );
    void Promise.all(dataplane.feeds.map((feed) => feed.whenSynced())).then(
      () => {
        if (this.#context.areDataplanesKnown) this.#becameKnown();
      },
      // closed before its first list
      () => undefined,
    );
  }

  #becameKnown(): void {
    for (const name of this.#egressIpams()) this.#wakes.tell(keyOf('egressIpam', name));
    this.recordComplete();
    this.#hooks.foreignChanged(undefined);
    this.#context.changed();
  }

  #dataplaneChanged(change: DataplaneChange): void {
    if (!this.#context.areDataplanesKnown) return;
    if (change.of === 'address') this.#hooks.foreignChanged(change.address);
    else {
      for (const key of this.#context.waits.ended(change)) this.#wakes.tell(key);
      this.#due.add(`${change.of}/${change.name}`, keyOf(change.of, change.name));
    }
    for (const name of this.#egressIpams()) this.#context.due(name);
    this.#context.changed();
  }
}

const keyOf = (of: PlacementKey['of'], name: string): PlacementKey => ({ of, name });

const nameOf = (object: JsonMap): string => textOf(metadataOf(object)['name']);
