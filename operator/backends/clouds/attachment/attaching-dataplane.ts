import { isIn, type Address } from '../../../addressing/address';
import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { Written } from '../../../errors/after-write';
import type { Cloud, CloudMachine, CloudSecondary, CloudWant } from '../../../ports/cloud';
import type {
  CarriedNow,
  DataplaneChange,
  EgressDataplane,
  EgressGroup,
  ForeignEgress,
  NamespaceEgress,
  NodeCapacity,
  NodeEgress,
} from '../../../ports/egress-dataplane';
import type { ObjectFeed } from '../../../ports/object-feed';
import { ListenerSet } from '../../../runtime/listener-set';
import { cloudFault } from '../shared/cloud-fault';
import type { CloudDemand } from './cloud-demand';
import type { CloudView } from './cloud-view';
import type { NodeTurns } from './node-turns';
import { SentAddresses } from './sent-addresses';

/** Parts of {@link AttachingDataplane}. */
export interface AttachingParts {
  readonly cloud: Cloud;
  readonly view: CloudView;
  readonly demand: CloudDemand;
  /** Shared by the dataplanes of a cluster. */
  readonly turns: NodeTurns;
  /** Tells whether a controller of the platform attaches addresses, so that this one only looks. */
  isPlatformAttaching(): boolean;
}

/** An address that could not be attached, and the fault. */
interface Failed {
  readonly wants: readonly CloudWant[];
  readonly thrown: unknown;
}

/**
 * A dataplane on machines of a cloud: an address is attached to the machine of its node before the dataplane has it there, and detached from the
 * one where it was before that. Only addresses with a claim are ever detached. What the dataplane chooses by itself is followed.
 */
export class AttachingDataplane implements EgressDataplane {
  readonly name: string;
  readonly feeds: readonly ObjectFeed[];
  readonly mostPerNamespace?: number;
  readonly heedsGroups?: boolean;
  readonly #inner: EgressDataplane;
  readonly #parts: AttachingParts;
  readonly #sent = new SentAddresses();
  readonly #changes = new ListenerSet<DataplaneChange>();
  /** Nodes on which the dataplane showed addresses last. */
  #shownOn: ReadonlyMap<string, string> = new Map();

  /**
   * Follows the dataplane and the cloud for as long as there are listeners.
   *
   * @param inner - writes objects of the cluster
   * @param parts - cloud, and what is asked of it
   */
  constructor(inner: EgressDataplane, parts: AttachingParts) {
    this.#inner = inner;
    this.#parts = parts;
    this.name = inner.name;
    this.feeds = [...inner.feeds, parts.view.feed];
    if (inner.mostPerNamespace !== undefined) this.mostPerNamespace = inner.mostPerNamespace;
    if (inner.heedsGroups !== undefined) this.heedsGroups = inner.heedsGroups;
  }

  /** @inheritdoc */
  get nodesNeed(): string | undefined {
    return this.#inner.nodesNeed;
  }

  /** @inheritdoc */
  chooserOf(egressIpam: Pick<EgressGroup, 'cidrs'>): 'door' | 'dataplane' {
    return this.#inner.chooserOf(egressIpam);
  }

  /** @inheritdoc */
  capacityOf(node: JsonMap): NodeCapacity | undefined {
    const inner = this.#inner.capacityOf(node);
    const machine = this.#machineOf(node);
    if (inner === undefined || machine === undefined || this.#isLooking()) return inner;
    const most = mostOf(machine);
    const { demand } = this.#parts;
    const foreign = machine.secondary.filter(({ address }) => !demand.isOurs(address)).length + machine.otherUse;
    return { capacity: Math.min(most, inner.capacity ?? Infinity), used: Math.max(inner.used, foreign) };
  }

  /** @inheritdoc */
  canCarry(node: JsonMap, address: Address): boolean {
    if (!this.#inner.canCarry(node, address)) return false;
    if (this.#isLooking() || this.#parts.demand.wantOf(address) === undefined) return true;
    const machine = this.#machineOf(node);
    return machine !== undefined && this.#parts.view.isInSubnet(machine, address);
  }

  /** @inheritdoc */
  placed(): readonly CarriedNow[] {
    const inner = this.#inner.placed();
    if (this.#isLooking()) return inner;
    const { view, demand } = this.#parts;
    const shown = inner.map((each) => {
      if (demand.wantOf(each.address) === undefined) return { ...each, isAttached: true };
      const isAttached = view.holderOf(each.address)?.node === each.node;
      return { ...each, isEffective: each.isEffective && isAttached, isAttached };
    });
    const attached = view
      .machines()
      .flatMap(({ node, secondary }) => secondary.map(({ address }) => ({ address, node })))
      .filter(({ address, node }) => demand.isOurs(address) && !shown.some((each) => isAt(each, { address, node })))
      .map((each) => ({ ...each, isEffective: false, isAttached: true }));
    const all = [...shown, ...attached];
    // of an address on two nodes the one counts that the cloud confirms, or else the one that the dataplane chose
    const isCloudFirst = this.#inner.chooserOf({ cidrs: 2 }) === 'door';
    const ordered = isCloudFirst ? all.toSorted((a, b) => Number(b.isAttached) - Number(a.isAttached)) : all;
    return ordered.map(({ address, node, isEffective }) => ({ address, node, isEffective }));
  }

  /** @inheritdoc */
  foreign(): readonly ForeignEgress[] {
    return this.#inner.foreign();
  }

  /** @inheritdoc */
  known(): ReturnType<EgressDataplane['known']> {
    const { nodes, namespaces } = this.#inner.known();
    if (this.#isLooking()) return { nodes, namespaces };
    const { view, demand } = this.#parts;
    const attached = view.machines().filter(({ secondary }) => secondary.some(({ address }) => demand.isOurs(address)));
    return { nodes: [...new Set([...nodes, ...attached.map(({ node }) => node)])], namespaces };
  }

  /** @inheritdoc */
  async applyNode(wanted: NodeEgress): Promise<Written> {
    if (this.#isLooking()) return this.#inner.applyNode(wanted);
    const failed = await this.#parts.turns.take(wanted.node, () => this.#bring(wanted));
    if (failed === 'changed') return 'changed';
    const without = failed?.wants.map(({ address }) => address) ?? [];
    const addresses = wanted.addresses.filter((address) => !isIn(address, without));
    const machine = this.#parts.view.machine(wanted.node);
    const capacity = typeof machine === 'string' ? {} : { capacity: mostOf(machine) };
    const written = await this.#inner.applyNode({ ...wanted, ...capacity, addresses });
    // what could be attached works by now; the rest is tried again
    if (failed !== undefined) throw failed.thrown;
    return written;
  }

  /** @inheritdoc */
  async applyNamespace(wanted: NamespaceEgress): Promise<Written> {
    const { namespace } = wanted;
    const addresses = wanted.addresses.map(({ address }) => address);
    this.#sent.sends(namespace, addresses);
    const written = await this.#inner.applyNamespace(wanted);
    if (written === 'written') this.#settled(this.#sent.isOnly(namespace, addresses));
    return written;
  }

  /** @inheritdoc */
  async releaseNamespace(namespace: string): Promise<Written> {
    const written = await this.#inner.releaseNamespace(namespace);
    if (written !== 'changed') this.#settled(this.#sent.isOnly(namespace, []));
    return written;
  }

  /** @inheritdoc */
  orphanNamespace(namespace: string): Promise<Written> {
    return this.#inner.orphanNamespace(namespace);
  }

  /** @inheritdoc */
  problemOf(namespace: string): { readonly reason: string; readonly message: string } | undefined {
    return this.#inner.problemOf(namespace);
  }

  /** @inheritdoc */
  onChange(listener: (change: DataplaneChange) => void): () => void {
    const stops = [
      this.#changes.add(listener),
      this.#inner.onChange((change) => {
        listener(change);
        this.#lookAtShown(listener);
      }),
      this.#parts.view.onEach((change) => {
        if (change.of === 'node') listener(change);
      }),
      this.#parts.demand.onChange(() => {
        for (const name of this.known().nodes) listener({ of: 'node', name });
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  #isLooking(): boolean {
    return this.#parts.isPlatformAttaching();
  }

  #machineOf(node: JsonMap): CloudMachine | undefined {
    const machine = this.#parts.view.machine(textOf(metadataOf(node)['name']));
    return typeof machine === 'string' ? undefined : machine;
  }

  // What the door chose, and what the dataplane has put there by itself.
  #wantsOf({ node, addresses, groups }: NodeEgress): readonly CloudWant[] {
    const { demand } = this.#parts;
    const isFollowed = groups.some((group) => this.#inner.chooserOf(group) === 'dataplane');
    const shown = isFollowed ? this.#inner.placed().flatMap((each) => (each.node === node ? each.address : [])) : [];
    const followed = shown.filter((address) => demand.isOurs(address) && !isIn(address, addresses));
    return [...addresses, ...followed].flatMap((address) => demand.wantOf(address) ?? []);
  }

  async #bring(wanted: NodeEgress): Promise<Failed | 'changed' | undefined> {
    const { view } = this.#parts;
    const wants = this.#wantsOf(wanted);
    const seen = view.machine(wanted.node);
    if (typeof seen !== 'string' && this.#differenceOf(seen, wanted, wants) === undefined) return undefined;
    if (seen === 'none' && wants.length === 0) return undefined;
    // decided on what the cloud has now, since the look may be a minute old
    const machine = await view.read(wanted.node);
    if (machine === undefined) return this.#withoutMachine(wanted, wants);
    const difference = this.#differenceOf(machine, wanted, wants);
    return difference && this.#carryOut(machine, difference);
  }

  #withoutMachine({ node }: NodeEgress, wants: readonly CloudWant[]): Failed | undefined {
    if (wants.length === 0) return undefined;
    const thrown = cloudFault('refused', `attach: the cloud has no machine for Node "${node}"`);
    return { wants, thrown };
  }

  #differenceOf(machine: CloudMachine, wanted: NodeEgress, wants: readonly CloudWant[]): Difference | undefined {
    const attach = wants.filter((want) => !machine.secondary.some((each) => isAsWanted(machine, each, want)));
    const detach = machine.secondary
      .map(({ address }) => address)
      .filter((address) => !isIn(address, wanted.addresses) && !wants.some((want) => want.address.equals(address)))
      .filter((address) => this.#mayLeave(address, machine.node));
    return attach.length + detach.length === 0 ? undefined : { attach, detach };
  }

  // Where the dataplane chooses, an address stays until it is shown elsewhere, or nothing sends from it any more.
  #mayLeave(address: Address, node: string): boolean {
    if (!this.#parts.demand.isOurs(address)) return false;
    if (this.#inner.chooserOf({ cidrs: 1 }) === 'door') return true;
    const at = this.#inner.placed().filter((each) => each.address.equals(address));
    if (at.length > 0) return at.every((each) => each.node !== node);
    return !this.#sent.maySend(address, this.#inner.known().namespaces);
  }

  async #carryOut(machine: CloudMachine, { attach, detach }: Difference): Promise<Failed | 'changed' | undefined> {
    const { cloud, view } = this.#parts;
    if (detach.length > 0) {
      const ended = await cloud.detach(machine, detach);
      if (ended === 'changed') return 'changed';
      const after = await view.read(machine.node);
      const left = detach.filter((address) => isIn(address, addressesOf(after)));
      if (left.length > 0) throw cloudFault('unavailable', `detach: ${machine.name} has ${left.join(', ')} still`);
    }
    if (attach.length === 0) return undefined;
    try {
      return await this.#attach(machine.node, attach);
    } catch (thrown) {
      // another look finds the machine that has an address
      this.#parts.view.look();
      return { wants: attach, thrown };
    }
  }

  async #attach(node: string, wants: readonly CloudWant[]): Promise<Failed | 'changed' | undefined> {
    const { cloud, view } = this.#parts;
    for (const { address } of wants) await this.#leaveOther(address, node);
    const machine = await view.read(node);
    if (machine === undefined)
      return { wants, thrown: cloudFault('refused', `attach: the machine of Node "${node}" ended`) };
    const missing = wants.filter((want) => !machine.secondary.some((each) => isAsWanted(machine, each, want)));
    if (missing.length === 0) return undefined;
    const ended = await cloud.attach(machine, missing);
    if (ended === 'changed') return 'changed';
    const after = await view.read(node);
    const left = missing.filter(({ address }) => !isIn(address, addressesOf(after)));
    if (left.length === 0) return undefined;
    const texts = left.map(({ address }) => address.toString()).join(', ');
    return { wants: left, thrown: cloudFault('unavailable', `attach: ${machine.name} does not have ${texts} yet`) };
  }

  // An address is on one machine at a time.
  async #leaveOther(address: Address, node: string): Promise<void> {
    const { cloud, view, demand } = this.#parts;
    const seen = view.holderOf(address);
    if (seen === undefined || seen.node === node || !demand.isOurs(address)) return;
    const holder = await view.read(seen.node);
    if (holder === undefined || !isIn(address, addressesOf(holder))) return;
    await cloud.detach(holder, [address]);
    if (isIn(address, addressesOf(await view.read(seen.node))))
      throw cloudFault('unavailable', `detach: ${holder.name} has ${address.toString()} still`);
  }

  // Nodes whose addresses nothing sends from any more.
  #settled(addresses: readonly Address[]): void {
    const nodes = new Set(addresses.flatMap((address) => this.#parts.view.holderOf(address)?.node ?? []));
    for (const name of nodes) this.#changes.tell({ of: 'node', name });
  }

  #lookAtShown(listener: (change: DataplaneChange) => void): void {
    if (this.#inner.chooserOf({ cidrs: 1 }) === 'door' || this.#isLooking()) return;
    const before = this.#shownOn;
    const now = new Map(this.#inner.placed().map(({ address, node }) => [address.toString(), node]));
    this.#shownOn = now;
    const moved = [...new Set([...before.keys(), ...now.keys()])].filter((text) => before.get(text) !== now.get(text));
    const nodes = new Set(moved.flatMap((text) => [before.get(text) ?? [], now.get(text) ?? []].flat()));
    for (const name of nodes) listener({ of: 'node', name });
  }
}

// Most addresses that a machine can have beside its own.
const mostOf = ({ most, own }: CloudMachine): number =>
  most[4] + (own.some(({ family }) => family === 6) ? most[6] : 0);

/** What is to be changed of a machine. */
interface Difference {
  readonly attach: readonly CloudWant[];
  readonly detach: readonly Address[];
}

const addressesOf = (machine: CloudMachine | undefined): readonly Address[] =>
  machine?.secondary.map(({ address }) => address) ?? [];

const isAt = (
  a: { readonly address: Address; readonly node: string },
  b: { readonly address: Address; readonly node: string },
): boolean => a.node === b.node && a.address.equals(b.address);

const isAsWanted = ({ pools }: CloudMachine, has: CloudSecondary, { address, loadBalancer }: CloudWant): boolean =>
  has.address.equals(address) && has.pools.join() === pools[loadBalancer].join();
