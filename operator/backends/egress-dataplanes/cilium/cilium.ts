import type { Address, Family } from '../../../addressing/address';
import { NODE_EGRESS_ADDRESSES } from '../../../contract/egress';
import { CILIUM_POLICY } from '../../../contract/egress-dataplanes';
import { selectorMatches } from '../../../contract/label-selector';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { Written } from '../../../errors/after-write';
import type {
  CarriedNow,
  DataplaneChange,
  ForeignEgress,
  NamespaceEgress,
  NodeCapacity,
} from '../../../ports/egress-dataplane';
import type { ObjectFeed } from '../../../ports/object-feed';
import { ListenerSet } from '../../../runtime/listener-set';
import type { DataplaneCluster } from '../shared/dataplane-cluster';
import { foreignOf } from '../shared/foreign-egress';
import { NamespaceObjects } from '../shared/namespace-objects';
import type { OpenedDataplane } from '../shared/opened-dataplane';
import type { ReadChange } from '../shared/read-objects';
import { GatewayNodes, HOSTNAME_LABEL } from './gateway-nodes';
import {
  desiredPolicy,
  policyName,
  readGatewayPolicy,
  type GatewayPolicy,
  type PlacedAddress,
  type PolicyOptions,
} from './gateway-policy';

/** What the served schema says. */
export interface CiliumOptions extends PolicyOptions {
  /** True: the served schema admits destinations of IPv6. */
  readonly hasIpv6: boolean;
}

const OWN_HOSTNAME = `its label ${HOSTNAME_LABEL} has to be its own`;
const LISTED = `its annotation ${NODE_EGRESS_ADDRESSES} has to list the addresses of its interfaces`;
const FAMILIES: readonly Family[] = [4, 6];

/**
 * Cilium: a policy of a namespace names the node that sends its traffic, and the address. Cilium neither puts the address on an interface nor
 * follows a node that fails, so only a node that has the address is a gateway, and the policy follows where the door places it. Safe for parallel
 * calls for different namespaces and nodes.
 */
export class Cilium implements OpenedDataplane {
  readonly name = 'cilium';
  readonly feeds: readonly ObjectFeed[];
  readonly mostPerNamespace?: number;
  readonly #cluster: DataplaneCluster;
  readonly #options: CiliumOptions;
  readonly #policies: NamespaceObjects<GatewayPolicy>;
  readonly #nodes: GatewayNodes;
  readonly #changes = new ListenerSet<DataplaneChange>();

  /**
   * Opens the watches.
   *
   * @param cluster - feeds and writers
   * @param options - of the served schema
   */
  constructor(cluster: DataplaneCluster, options: CiliumOptions) {
    this.#cluster = cluster;
    this.#options = options;
    if (!options.hasList) this.mostPerNamespace = 1;
    this.#policies = new NamespaceObjects(cluster, CILIUM_POLICY, {
      read: readGatewayPolicy,
      namesOf: (namespace) => FAMILIES.map((family) => policyName(namespace, family)),
    });
    this.#policies.onChange((change) => {
      this.#policyChanged(change);
    });
    this.#nodes = new GatewayNodes(cluster.nodes, (node, addresses) => {
      this.#nodeChanged(node, addresses);
    });
    this.feeds = [cluster.nodes, this.#policies.feed];
  }

  /** @inheritdoc */
  get nodesNeed(): string {
    return this.#cluster.isAttaching() ? OWN_HOSTNAME : `${LISTED}, and ${OWN_HOSTNAME}`;
  }

  /** @inheritdoc */
  chooserOf(): 'door' {
    return 'door';
  }

  /** @inheritdoc */
  capacityOf(node: JsonMap): NodeCapacity | undefined {
    const { name, labels } = metadataOf(node);
    if (this.#nodes.hostOf(textOf(name)) === undefined) return undefined;
    const gateways = this.#policies.foreign().flatMap((policy) => policy.gateways);
    const isHere = ({ address, nodeSelector }: (typeof gateways)[number]): boolean =>
      address !== undefined && selectorMatches(nodeSelector, mapOf(labels) as Readonly<Record<string, string>>);
    return { used: gateways.filter(isHere).length };
  }

  /** @inheritdoc */
  canCarry(node: JsonMap, address: Address): boolean {
    const name = textOf(metadataOf(node)['name']);
    const isSendable = address.family === 4 || this.#options.hasIpv6;
    return isSendable && this.#nodes.hostOf(name) !== undefined && this.#comesTo(name, address);
  }

  /** @inheritdoc */
  placed(): readonly CarriedNow[] {
    return this.#own().flatMap(({ gateways }) => gateways.flatMap((gateway) => this.#whereIs(gateway)));
  }

  /** @inheritdoc */
  foreign(): readonly ForeignEgress[] {
    return this.#policies.foreign().flatMap(({ object, gateways }) => {
      const addresses = gateways.flatMap(({ address }) => address ?? []);
      return foreignOf(CILIUM_POLICY.kind, object, { addresses });
    });
  }

  /** @inheritdoc */
  known(): { readonly nodes: readonly string[]; readonly namespaces: readonly string[] } {
    return { nodes: [], namespaces: this.#policies.namespaces() };
  }

  /** @inheritdoc */
  applyNode(): Promise<Written> {
    return Promise.resolve('written');
  }

  /** @inheritdoc */
  async applyNamespace(wanted: NamespaceEgress): Promise<Written> {
    const written: Written[] = [];
    for (const family of FAMILIES) written.push(await this.#applyFamily(wanted, family));
    return written.find((each) => each !== 'written') ?? 'written';
  }

  /** @inheritdoc */
  releaseNamespace(namespace: string): Promise<Written> {
    return this.#policies.release(namespace);
  }

  /** @inheritdoc */
  orphanNamespace(namespace: string): Promise<Written> {
    return this.#policies.orphan(namespace);
  }

  /** @inheritdoc */
  problemOf(namespace: string): { readonly reason: string; readonly message: string } | undefined {
    const own = this.#own().filter(({ marks }) => marks?.namespace === namespace);
    const missing = (this.#cluster.isAttaching() ? [] : own)
      .flatMap(({ gateways }) => gateways.flatMap((gateway) => this.#whereIs(gateway)))
      .find(({ isEffective }) => !isEffective);
    if (missing !== undefined) {
      const [address, node] = [missing.address.toString(), missing.node];
      const message = `Node "${node}" does not list ${address} in its annotation ${NODE_EGRESS_ADDRESSES}, and Cilium drops traffic from an address that its gateway does not have`;
      return { reason: 'AddressNotOnNode', message };
    }
    const other =
      own.length === 0 ? undefined : this.#policies.foreign().find((each) => each.selects.includes(namespace));
    if (other === undefined) return undefined;
    const message = `CiliumEgressGatewayPolicy "${other.name}" selects Pods of the namespace too, and Cilium does not say which of both it uses; take the namespace out of it`;
    return { reason: 'SelectedTwice', message };
  }

  /** @inheritdoc */
  onChange(listener: (change: DataplaneChange) => void): () => void {
    return this.#changes.add(listener);
  }

  /** @inheritdoc */
  async close(): Promise<void> {
    this.#nodes.close();
    await this.#policies.close();
  }

  #own(): readonly GatewayPolicy[] {
    return this.#policies.all().filter(({ marks }) => marks !== undefined);
  }

  // Where no cloud attaches it, it has to be there already.
  #comesTo(node: string, address: Address): boolean {
    return this.#cluster.isAttaching() || this.#nodes.having(address).includes(node);
  }

  // The node of the policy first, then others that have the address too: the door moves it to one of them.
  #whereIs({ address, host }: GatewayPolicy['gateways'][number]): readonly CarriedNow[] {
    const node = host === undefined ? undefined : this.#nodes.at(host);
    if (address === undefined) return [];
    // the cloud confirms it
    if (this.#cluster.isAttaching()) return node === undefined ? [] : [{ address, node, isEffective: true }];
    const having = this.#nodes.having(address);
    const first = node === undefined ? [] : having.filter((each) => each === node);
    const all = [...first, ...having.filter((each) => each !== node)].map((each) => ({
      node: each,
      isEffective: true,
    }));
    // a node that is gone, or has lost the address, is where it was last
    const nowhere = [{ node: node ?? host ?? '', isEffective: false }];
    return (all.length > 0 ? all : nowhere).map((each) => ({ address, ...each }));
  }

  #applyFamily(of: NamespaceEgress, family: Family): Promise<Written> {
    const name = policyName(of.namespace, family);
    const found = this.#policies.get(name);
    const stored = found?.marks?.namespace === of.namespace ? found : undefined;
    const placed = of.addresses.flatMap(({ address, node }) =>
      address.family === family ? this.#placedAt(address, node, stored) : [],
    );
    if (placed.length > 0)
      return this.#policies.write(stored, desiredPolicy({ of, family, placed }, this.#options, stored));
    return this.#policies.mayHave(name) ? this.#policies.release(of.namespace, [name]) : Promise.resolve('written');
  }

  // A policy names a node only once that one has the address; until then it stays as it is.
  #placedAt(address: Address, node: string | undefined, stored: GatewayPolicy | undefined): readonly PlacedAddress[] {
    const host = node === undefined ? undefined : this.#nodes.hostOf(node);
    const having = this.#nodes.having(address);
    if (node !== undefined && host !== undefined && this.#comesTo(node, address))
      return [{ address, host, isPresent: having.includes(node) }];
    const before = stored?.gateways.find((each) => each.address?.equals(address) === true)?.host;
    if (before === undefined) return [];
    const at = this.#nodes.at(before);
    return [{ address, host: before, isPresent: at !== undefined && having.includes(at) }];
  }

  #policyChanged({ before, after }: ReadChange<GatewayPolicy>): void {
    const namespaces = new Set([before, after].flatMap((each) => each?.marks?.namespace ?? []));
    for (const name of namespaces) this.#changes.tell({ of: 'namespace', name });
    const others = [before, after].flatMap((each) => (each === undefined || each.marks ? [] : each.gateways));
    const addresses = new Map(others.flatMap(({ address }) => (address ? [[address.toString(), address]] : [])));
    for (const address of addresses.values()) this.#changes.tell({ of: 'address', address });
  }

  #nodeChanged(node: string, addresses: readonly Address[]): void {
    this.#changes.tell({ of: 'node', name: node });
    const texts = new Set(addresses.map(String));
    for (const { marks, gateways } of this.#own()) {
      const isConcerned = gateways.some(({ address }) => address !== undefined && texts.has(address.toString()));
      if (isConcerned && marks !== undefined) this.#changes.tell({ of: 'namespace', name: marks.namespace });
    }
  }
}
