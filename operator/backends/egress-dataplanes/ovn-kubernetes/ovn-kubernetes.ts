import { isIn, type Address } from '../../../addressing/address';
import { CLOUD_PRIVATE_IP, EGRESS_IP } from '../../../contract/egress-dataplanes';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { hostAddresses } from '../../../contract/shown-addresses';
import { optionalField } from '../../../contract/optional-field';
import { afterWrite, type Written } from '../../../errors/after-write';
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
import type { DataplaneCluster } from '../shared/dataplane-cluster';
import { foreignOf } from '../shared/foreign-egress';
import { versionOf } from '../shared/marks';
import { NamespaceObjects } from '../shared/namespace-objects';
import type { OpenedDataplane } from '../shared/opened-dataplane';
import { ReadObjects, type ReadChange } from '../shared/read-objects';
import { carrierFor, carrierPatch } from './carrier-node';
import { assignmentProblem } from './assignment-problem';
import {
  desiredEgressIp,
  egressIpName,
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
  readonly #egressIps: NamespaceObjects<EgressIp>;
  readonly #cloudIps: ReadObjects<CloudPrivateIp> | undefined;
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
    this.#egressIps = new NamespaceObjects(cluster, EGRESS_IP, {
      read: readEgressIp,
      namesOf: (namespace) => [egressIpName(namespace)],
    });
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
    const others = this.#egressIps.foreign();
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
    const others = this.#egressIps.foreign();
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
    return {
      nodes: nodes.map((node) => textOf(metadataOf(node)['name'])),
      namespaces: this.#egressIps.namespaces(),
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
    return this.#egressIps.write(stored, desiredEgressIp(wanted, this.#options, stored));
  }

  /** @inheritdoc */
  releaseNamespace(namespace: string): Promise<Written> {
    return this.#egressIps.release(namespace);
  }

  /** @inheritdoc */
  orphanNamespace(namespace: string): Promise<Written> {
    return this.#egressIps.orphan(namespace);
  }

  /** @inheritdoc */
  problemOf(namespace: string): { readonly reason: string; readonly message: string } | undefined {
    const own = this.#ownOf(namespace);
    if (own === undefined) return undefined;
    const others = this.#egressIps.foreign();
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
