import { blockOf } from '../../addressing/space-text';
import type { Prefix } from '../../addressing/prefix';
import { metadataOf, type JsonMap } from '../../contract/loose-json';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { ClaimChange } from '../../ports/claims';
import type { ObjectChange } from '../../ports/object-feed';
import { readInstance } from '../../rules/networks';
import { COUNTERS_MS, DueKeys } from '../../runtime/due-keys';
import { NetworkPools } from './address-pools';
import { workAllocation } from './allocation';
import { isShownByOlder } from './adoption';
import { ClientCalls } from './client-calls';
import { compareAll } from './compare';
import type { Ended, NetworksContext } from './context';
import type { LookAgain, NetworksDoorParts, NetworksKey, NetworksObjectKey, ObjectWork } from './door-parts';
import { EntryCounts } from './entry-counts';
import { Gateways } from './gateways';
import { NetworkGauges } from './gauges';
import { GoneObjects } from './gone-objects';
import { workInstance } from './instance';
import { Instances } from './instances';
import { feedOf, gistOf, isDying, isPaused, keyOf, ownerOf, writerOf } from './objects';
import { lookAtOrphan } from './orphans';
import { workPrefix } from './prefix';
import { takeOver } from './rebinding';
import { instanceKeyOf, PrefixIndex, type StoredPrefix } from './prefix-index';
import { networksOf, release } from './record';
import { ShownPlaces } from './shown-places';
import type { WorkedObject } from './status';
import { TableContexts } from './table-context';
import { Waiting } from './waiting';
import { isHolding, tellFailure } from './work';
import { DECIDE_AGAIN_MS, DECISION_ROUNDS } from '../../runtime/decision-rounds';

/** Pause before something beside the decision is tried again. */
const LATER_MS = 30_000;

const WORK: Readonly<Record<ObjectWork, (context: NetworksContext, worked: WorkedObject) => Promise<Ended>>> = {
  instance: workInstance,
  prefix: workPrefix,
  allocation: workAllocation,
};

/** Change of the space of other doors. */
interface OthersChange {
  readonly network?: string;
  readonly block?: Prefix;
}

/** The controller of the Networks door. Nothing is given before the first comparison. */
export class NetworksController {
  /** NetworkInstances and IPPrefixes as pools for objects of other doors. */
  readonly pools: NetworkPools;
  /** Calls of clients without objects. */
  readonly clients: ClientCalls;
  readonly #context: NetworksContext;
  readonly #stops: (() => void)[];
  /** Objects whose counters are about to be written. */
  readonly #dueCounts: DueKeys<NetworksObjectKey>;
  readonly #gateways: Gateways;
  /** Keys of the instances, by their network on record. */
  readonly #byNetwork = new Map<string, NetworksObjectKey>();
  readonly #gone: GoneObjects;
  #isLeading = false;

  /**
   * Begins to follow record and configuration.
   *
   * @param parts - record, feeds, writers
   */
  constructor(parts: NetworksDoorParts) {
    const instances = new Instances(parts);
    const prefixes = new PrefixIndex();
    this.#context = {
      parts,
      instances,
      prefixes,
      contexts: new TableContexts(parts, prefixes, instances),
      waiting: new Waiting(parts.meter),
      counts: new EntryCounts(),
      gauges: new NetworkGauges(parts.meter),
      shown: new ShownPlaces(),
      giving: { isOpen: false, restorers: [] },
      leftPaused: new Set<string>(),
      missingSince: new Map<string, number>(),
    };
    this.#gone = new GoneObjects(this.#context);
    this.#dueCounts = new DueKeys(parts.clock, COUNTERS_MS, (key) => {
      this.#context.waiting.wake(key);
    });
    this.pools = new NetworkPools(this.#context);
    this.clients = new ClientCalls(this.#context);
    this.#gateways = new Gateways(parts, this.#context.waiting);
    this.#stops = [
      parts.claims.watch((change) => {
        this.#recordChanged(change);
      }),
      parts.prefixes.onChange((change) => {
        this.#prefixChanged(change);
      }),
      parts.instances.onChange((change) => {
        this.#instanceChanged(change);
      }),
      parts.allocations.onChange((change) => {
        this.#allocationChanged(change);
      }),
      parts.namespaces.onChange(({ key, before, after }) => {
        if (after !== undefined && isDying(after) && (before === undefined || !isDying(before)))
          this.#wakeInstances(key.name);
      }),
      ...parts.strongerPools.map((pools) =>
        pools.onChange(() => {
          this.othersChanged();
        }),
      ),
    ];
    // a watch tells its first list to those that listen by then
    for (const after of parts.instances.list()) this.#instanceChanged({ key: keyOf('instance', after), after });
    for (const after of parts.prefixes.list()) this.#prefixChanged({ key: keyOf('prefix', after), after });
    for (const after of parts.allocations.list()) this.#allocationChanged({ key: keyOf('allocation', after), after });
  }

  /**
   * Works on one key.
   *
   * @param key - an object, or an entry whose object is missing
   * @returns when it is to be looked at again
   * @throws IpamError of record or cluster; then it is tried again
   */
  async reconcile(key: NetworksKey): Promise<LookAgain> {
    if (key.of === 'orphan') return lookAtOrphan(this.#context, key);
    try {
      return await this.#reconcileObject(key);
    } catch (thrown) {
      const { parts } = this.#context;
      const object = ofUid(feedOf(parts, key.of).get(key.namespace, key.name), key.uid);
      if (object !== undefined) await tellFailure(parts, { key, object }, thrown);
      throw thrown;
    }
  }

  /**
   * Compares everything that is stored with the record.
   *
   * @returns the keys that need a look
   * @throws IpamError of record or cluster; nothing is decided then
   */
  compare(): Promise<readonly NetworksKey[]> {
    this.#isLeading = true;
    return compareAll(this.#context);
  }

  /**
   * Adds a listener.
   *
   * @param listener - is told keys that something else than a change of their object asks for
   * @returns the function that takes it away
   */
  onWake(listener: (key: NetworksKey) => void): () => void {
    return this.#context.waiting.onWake(listener);
  }

  /**
   * Takes over a change of the space of other doors, or of addresses in use.
   *
   * @param changed - network of the other doors, and block of which something changed; anything by default
   */
  othersChanged(changed: OthersChange = {}): void {
    for (const [own, key] of this.#context.instances.inNetwork(changed.network))
      this.#othersChangedIn(own, key, changed);
  }

  #othersChangedIn(own: string, key: NetworksObjectKey, { block }: OthersChange): void {
    const { contexts, waiting, prefixes } = this.#context;
    const instance = instanceText(key);
    contexts.othersChanged(instance, block);
    if (block === undefined) waiting.configured(own);
    else waiting.freed(own, block);
    this.pools.changed(instance);
    const concerned = block === undefined ? prefixes.of(instance) : prefixes.around(instance, block);
    for (const { object } of concerned) this.#count(keyOf('prefix', object));
  }

  /**
   * Allows the calls of clients while a comparison counts.
   *
   * @param isSettled - true once everything that is stored was compared with the record
   */
  settled(isSettled: boolean): void {
    this.clients.allow(isSettled);
  }

  /** @returns configuration around the tables, and entries whose objects are missing where this process leads; for views */
  get view(): Pick<NetworksContext, 'contexts' | 'missingSince'> {
    return this.#context;
  }

  /** Forgets what waits: another process leads. */
  rest(): void {
    this.#context.waiting.clear();
    this.#context.gauges.clear();
    this.#context.missingSince.clear();
    this.#context.leftPaused.clear();
    this.#context.giving.isOpen = false;
    this.#isLeading = false;
    this.#gateways.forget();
  }

  /** Ends timers and watches. */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#dueCounts.close();
  }

  async #reconcileObject(key: NetworksObjectKey): Promise<LookAgain> {
    const { parts, waiting } = this.#context;
    let object = ofUid(feedOf(parts, key.of).get(key.namespace, key.name), key.uid);
    let isFresh = false;
    const since = waiting.mark();
    for (let round = 0; round < DECISION_ROUNDS; round++) {
      if (object === undefined && isFresh) {
        await this.#end(key);
        return {};
      }
      if (object !== undefined) {
        await takeOver(this.#context, key);
        const ended = await WORK[key.of](this.#context, { key, object, since });
        if (ended !== 'again') return ended === 'done' ? {} : { requeueAfterMs: LATER_MS };
      }
      object = ofUid((await writerOf(parts, key.of).read(key)).object, key.uid);
      isFresh = true;
    }
    return { requeueAfterMs: DECIDE_AGAIN_MS };
  }

  async #end(key: NetworksObjectKey): Promise<void> {
    const { parts, waiting, gauges, leftPaused, shown } = this.#context;
    waiting.leave(key.uid, false);
    shown.forget(key.uid);
    gauges.forget(key.uid);
    const owner = ownerOf(parts, key);
    if (!leftPaused.delete(key.uid)) {
      this.#gone.add(key.uid);
      await release(parts, owner);
      return;
    }
    for (const network of networksOf(parts, owner)) {
      const left = parts.tables.look(network, (table) => table.ofOwner(owner));
      for (const { block } of left) waiting.wake({ of: 'orphan', network, block });
    }
  }

  #recordChanged(change: ClaimChange): void {
    const { waiting, counts } = this.#context;
    const { network, kind } = change;
    const instance = this.#byNetwork.get(network);
    counts.follow(change);
    const block = blockOf(change);
    if (kind !== 'changed') this.othersChanged({ network, block });
    if (instance === undefined) return;
    if (kind === 'taken') this.#gone.look(network, block);
    if (kind === 'freed') {
      this.#lookAtShowing(instanceText(instance), block);
      waiting.freed(network, block);
      this.pools.freed(instanceText(instance), block);
    } else waiting.placeChanged(network, block);
    this.#count(instance);
    this.#structureChanged(instance, network, block);
    if (kind === 'freed')
      for (const other of this.#context.instances.sharing(instance)) waiting.placeChanged(other.network, block);
  }

  // A claim that went by hand: what shows its place has it back before anything is given there.
  #lookAtShowing(instance: string, block: Prefix): void {
    const { waiting, shown, prefixes } = this.#context;
    for (const showing of shown.at(instance, block)) {
      if (this.#isOnRecord(showing.key)) continue;
      shown.mark(instance, showing);
      waiting.wake(showing.key);
    }
    for (const { object } of prefixes.at(instance, block)) if (!isDying(object)) waiting.wake(keyOf('prefix', object));
  }

  readonly #isOnRecord = (key: NetworksObjectKey): boolean => isHolding(this.#context, { key });

  // What prefixes declare decides about what waits for a match, and about the gateway of what was given.
  #structureChanged(instance: NetworksObjectKey, network: string, block: Prefix): void {
    const { parts, waiting } = this.#context;
    const found = parts.tables.look(network, (table) => ({
      entry: table.at(block),
      parent: table.around(block).at(-1),
    }));
    this.#countParent(instance, found.parent);
    if (found.entry?.facts?.role === 'allocation' && !isGivenFrom(found.entry)) return;
    const isDeclared = found.entry !== undefined || this.#context.prefixes.at(instanceText(instance), block).length > 0;
    if (isDeclared) {
      waiting.configured(network);
      this.pools.changed(instanceText(instance));
    }
    if (found.parent?.facts?.role === 'subnet') this.#gateways.look(network, found.parent.block);
  }

  #countParent(instance: NetworksObjectKey, parent: NetworkEntry | undefined): void {
    const first = parent && this.#context.prefixes.counting(instanceText(instance), parent.block);
    if (first !== undefined) this.#count(keyOf('prefix', first.object));
  }

  #count(key: NetworksObjectKey): void {
    this.#dueCounts.add(key.uid, key);
  }

  #prefixChanged(change: ObjectChange): void {
    const { prefixes, contexts, waiting, shown } = this.#context;
    const { before, after } = prefixes.follow(change);
    shown.follow('prefix', change, this.#isOnRecord);
    this.#left(change);
    if (before !== undefined && after !== undefined && isSameConfiguration(before, after)) return;
    for (const stored of [before, after]) {
      if (stored === undefined) continue;
      const instance = instanceKeyOf(stored.object);
      for (const block of stored.places) contexts.changed(instance, block);
      waiting.wakeAll(instance);
      this.pools.changed(instance);
      this.#wakeSharing(stored);
    }
  }

  #allocationChanged(change: ObjectChange): void {
    this.#context.shown.follow('allocation', change, this.#isOnRecord);
    this.#left(change);
  }

  // An overlap with a prefix of another instance may have ended.
  #wakeSharing({ object, places }: StoredPrefix): void {
    const { instances, waiting } = this.#context;
    const [namespace = '', name = ''] = instanceKeyOf(object).split('/');
    for (const { network } of instances.sharing({ namespace, name }))
      for (const block of places) waiting.placeChanged(network, block);
  }

  #instanceChanged(change: ObjectChange): void {
    const { before, after, key } = change;
    const { contexts, waiting, shown, instances } = this.#context;
    instances.follow(change);
    const instance = `${key.namespace}/${key.name}`;
    if (isSameButStatus(before, after)) return;
    if (after !== undefined && isShownByOlder(after)) shown.markWhole(instance);
    contexts.allChanged(instance);
    const known = after ?? before;
    if (known !== undefined) {
      const { network } = readInstance(known);
      if (after === undefined) this.#forgetNetwork(network, instance);
      else this.#byNetwork.set(network, { of: 'instance', ...key });
    }
    waiting.wakeAll(instance);
    this.pools.changed(instance);
  }

  #forgetNetwork(network: string, instance: string): void {
    this.#byNetwork.delete(network);
    this.#context.gauges.forget(instance);
    this.#gateways.forget(network);
  }

  // A dying instance waits for the objects that name it, and what a paused object had stays for the grace.
  #left({ key, before, after }: ObjectChange): void {
    if (after !== undefined || before === undefined) return;
    // a process that does not lead looks at no object that went, and a comparison finds what it held
    if (this.#isLeading && isPaused(before)) this.#context.leftPaused.add(key.uid);
    this.#wakeInstances(key.namespace);
  }

  #wakeInstances(namespace: string): void {
    for (const instance of this.#byNetwork.values())
      if (instance.namespace === namespace) this.#context.waiting.instanceChanged(instanceText(instance));
  }
}

// A pool or a loopback prefix that was given is one that others may be given from.
const isGivenFrom = ({ block, facts }: NetworkEntry): boolean => facts?.kind !== 'network' && block.hostCount > 1n;

const instanceText = ({ namespace, name }: Pick<NetworksObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

const ofUid = (object: JsonMap | undefined, uid: string): JsonMap | undefined =>
  metadataOf(object)['uid'] === uid ? object : undefined;

// Own writes of the status help none that waits.
const isSameButStatus = (before: JsonMap | undefined, after: JsonMap | undefined): boolean =>
  before === undefined || after === undefined ? before === after : gistOf(before) === gistOf(after);

const isSameConfiguration = (before: StoredPrefix, after: StoredPrefix): boolean =>
  before.isClosed === after.isClosed &&
  String(before.places) === String(after.places) &&
  gistOf(before.object) === gistOf(after.object);
