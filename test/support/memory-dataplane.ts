import { isIn, type Address } from '../../operator/addressing/address';
import { metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import type { Written } from '../../operator/errors/after-write';
import { IpamError } from '../../operator/errors/ipam-error';
import type {
  CarriedNow,
  DataplaneChange,
  DataplaneChoice,
  EgressDataplane,
  EgressDataplanes,
  ForeignEgress,
  NamespaceEgress,
  NodeCapacity,
  NodeEgress,
} from '../../operator/ports/egress-dataplane';
import type { ObjectFeed } from '../../operator/ports/object-feed';

interface StoredNode {
  readonly groups: readonly string[];
  readonly addresses: readonly Address[];
}

interface StoredNamespace {
  readonly wanted: NamespaceEgress;
  isOrphan: boolean;
  /** Where the dataplane has put its addresses, where it chooses. */
  items: readonly { readonly address: Address; readonly node: string }[];
}

/** What a dataplane in memory is. */
export interface MemoryDataplaneProps {
  readonly name?: string;
  readonly chooser?: 'door' | 'dataplane';
  readonly mostPerNamespace?: number;
}

/**
 * A dataplane that keeps its objects in memory, with the faults of the real ones. With `chooser: 'dataplane'` its controller puts each address of
 * a namespace on a ready node of its own once {@link MemoryDataplane.work} is called.
 */
export class MemoryDataplane implements EgressDataplane {
  readonly name: string;
  readonly mostPerNamespace?: number;
  readonly nodes = new Map<string, StoredNode>();
  readonly namespaces = new Map<string, StoredNamespace>();
  /** Room of a node; `none`: it tells nothing. */
  readonly rooms = new Map<string, NodeCapacity | 'none'>();
  /** Nodes that are in another subnet. */
  readonly outside = new Set<string>();
  /** Nodes that its controller can use. */
  readonly ready = new Set<string>();
  /** Every write that changed something. */
  readonly writes: string[] = [];
  /** Breaches of what a dataplane needs. */
  readonly faults: string[] = [];
  foreignOnes: readonly ForeignEgress[] = [];
  /** Called with every address that is on a node or sent from, after each write. */
  watchman: (addresses: readonly Address[]) => void = () => undefined;
  /** True: the controller works by itself. */
  isAwake = true;
  readonly #chooser: 'door' | 'dataplane';
  readonly #away = new Set<string>();
  readonly #changedOnce = new Set<string>();
  readonly #held = new Map<string, Promise<void>>();
  readonly #listeners = new Set<(change: DataplaneChange) => void>();
  #isSynced = true;
  #whenSynced: Promise<void> = Promise.resolve();
  #sync: () => void = () => undefined;

  constructor({ name = 'memory', chooser = 'door', mostPerNamespace }: MemoryDataplaneProps = {}) {
    this.name = name;
    this.#chooser = chooser;
    if (mostPerNamespace !== undefined) this.mostPerNamespace = mostPerNamespace;
  }

  get feeds(): readonly ObjectFeed[] {
    return [
      {
        synced: () => this.#isSynced,
        whenSynced: () => this.#whenSynced,
        get: () => undefined,
        list: () => [],
        onChange: () => () => undefined,
        problem: () => undefined,
      },
    ];
  }

  chooserOf(): 'door' | 'dataplane' {
    return this.#chooser;
  }

  capacityOf(node: JsonMap): NodeCapacity | undefined {
    const room = this.rooms.get(nameOf(node)) ?? { used: 0 };
    return room === 'none' ? undefined : room;
  }

  canCarry(node: JsonMap): boolean {
    return !this.outside.has(nameOf(node));
  }

  placed(): readonly CarriedNow[] {
    const byDoor = [...this.nodes].flatMap(([node, { addresses }]) => addresses.map((address) => ({ address, node })));
    const own = [...this.namespaces.values()].flatMap(({ items }) => items);
    return [...byDoor, ...own].map((each) => ({ ...each, isEffective: true }));
  }

  foreign(): readonly ForeignEgress[] {
    return this.foreignOnes;
  }

  known(): { readonly nodes: readonly string[]; readonly namespaces: readonly string[] } {
    const own = [...this.namespaces].filter(([, { isOrphan }]) => !isOrphan);
    return { nodes: [...this.nodes.keys()], namespaces: own.map(([name]) => name) };
  }

  async applyNode({ node, groups, addresses }: NodeEgress): Promise<Written> {
    if (!(await this.#mayWrite(`node/${node}`))) return 'changed';
    const after = {
      groups: groups.map(({ egressIpam, cidr }) => `${egressIpam} ${cidr}`),
      addresses: [...addresses, ...this.#orphansOn(node).filter((each) => !isIn(each, addresses))],
    };
    if (textsOf(this.nodes.get(node)) === textsOf(after)) return 'written';
    if (groups.length === 0 && after.addresses.length === 0) this.nodes.delete(node);
    else this.nodes.set(node, after);
    this.#wrote(`node/${node} [${addresses.join()}] in ${String(groups.length)}`, { of: 'node', name: node });
    return 'written';
  }

  async applyNamespace(wanted: NamespaceEgress): Promise<Written> {
    const { namespace, addresses } = wanted;
    if (!(await this.#mayWrite(`namespace/${namespace}`))) return 'changed';
    const before = this.namespaces.get(namespace);
    if (before !== undefined && sentText(before.wanted) === sentText(wanted)) return 'written';
    const kept = (before?.items ?? []).filter((item) => addresses.some(({ address }) => address.equals(item.address)));
    this.namespaces.set(namespace, { wanted, isOrphan: false, items: kept });
    this.#checkCarried(wanted);
    this.#wrote(`namespace/${namespace} ${sentText(wanted)}`, { of: 'namespace', name: namespace });
    return 'written';
  }

  async releaseNamespace(namespace: string): Promise<Written> {
    if (!(await this.#mayWrite(`namespace/${namespace}`))) return 'changed';
    if (this.namespaces.delete(namespace))
      this.#wrote(`namespace/${namespace} -`, { of: 'namespace', name: namespace });
    return 'written';
  }

  async orphanNamespace(namespace: string): Promise<Written> {
    if (!(await this.#mayWrite(`namespace/${namespace}`))) return 'changed';
    const stored = this.namespaces.get(namespace);
    if (stored === undefined || stored.isOrphan) return 'written';
    stored.isOrphan = true;
    this.#wrote(`namespace/${namespace} orphan`, { of: 'namespace', name: namespace });
    return 'written';
  }

  problemOf(namespace: string): { readonly reason: string; readonly message: string } | undefined {
    const stored = this.namespaces.get(namespace);
    if (this.#chooser === 'door' || stored === undefined || !this.isAwake) return undefined;
    const isShort = stored.items.length < stored.wanted.addresses.length;
    return isShort ? { reason: 'UnassignedRequest', message: 'too few nodes' } : undefined;
  }

  onChange(listener: (change: DataplaneChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets every request for an object fail, or no more. */
  away(key: string, isAway = true): void {
    if (isAway) this.#away.add(key);
    else this.#away.delete(key);
  }

  /** Answers the next request for an object by `changed`. */
  overtake(key: string): void {
    this.#changedOnce.add(key);
  }

  /** Holds requests for an object until the returned function is called. */
  hold(key: string): () => void {
    let free: () => void = () => undefined;
    this.#held.set(key, new Promise((resolve) => (free = resolve)));
    return () => {
      this.#held.delete(key);
      free();
    };
  }

  /** Loses its lists, until the returned function is called. */
  unsync(): () => void {
    this.#isSynced = false;
    this.#whenSynced = new Promise((resolve) => (this.#sync = resolve));
    return () => {
      this.#isSynced = true;
      this.#sync();
    };
  }

  /** Puts an address on a node behind the door's back. */
  intrude(node: string, address: Address): void {
    const before = this.nodes.get(node) ?? { groups: [], addresses: [] };
    this.nodes.set(node, { ...before, addresses: [...before.addresses, address] });
    this.tell({ of: 'node', name: node });
  }

  /** Tells a change. */
  tell(change: DataplaneChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** One round of its controller: addresses leave nodes that are not ready, and those without a node are put on one. */
  work(): void {
    if (this.#chooser === 'door' || !this.isAwake) return;
    for (const [name, stored] of this.namespaces) {
      const before = stored.items;
      const items = before.filter(({ node }) => this.ready.has(node));
      for (const { address } of stored.wanted.addresses) {
        if (items.some((item) => item.address.equals(address))) continue;
        const free = [...this.ready].filter((node) => (this.nodes.get(node)?.groups.length ?? 0) > 0);
        const node = free.find((each) => !items.some((item) => item.node === each));
        if (node !== undefined) items.push({ address, node });
      }
      stored.items = items;
      if (itemsText(before) !== itemsText(items)) this.tell({ of: 'namespace', name });
    }
  }

  async #mayWrite(key: string): Promise<boolean> {
    await this.#held.get(key);
    if (this.#away.has(key)) throw new IpamError('cluster/unavailable', `${key} does not answer`);
    return !this.#changedOnce.delete(key);
  }

  #wrote(what: string, change: DataplaneChange): void {
    this.writes.push(what);
    const at = new Map<string, string>();
    for (const [node, { addresses }] of this.nodes)
      for (const address of addresses) {
        const other = at.get(address.toString());
        if (other !== undefined) this.faults.push(`${address.toString()} is on ${other} and ${node} after ${what}`);
        at.set(address.toString(), node);
      }
    const sent = [...this.namespaces.values()].flatMap(({ wanted }) => wanted.addresses.map(({ address }) => address));
    this.watchman([...[...this.nodes.values()].flatMap(({ addresses }) => addresses), ...sent]);
    queueMicrotask(() => {
      this.tell(change);
      this.work();
    });
  }

  // They stay where they are.
  #orphansOn(node: string): readonly Address[] {
    const orphans = [...this.namespaces.values()].filter(({ isOrphan }) => isOrphan);
    const all = orphans.flatMap(({ wanted }) => wanted.addresses.map(({ address }) => address));
    return (this.nodes.get(node)?.addresses ?? []).filter((address) => isIn(address, all));
  }

  // The traffic of a namespace would be lost.
  #checkCarried({ namespace, addresses }: NamespaceEgress): void {
    for (const { address, node } of addresses) {
      const isThere = this.nodes.get(node ?? '')?.addresses.some((each) => each.equals(address));
      if (node === undefined || isThere === true || this.#away.has(`node/${node}`)) continue;
      this.faults.push(`${namespace} is to send from ${address.toString()}, which ${node} does not have`);
    }
  }
}

const nameOf = (object: JsonMap): string => textOf(metadataOf(object)['name']);

const textsOf = (stored: StoredNode | undefined): string =>
  stored === undefined ? ' ' : `${stored.groups.join()} ${stored.addresses.join()}`;

const sentText = ({ addresses }: NamespaceEgress): string =>
  addresses.map(({ address, node = '' }) => `${address.toString()}@${node}`).join();

const itemsText = (items: StoredNamespace['items']): string =>
  items.map(({ address, node }) => `${address.toString()}@${node}`).join();

/** Dataplanes that a test opens and closes. */
export class MemoryDataplanes implements EgressDataplanes {
  readonly #listeners = new Set<() => void>();
  #open: readonly EgressDataplane[];

  constructor(...open: readonly EgressDataplane[]) {
    this.#open = open;
  }

  /** Sets the dataplanes of the cluster. */
  set(...open: readonly EgressDataplane[]): void {
    this.#open = open;
    for (const listener of this.#listeners) listener();
  }

  choose(asked: string): DataplaneChoice {
    if (asked === 'none') return { kind: 'none' };
    const fitting = this.#open.filter(({ name }) => asked === 'auto' || name === asked);
    const [dataplane] = fitting;
    if (dataplane === undefined) return { kind: 'missing', reason: 'DataplaneAbsent', message: 'there is none' };
    if (fitting.length > 1) return { kind: 'missing', reason: 'DataplaneAmbiguous', message: 'there are several' };
    return { kind: 'driver', dataplane };
  }

  open(): readonly EgressDataplane[] {
    return this.#open;
  }

  find(name: string): EgressDataplane | 'absent' | 'unseen' {
    return this.#open.find((each) => each.name === name) ?? 'unseen';
  }

  whenKnown(): Promise<void> {
    return Promise.resolve();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
