import { isIn, type Address } from '../../../addressing/address';
import { CLOUD_PRIVATE_IP, EGRESS_IP } from '../../../contract/egress-dataplanes';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { hostAddresses } from '../../../contract/shown-addresses';
import { optionalField } from '../../../contract/optional-field';
import { afterWrite, type Written } from '../../../errors/after-write';
import { IpamError } from '../../../errors/ipam-error';
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
import { readCloudPrivateIp, type CloudPrivateIp } from '../shared/cloud-private-ip';
import type { DataplaneCluster, DataplaneWriter } from '../shared/dataplane-cluster';
import { foreignOf } from '../shared/foreign-egress';
import { marksOf, orphanedMetadata, versionOf } from '../shared/marks';
import { mergePatch } from '../shared/merge-patch';
import type { OpenedDataplane } from '../shared/opened-dataplane';
import { ReadObjects, type ReadChange } from '../shared/read-objects';
import { carrierFor, carrierPatch } from './carrier-node';
import { assignmentProblem } from './assignment-problem';
import {
  desiredEgressIp,
  egressIpName,
  egressIpPatch,
  isMigrated,
  readEgressIp,
  type EgressIp,
  type EgressIpOptions,
} from './egress-ip';
import { nodeFacts } from './node-facts';

/** What the served kinds say about the cluster. */
export interface OvnOptions extends EgressIpOptions {
  /** True: a cloud has to attach each address to a machine, and tells so by CloudPrivateIPConfigs. */
  readonly isCloud: boolean;
}

/**
 * OVN-Kubernetes: it puts the addresses of an EgressIP on nodes with a label, each on a node of its own. Safe for parallel calls for different
 * namespaces and nodes.
 */
export class OvnKubernetes implements OpenedDataplane {
  readonly name = 'ovn-kubernetes';
  readonly feeds: readonly ObjectFeed[];
  readonly #cluster: DataplaneCluster;
  readonly #options: OvnOptions;
  readonly #egressIps: ReadObjects<EgressIp>;
  readonly #cloudIps: ReadObjects<CloudPrivateIp> | undefined;
  readonly #writer: DataplaneWriter;
  readonly #changes = new ListenerSet<DataplaneChange>();

  /**
   * Opens the watches.
   *
   * @param cluster - feeds and writers
   * @param options - of the served kinds
   */
  constructor(cluster: DataplaneCluster, options: OvnOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#writer = cluster.writer(EGRESS_IP);
    this.#egressIps = new ReadObjects(cluster.watch(EGRESS_IP), readEgressIp);
    this.#egressIps.onChange((change) => {
      this.#changed(change);
    });
    if (options.isCloud) {
      this.#cloudIps = new ReadObjects(cluster.watch(CLOUD_PRIVATE_IP), readCloudPrivateIp);
      this.#cloudIps.onChange(({ before, after }) => {
        this.#cloudChanged((after ?? before)?.address);
      });
    }
    this.feeds = [cluster.nodes, this.#egressIps.feed, ...(this.#cloudIps === undefined ? [] : [this.#cloudIps.feed])];
  }

  /** @inheritdoc */
  chooserOf(): 'dataplane' {
    return 'dataplane';
  }

  /** @inheritdoc */
  capacityOf(node: JsonMap): NodeCapacity | undefined {
    const read = nodeFacts(node, this.#options.isCloud);
    if (!read.ok) return undefined;
    const name = textOf(metadataOf(node)['name']);
    const others = this.#egressIps.all().filter(({ marks }) => marks === undefined);
    const used = others.flatMap(({ items }) => items.filter((item) => item.node === name)).length;
    return { ...optionalField('capacity', read.facts.capacity), used };
  }

  /** @inheritdoc */
  canCarry(node: JsonMap, address: Address): boolean {
    const read = nodeFacts(node, this.#options.isCloud);
    return read.ok && read.facts.subnets.some((subnet) => subnet.contains(address));
  }

  /** @inheritdoc */
  placed(): readonly CarriedNow[] {
    return this.#egressIps
      .all()
      .flatMap(({ items }) =>
        items.map(({ address, node }) => ({ address, node, isEffective: this.#isAttached(address, node) })),
      );
  }

  /** @inheritdoc */
  foreign(): readonly ForeignEgress[] {
    const all = this.#egressIps.all();
    const others = all.filter(({ marks }) => marks === undefined);
    const known = new Set(all.flatMap(({ addresses }) => addresses.map(String)));
    const isKnown = (address: Address): boolean => known.has(address.toString());
    return [
      ...others.flatMap(({ object, addresses, onlyNamespace }) =>
        foreignOf(EGRESS_IP.kind, object, { addresses, ...optionalField('namespace', onlyNamespace) }),
      ),
      ...(this.#cloudIps?.all() ?? []).flatMap(({ object, address }) =>
        address === undefined || isKnown(address)
          ? []
          : foreignOf(CLOUD_PRIVATE_IP.kind, object, { addresses: [address] }),
      ),
      ...this.#cluster.nodes.list().flatMap((node) => {
        const addresses = hostAddresses(metadataOf(node)['annotations']).filter((address) => !isKnown(address));
        return foreignOf('Node', node, { addresses });
      }),
    ];
  }

  /** @inheritdoc */
  known(): { readonly nodes: readonly string[]; readonly namespaces: readonly string[] } {
    const nodes = this.#cluster.nodes.list().filter((node) => carrierFor(node).length > 0);
    const marks = this.#egressIps.all().flatMap((each) => each.marks ?? []);
    return {
      nodes: nodes.map((node) => textOf(metadataOf(node)['name'])),
      namespaces: [...new Set(marks.filter(({ isOrphan }) => !isOrphan).map(({ namespace }) => namespace))],
    };
  }

  /** @inheritdoc */
  async applyNode({ node, groups }: NodeEgress): Promise<Written> {
    const object = this.#cluster.nodes.get('', node);
    if (object === undefined) return 'gone';
    const orphans = new Set(
      this.#egressIps.all().flatMap(({ marks }) => (marks?.isOrphan === true ? [marks.egressIpam] : [])),
    );
    // an orphan needs its node as before
    const staying = carrierFor(object).filter((name) => orphans.has(name));
    const patch = carrierPatch(object, [...groups.map(({ egressIpam }) => egressIpam), ...staying]);
    if (patch === undefined) return 'written';
    const { key, guard } = versionOf(object);
    return afterWrite(await this.#cluster.nodeWriter.patch(key, patch, guard));
  }

  /** @inheritdoc */
  async applyNamespace(wanted: NamespaceEgress): Promise<Written> {
    if (wanted.addresses.length === 0) return this.releaseNamespace(wanted.namespace);
    const all = this.#egressIps.all();
    const stored = this.#ownOf(wanted.namespace) ?? all.find((each) => isMigrated(each, wanted));
    if (stored === undefined) return this.#create(wanted);
    const patch = egressIpPatch(stored, wanted, this.#options);
    if (patch === undefined) return 'written';
    const { key, guard } = versionOf(stored.object);
    return afterWrite(await this.#writer.patch(key, patch, guard));
  }

  /** @inheritdoc */
  releaseNamespace(namespace: string): Promise<Written> {
    return this.#forOwn(namespace, async (object) => {
      const { key, guard } = versionOf(object);
      return afterWrite(await this.#writer.delete(key, guard));
    });
  }

  /** @inheritdoc */
  orphanNamespace(namespace: string): Promise<Written> {
    return this.#forOwn(namespace, async (object) => {
      const patch = mergePatch(object, { ...object, metadata: orphanedMetadata(metadataOf(object)) });
      if (patch === undefined) return 'written';
      const { key, guard } = versionOf(object);
      return afterWrite(await this.#writer.patch(key, patch, guard));
    });
  }

  /** @inheritdoc */
  problemOf(namespace: string): { readonly reason: string; readonly message: string } | undefined {
    const own = this.#ownOf(namespace);
    if (own === undefined) return undefined;
    const others = this.#egressIps.all().filter(({ marks }) => marks === undefined);
    const nodes = this.#cluster.nodes.list();
    const labels = metadataOf(this.#cluster.namespaces.get('', namespace))['labels'];
    return assignmentProblem(own, {
      others,
      nodes,
      labels,
      cloudIps: this.#cloudIps?.all() ?? [],
      isCloud: this.#options.isCloud,
    });
  }

  /** @inheritdoc */
  onChange(listener: (change: DataplaneChange) => void): () => void {
    return this.#changes.add(listener);
  }

  /** @inheritdoc */
  async close(): Promise<void> {
    await Promise.all([this.#egressIps.close(), this.#cloudIps?.close()]);
  }

  #ownOf(namespace: string): EgressIp | undefined {
    const named = this.#egressIps.get(egressIpName(namespace));
    if (named?.marks?.namespace === namespace) return named;
    return this.#egressIps.all().find(({ marks }) => marks?.namespace === namespace);
  }

  async #create(wanted: NamespaceEgress): Promise<Written> {
    const name = egressIpName(wanted.namespace);
    if (this.#egressIps.get(name) !== undefined) {
      const message = `EgressIP "${name}" was not made by the operator and has the name of that of namespace "${wanted.namespace}"; rename or delete it`;
      throw new IpamError('cluster/refused', message);
    }
    return afterWrite(await this.#writer.create(desiredEgressIp(wanted, this.#options)));
  }

  // Read from the API server: the watch may not have told yet what was made a moment ago.
  async #forOwn(namespace: string, write: (object: JsonMap) => Promise<Written>): Promise<Written> {
    const about = this.#egressIps
      .all()
      .filter(({ marks, onlyNamespace }) => (marks?.namespace ?? onlyNamespace) === namespace);
    const names = new Set([egressIpName(namespace), ...about.map(({ name }) => name)]);
    let written: Written = 'written';
    for (const name of names) {
      const { object } = await this.#writer.read({ namespace: '', name });
      if (object === undefined || marksOf(object)?.namespace !== namespace) continue;
      if ((await write(object)) === 'changed') written = 'changed';
    }
    return written;
  }

  #isAttached(address: Address, node: string): boolean {
    if (this.#cloudIps === undefined) return true;
    return this.#cloudIps.all().some((each) => each.attachedTo === node && each.address?.equals(address) === true);
  }

  #changed({ before, after }: ReadChange<EgressIp>): void {
    const namespaces = new Set([before, after].flatMap((each) => each?.marks?.namespace ?? []));
    for (const name of namespaces) this.#changes.tell({ of: 'namespace', name });
    const [old, now] = [before, after].map((each) => (each === undefined || each.marks ? [] : each.addresses));
    const news = [...(old ?? []).filter((each) => !isIn(each, now ?? [])), ...(now ?? [])];
    for (const address of news) this.#changes.tell({ of: 'address', address });
  }

  #cloudChanged(address: Address | undefined): void {
    if (address === undefined) return;
    const own = this.#egressIps.all().find(({ marks, addresses }) => marks && isIn(address, addresses));
    if (own?.marks === undefined) this.#changes.tell({ of: 'address', address });
    else this.#changes.tell({ of: 'namespace', name: own.marks.namespace });
  }
}
