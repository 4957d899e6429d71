import { isIn, type Address } from '../../../addressing/address';
import { HOST_SUBNET, NET_NAMESPACE } from '../../../contract/egress-dataplanes';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { afterWrite, type Written } from '../../../errors/after-write';
import type {
  CarriedNow,
  DataplaneChange,
  EgressGroup,
  ForeignEgress,
  NamespaceEgress,
  NodeCapacity,
  NodeEgress,
} from '../../../ports/egress-dataplane';
import type { ObjectFeed } from '../../../ports/object-feed';
import { ListenerSet } from '../../../runtime/listener-set';
import type { DataplaneCluster, DataplaneWriter } from '../shared/dataplane-cluster';
import { foreignOf } from '../shared/foreign-egress';
import { orphanedMetadata, versionOf } from '../shared/marks';
import { mergePatch } from '../shared/merge-patch';
import type { OpenedDataplane } from '../shared/opened-dataplane';
import { ReadObjects } from '../shared/read-objects';
import { hasOwn, hostSubnetPatch, readHostSubnet, type HostSubnet, type NamespaceAddresses } from './host-subnet';
import { netNamespacePatch, readNetNamespace, releasePatch, type NetNamespace } from './net-namespace';

/** What the cluster is. */
export interface SdnOptions {
  /** True: machines of a cloud, where the SDN cannot distribute addresses by itself. */
  readonly isCloud: boolean;
}

/**
 * OpenShift SDN: addresses stand on the HostSubnet of a node and on the NetNamespace of a namespace, which the SDN makes. Where an EgressIPAM has
 * one CIDR and there is no cloud, the SDN distributes them over the nodes by itself. IPv4 alone. Safe for parallel calls for different
 * namespaces and nodes.
 */
export class OpenShiftSdn implements OpenedDataplane {
  readonly name = 'openshift-sdn';
  readonly feeds: readonly ObjectFeed[];
  readonly #options: SdnOptions;
  readonly #netNamespaces: ReadObjects<NetNamespace>;
  readonly #hostSubnets: ReadObjects<HostSubnet>;
  readonly #writers: Readonly<Record<'netNamespaces' | 'hostSubnets', DataplaneWriter>>;
  readonly #changes = new ListenerSet<DataplaneChange>();
  /** Gathered once for all nodes that are looked at between two changes. */
  #ofNamespaces: NamespaceAddresses | undefined;

  /**
   * Opens the watches.
   *
   * @param cluster - feeds and writers
   * @param options - whether there is a cloud
   */
  constructor(cluster: DataplaneCluster, options: SdnOptions) {
    this.#options = options;
    this.#writers = { netNamespaces: cluster.writer(NET_NAMESPACE), hostSubnets: cluster.writer(HOST_SUBNET) };
    this.#netNamespaces = new ReadObjects(cluster.watch(NET_NAMESPACE), readNetNamespace);
    this.#hostSubnets = new ReadObjects(cluster.watch(HOST_SUBNET), readHostSubnet);
    this.#netNamespaces.onChange(({ name, before, after }) => {
      this.#ofNamespaces = undefined;
      this.#changes.tell({ of: 'namespace', name });
      const all = [before, after].flatMap((each) => (each === undefined || each.marks ? [] : each.addresses));
      for (const address of all) this.#changes.tell({ of: 'address', address });
    });
    this.#hostSubnets.onChange(({ name }) => {
      this.#changes.tell({ of: 'node', name });
    });
    this.feeds = [this.#netNamespaces.feed, this.#hostSubnets.feed];
  }

  /** @inheritdoc */
  chooserOf({ cidrs }: Pick<EgressGroup, 'cidrs'>): 'door' | 'dataplane' {
    return cidrs <= 1 && !this.#options.isCloud ? 'dataplane' : 'door';
  }

  /** @inheritdoc */
  capacityOf(node: JsonMap): NodeCapacity | undefined {
    const stored = this.#hostSubnetOf(node);
    if (stored === undefined) return undefined;
    const { foreign } = this.#addresses();
    return { used: stored.addresses.filter((address) => isIn(address, foreign)).length };
  }

  /** @inheritdoc */
  canCarry(node: JsonMap, address: Address): boolean {
    return address.family === 4 && this.#hostSubnetOf(node) !== undefined;
  }

  /** @inheritdoc */
  placed(): readonly CarriedNow[] {
    const all = this.#hostSubnets
      .all()
      .flatMap(({ node, addresses, recorded }) =>
        addresses.map((address) => ({ address, node, isRecorded: isIn(address, recorded.addresses) })),
      );
    // for an address on two nodes, the one where the door put it comes first
    return all
      .toSorted((a, b) => Number(b.isRecorded) - Number(a.isRecorded))
      .map(({ address, node }) => ({ address, node, isEffective: true }));
  }

  /** @inheritdoc */
  foreign(): readonly ForeignEgress[] {
    const all = this.#netNamespaces.all();
    const listed = new Set(all.flatMap(({ addresses }) => addresses.map(String)));
    const others = all.filter(({ marks }) => marks === undefined);
    return [
      ...others.flatMap(({ object, addresses, name }) =>
        foreignOf(NET_NAMESPACE.kind, object, { addresses, namespace: name }),
      ),
      ...this.#hostSubnets.all().flatMap((stored) => {
        const stray = stored.addresses.filter(
          (address) => !listed.has(address.toString()) && !isRecorded(stored, address),
        );
        const own = stored.hostAddress === undefined ? [] : [stored.hostAddress];
        return foreignOf(HOST_SUBNET.kind, stored.object, { addresses: [...stray, ...own] });
      }),
    ];
  }

  /** @inheritdoc */
  known(): { readonly nodes: readonly string[]; readonly namespaces: readonly string[] } {
    const own = this.#netNamespaces.all().filter(({ marks }) => marks?.isOrphan === false);
    return {
      nodes: this.#hostSubnets
        .all()
        .filter(hasOwn)
        .map(({ node }) => node),
      namespaces: own.map(({ name }) => name),
    };
  }

  /** @inheritdoc */
  async applyNode({ node, groups, addresses }: NodeEgress): Promise<Written> {
    const stored = this.#hostSubnets.get(node);
    // a node without one carries nothing, and is told once the SDN has made it
    if (stored === undefined) return 'written';
    // never both on one node
    const isAutomatic = groups.every((group) => this.chooserOf(group) === 'dataplane');
    const patch = hostSubnetPatch(stored, { groups, addresses, isAutomatic }, this.#addresses());
    if (patch === undefined) return 'written';
    const { key, guard } = versionOf(stored.object);
    return afterWrite(await this.#writers.hostSubnets.patch(key, patch, guard));
  }

  /** @inheritdoc */
  async applyNamespace(wanted: NamespaceEgress): Promise<Written> {
    if (wanted.addresses.length === 0) return this.releaseNamespace(wanted.namespace);
    const stored = this.#netNamespaces.get(wanted.namespace);
    // the SDN makes it a moment after the namespace, and its coming is told then
    const patch = stored && netNamespacePatch(stored, wanted);
    return stored === undefined || patch === undefined ? 'written' : this.#patch(stored, patch);
  }

  /** @inheritdoc */
  releaseNamespace(namespace: string): Promise<Written> {
    return this.#forOwn(namespace, releasePatch);
  }

  /** @inheritdoc */
  orphanNamespace(namespace: string): Promise<Written> {
    return this.#forOwn(namespace, ({ object }) =>
      mergePatch(object, { ...object, metadata: orphanedMetadata(metadataOf(object)) }),
    );
  }

  /** @inheritdoc */
  problemOf(namespace: string): { readonly reason: string; readonly message: string } | undefined {
    const stored = this.#netNamespaces.get(namespace);
    if (stored === undefined) {
      const message = `OpenShift SDN has not made NetNamespace "${namespace}" yet`;
      return { reason: 'NetNamespaceMissing', message };
    }
    if (stored.marks === undefined) return undefined;
    const carried = this.#hostSubnets.all().flatMap(({ addresses }) => addresses);
    const missing = stored.addresses.filter((address) => !isIn(address, carried));
    if (missing.length === 0) return undefined;
    const message = `no HostSubnet has ${missing.join(', ')}, so traffic from there is dropped`;
    return { reason: 'AddressesUnassigned', message };
  }

  /** @inheritdoc */
  onChange(listener: (change: DataplaneChange) => void): () => void {
    return this.#changes.add(listener);
  }

  /** @inheritdoc */
  async close(): Promise<void> {
    await Promise.all([this.#netNamespaces.close(), this.#hostSubnets.close()]);
  }

  #hostSubnetOf(node: JsonMap): HostSubnet | undefined {
    return this.#hostSubnets.get(textOf(metadataOf(node)['name']));
  }

  #addresses(): NamespaceAddresses {
    if (this.#ofNamespaces !== undefined) return this.#ofNamespaces;
    const all = this.#netNamespaces.all();
    const of = (is: (each: NetNamespace) => boolean) => all.filter(is).flatMap(({ addresses }) => addresses);
    return (this.#ofNamespaces = {
      own: of(({ marks }) => marks !== undefined),
      foreign: of(({ marks }) => marks === undefined),
      orphaned: of(({ marks }) => marks?.isOrphan === true),
    });
  }

  async #patch({ object }: NetNamespace, patch: JsonMap): Promise<Written> {
    const { key, guard } = versionOf(object);
    return afterWrite(await this.#writers.netNamespaces.patch(key, patch, guard));
  }

  // Read from the API server: the watch may not have told yet what was written a moment ago.
  async #forOwn(namespace: string, change: (stored: NetNamespace) => JsonMap | undefined): Promise<Written> {
    const { object } = await this.#writers.netNamespaces.read({ namespace: '', name: namespace });
    const stored = object && readNetNamespace(object);
    if (stored?.marks === undefined) return 'written';
    const patch = change(stored);
    return patch === undefined ? 'written' : this.#patch(stored, patch);
  }
}

const isRecorded = ({ recorded }: HostSubnet, address: Address): boolean =>
  isIn(address, recorded.addresses) || recorded.cidrs.some((cidr) => cidr.contains(address));
