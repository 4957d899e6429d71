import { isIn, type Address } from '../../../addressing/address';
import { ANTREA_EGRESS } from '../../../contract/egress-dataplanes';
import { selectorMatches } from '../../../contract/label-selector';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { afterWrite, type Written } from '../../../errors/after-write';
import { isIpamError } from '../../../errors/ipam-error';
import type {
  CarriedNow,
  DataplaneChange,
  ForeignEgress,
  NamespaceEgress,
  NodeCapacity,
  NodeEgress,
} from '../../../ports/egress-dataplane';
import type { ObjectFeed } from '../../../ports/object-feed';
import { ListenerSet } from '../../../runtime/listener-set';
import type { DataplaneCluster } from '../shared/dataplane-cluster';
import { foreignOf } from '../shared/foreign-egress';
import { versionOf } from '../shared/marks';
import { NamespaceObjects } from '../shared/namespace-objects';
import type { OpenedDataplane } from '../shared/opened-dataplane';
import type { ReadChange } from '../shared/read-objects';
import { desiredEgress, egressName, readEgress, type Egress } from './egress';
import { ExternalPools } from './external-pools';
import { isLimited, limitPatch, mostAddresses } from './most-addresses';

type Problem = NonNullable<ReturnType<OpenedDataplane['problemOf']>>;

/**
 * Antrea: an Egress of a namespace has one address of a pool, and Antrea puts it on one of the nodes that the pool chooses. A pool is made with
 * the first namespace that needs it, and ends with the last. Safe for parallel calls for different namespaces and nodes.
 */
export class Antrea implements OpenedDataplane {
  readonly name = 'antrea';
  readonly mostPerNamespace = 1;
  readonly heedsGroups = true;
  readonly feeds: readonly ObjectFeed[];
  readonly #cluster: DataplaneCluster;
  readonly #egresses: NamespaceObjects<Egress>;
  readonly #pools: ExternalPools;
  /** Pools that namespaces use, or are about to, as far as they were written here. */
  readonly #usedBy = new Map<string, string>();
  /** Refusals of the last writes, by namespace. */
  readonly #refusals = new Map<string, string>();
  readonly #changes = new ListenerSet<DataplaneChange>();

  /**
   * Opens the watches.
   *
   * @param cluster - feeds and writers
   */
  constructor(cluster: DataplaneCluster) {
    this.#cluster = cluster;
    this.#egresses = new NamespaceObjects(cluster, ANTREA_EGRESS, {
      read: readEgress,
      namesOf: (namespace) => [egressName(namespace)],
    });
    this.#egresses.onChange((change) => {
      this.#egressChanged(change);
    });
    this.#pools = new ExternalPools(cluster);
    this.#pools.onChange(({ name }) => {
      for (const { marks, pools } of this.#egresses.all())
        if (marks !== undefined && pools.includes(name)) this.#changes.tell({ of: 'namespace', name: marks.namespace });
    });
    this.feeds = [cluster.nodes, this.#egresses.feed, this.#pools.feed];
  }

  /** @inheritdoc */
  chooserOf(): 'dataplane' {
    return 'dataplane';
  }

  /** @inheritdoc */
  capacityOf(node: JsonMap): NodeCapacity {
    const name = textOf(metadataOf(node)['name']);
    const used = this.#egresses.foreign().filter(({ carried }) => carried?.node === name).length;
    return { capacity: mostAddresses(node), used };
  }

  /** @inheritdoc */
  canCarry(): boolean {
    return true;
  }

  /** @inheritdoc */
  placed(): readonly CarriedNow[] {
    return this.#egresses.all().flatMap(({ marks, carried }) => (marks === undefined ? [] : (carried ?? [])));
  }

  /** @inheritdoc */
  foreign(): readonly ForeignEgress[] {
    return this.#egresses
      .foreign()
      .flatMap((egress) => foreignOf(ANTREA_EGRESS.kind, egress.object, { addresses: usedOf(egress) }));
  }

  /** @inheritdoc */
  known(): { readonly nodes: readonly string[]; readonly namespaces: readonly string[] } {
    const nodes = this.#cluster.nodes.list().filter(isLimited);
    return {
      nodes: nodes.map((node) => textOf(metadataOf(node)['name'])),
      namespaces: this.#egresses.namespaces(),
    };
  }

  /** @inheritdoc */
  async applyNode({ node, groups, capacity }: NodeEgress): Promise<Written> {
    const object = this.#cluster.nodes.get('', node);
    if (object === undefined) return 'gone';
    const egressIpams = groups.map(({ egressIpam }) => egressIpam);
    const patch = limitPatch(object, capacity === undefined ? { egressIpams } : { egressIpams, capacity });
    if (patch === undefined) return 'written';
    const { key, guard } = versionOf(object);
    return afterWrite(await this.#cluster.nodeWriter.patch(key, patch, guard));
  }

  /** @inheritdoc */
  async applyNamespace(wanted: NamespaceEgress): Promise<Written> {
    const { namespace } = wanted;
    const [active] = wanted.addresses;
    if (active === undefined) return this.releaseNamespace(namespace);
    try {
      const written = await this.#send(wanted, active);
      this.#refusals.delete(namespace);
      return written;
    } catch (thrown) {
      if (isIpamError(thrown, 'cluster/refused')) this.#refusals.set(namespace, thrown.message);
      throw thrown;
    }
  }

  /** @inheritdoc */
  async releaseNamespace(namespace: string): Promise<Written> {
    const pools = this.#poolsOf(namespace);
    const written = await this.#egresses.release(namespace);
    if (written === 'changed') return written;
    this.#usedBy.delete(namespace);
    this.#refusals.delete(namespace);
    return this.#endUnused(pools, namespace);
  }

  /** @inheritdoc */
  async orphanNamespace(namespace: string): Promise<Written> {
    // the pool first: with its EgressIPAM it would go, and the address with it
    for (const pool of this.#poolsOf(namespace)) if ((await this.#pools.orphan(pool)) === 'changed') return 'changed';
    return this.#egresses.orphan(namespace);
  }

  /** @inheritdoc */
  problemOf(namespace: string): Problem | undefined {
    const refusal = this.#refusals.get(namespace);
    if (refusal !== undefined) return { reason: 'Refused', message: refusal };
    const own = this.#ownOf(namespace);
    if (own === undefined) return undefined;
    if (own.carried?.isEffective !== true) {
      const message = own.refusal ?? `Antrea has put ${own.addresses.join(', ')} on no node yet`;
      return { reason: 'AddressUnassigned', message };
    }
    const labels = mapOf(metadataOf(this.#cluster.namespaces.get('', namespace))['labels']);
    const other = this.#egresses
      .foreign()
      .find((each) => selectorMatches(each.namespaceSelector, labels as Readonly<Record<string, string>>));
    if (other === undefined) return undefined;
    const message = `Egress "${other.name}" selects the namespace too, and Antrea uses one of both at random; take the namespace out of it`;
    return { reason: 'SelectedTwice', message };
  }

  /** @inheritdoc */
  onChange(listener: (change: DataplaneChange) => void): () => void {
    return this.#changes.add(listener);
  }

  /** @inheritdoc */
  async close(): Promise<void> {
    await Promise.all([this.#egresses.close(), this.#pools.close()]);
  }

  #ownOf(namespace: string): Egress | undefined {
    const named = this.#egresses.get(egressName(namespace));
    return named?.marks?.namespace === namespace ? named : undefined;
  }

  #poolsOf(namespace: string): readonly string[] {
    const used = this.#usedBy.get(namespace);
    return [...new Set([...(this.#ownOf(namespace)?.pools ?? []), ...(used === undefined ? [] : [used])])];
  }

  async #send(wanted: NamespaceEgress, { address, group }: NamespaceEgress['addresses'][number]): Promise<Written> {
    const { namespace } = wanted;
    const before = this.#poolsOf(namespace);
    const pool = await this.#pools.ready(address, group, (name) => {
      this.#usedBy.set(namespace, name);
    });
    if (pool.written !== 'written') return 'changed';
    const stored = this.#ownOf(namespace);
    const written = await this.#egresses.write(stored, desiredEgress(wanted, { address, pool: pool.name }, stored));
    if (written !== 'written') return written;
    return this.#endUnused(
      before.filter((name) => name !== pool.name),
      namespace,
    );
  }

  // The watch may still show the former pool of the namespace that has just left it.
  async #endUnused(pools: readonly string[], left: string): Promise<Written> {
    for (const pool of pools) {
      const others = this.#egresses.all().filter(({ marks }) => marks?.namespace !== left);
      const isUsed = others.some((each) => each.pools.includes(pool)) || [...this.#usedBy.values()].includes(pool);
      if (!isUsed && (await this.#pools.end(pool)) === 'changed') return 'changed';
    }
    return 'written';
  }

  #egressChanged({ before, after }: ReadChange<Egress>): void {
    const namespaces = new Set([before, after].flatMap((each) => each?.marks?.namespace ?? []));
    for (const name of namespaces) this.#changes.tell({ of: 'namespace', name });
    const [old, now] = [before, after].map((each) => (each === undefined || each.marks ? [] : usedOf(each)));
    const news = [...(old ?? []).filter((each) => !isIn(each, now ?? [])), ...(now ?? [])];
    for (const address of news) this.#changes.tell({ of: 'address', address });
  }
}

// What Antrea has for an Egress, also while it changes.
const usedOf = ({ addresses, carried }: Egress): readonly Address[] =>
  carried === undefined || isIn(carried.address, addresses) ? addresses : [...addresses, carried.address];
