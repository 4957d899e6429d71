import { isIn, type Address } from '../../../addressing/address';
import { hostPrefix, type Prefix } from '../../../addressing/prefix';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { faultFields } from '../../../errors/trace';
import { isIpamError } from '../../../errors/ipam-error';
import type { Cloud, CloudAddresses, CloudMachine, CloudNode, CloudUses, ForeignCloudUse } from '../../../ports/cloud';
import type { ObjectFeed } from '../../../ports/object-feed';
import type { Tools } from '../../../ports/tools';
import { ListenerSet } from '../../../runtime/listener-set';
import type { CloudDemand } from './cloud-demand';

/** Pause between two looks at the cloud. */
const LOOK_MS = 60_000;
/** The same after one that failed. */
const RETRY_MS = 10_000;
/** Pause in which changes of nodes are gathered. */
const GATHER_MS = 500;
/** Time in which a cloud lists no more what was detached. */
const AFTER_DETACH_MS = 2_000;

/** Why something of the cloud is not known. */
type Problems = { readonly machines?: string; readonly uses?: string };

/** Parts of {@link CloudView}. */
export interface CloudViewParts extends Pick<Tools, 'clock' | 'logger'> {
  readonly cloud: Cloud;
  readonly nodes: ObjectFeed;
  readonly demand: CloudDemand;
}

/** What changed in the cloud. */
export type CloudViewChange = { readonly of: 'node'; readonly name: string } | { readonly of: 'uses' };

/** The machine of a node: `unknown` before the first look at it, `none` where it ended, or the cloud does not have it. */
export type MachineState = CloudMachine | 'unknown' | 'none';

/**
 * The cloud as it was seen last: machines of nodes, and what has addresses in their subnets. It looks once a minute, a moment after a node came,
 * and at a machine that was changed. Works the same in every process, since reviews ask it too. `close` is final.
 */
export class CloudView implements CloudAddresses {
  readonly name: string;
  readonly quarantineSeconds: number;
  /** Known with the first complete list of machines. */
  readonly feed: ObjectFeed;
  readonly #parts: CloudViewParts;
  readonly #changes = new ListenerSet<CloudViewChange>();
  readonly #machines = new Map<string, CloudMachine>();
  readonly #stops: (() => void)[];
  /** By node, also of nodes that are gone. */
  readonly #providerIds = new Map<string, string>();
  #uses: CloudUses | undefined;
  #problems: Problems = { machines: 'the machines of the cloud are not listed yet' };
  #seen: ReadonlySet<string> = new Set();
  #cancel: () => void = () => undefined;
  #looking: Promise<void> | undefined;
  #isDue = false;
  #isSynced = false;
  #isClosed = false;
  #synced: () => void = () => undefined;
  readonly #whenSynced = new Promise<void>((resolve) => {
    this.#synced = resolve;
  });

  /**
   * Begins to look once the nodes are known.
   *
   * @param parts - cloud, nodes, what is asked of the cloud
   */
  constructor(parts: CloudViewParts) {
    this.#parts = parts;
    this.name = parts.cloud.name;
    this.quarantineSeconds = parts.cloud.quarantineSeconds;
    this.feed = {
      synced: () => this.#isSynced,
      whenSynced: () => this.#whenSynced,
      get: () => undefined,
      list: () => [],
      onChange: () => () => undefined,
      problem: () => this.#problems.machines,
    };
    const news = (): void => {
      this.#schedule(GATHER_MS);
    };
    this.#stops = [
      parts.nodes.onChange(({ before, after }) => {
        if (providerIdOf(before) !== providerIdOf(after)) news();
      }),
      parts.demand.onChange(news),
    ];
    parts.nodes.whenSynced().then(
      () => {
        this.look();
      },
      // closed before its first list
      () => undefined,
    );
  }

  /** Looks at the cloud now. */
  look(): void {
    if (this.#isClosed) return;
    this.#isDue = true;
    this.#looking ??= this.#lookWhileDue().finally(() => {
      this.#looking = undefined;
    });
  }

  /**
   * Tells what is known of the machine of a node.
   *
   * @param node - its name
   * @returns the machine as it was seen last
   */
  machine(node: string): MachineState {
    return this.#machines.get(node) ?? (this.#seen.has(node) ? 'none' : 'unknown');
  }

  /**
   * Lists the machines.
   *
   * @returns those of nodes, and of nodes that are gone while their machine has addresses still
   */
  machines(): readonly CloudMachine[] {
    return [...this.#machines.values()];
  }

  /**
   * Reads the machine of a node now.
   *
   * @param node - its name; the Node may be gone
   * @returns the machine; undefined where it ended
   * @throws IpamError of the cloud
   */
  async read(node: string): Promise<CloudMachine | undefined> {
    const { cloud, nodes } = this.#parts;
    const asked = cloudNode(nodes.get('', node)) ?? this.#formerNode(node);
    const [machine] = asked === undefined ? [] : await cloud.machines([asked]);
    if (asked !== undefined) this.#providerIds.set(node, asked.providerId);
    this.#put(node, machine);
    return machine;
  }

  /** @inheritdoc */
  foreign(): readonly ForeignCloudUse[] {
    const { demand } = this.#parts;
    const machines = this.machines();
    const attached = machines.flatMap(({ node, name, secondary }) =>
      secondary.flatMap(({ address }) =>
        demand.isOurs(address) ? [] : { block: hostPrefix(address), source: `machine ${name} of Node/${node}`, node },
      ),
    );
    const { subnets = [], uses = [] } = this.#uses ?? {};
    const onMachines = machines.flatMap(({ secondary }) => secondary.map(({ address }) => address));
    const others = uses.filter(({ block }) => !isHost(block) || !isIn(block.first, onMachines));
    const kept = subnets.flatMap(({ id, reserved }) =>
      reserved.map((address) => ({ block: hostPrefix(address), source: `the cloud itself in subnet ${id}` })),
    );
    return [...attached, ...others, ...kept];
  }

  /** @inheritdoc */
  problemOf(prefixes: readonly Prefix[]): string | undefined {
    const known = this.#problems.machines ?? this.#problems.uses;
    if (known !== undefined) return known;
    const subnets = (this.#uses?.subnets ?? []).flatMap((subnet) => subnet.prefixes);
    const outside = prefixes.find((each) => !subnets.some((subnet) => subnet.containsPrefix(each)));
    return outside && `no subnet beside the machines of the cluster has ${outside.toString()}`;
  }

  /** @inheritdoc */
  onChange(listener: () => void): () => void {
    return this.#changes.add(({ of }) => {
      if (of === 'uses') listener();
    });
  }

  /**
   * Adds a listener for machines and uses.
   *
   * @param listener - must not throw
   * @returns the function that takes it away
   */
  onEach(listener: (change: CloudViewChange) => void): () => void {
    return this.#changes.add(listener);
  }

  /**
   * Finds the machine that has an address beside its own ones.
   *
   * @param address - any address
   * @returns the machine as it was seen last
   */
  holderOf(address: Address): CloudMachine | undefined {
    return this.machines().find(({ secondary }) => secondary.some((each) => each.address.equals(address)));
  }

  /**
   * Tells whether an address lies in the subnet of a machine.
   *
   * @param machine - as it was seen last
   * @param address - any address
   * @returns true also where the subnet is not known, since the cloud refuses what it cannot attach
   */
  isInSubnet({ subnetId }: CloudMachine, address: Address): boolean {
    const subnet = this.#uses?.subnets.find(({ id }) => id === subnetId);
    return subnet?.prefixes.some((prefix) => prefix.contains(address)) !== false;
  }

  /**
   * Ends the looks.
   *
   * @returns when nothing is under way
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    for (const stop of this.#stops) stop();
    this.#parts.cloud.close();
    await this.#looking;
  }

  #schedule(ms: number): void {
    if (this.#isClosed || !this.#parts.nodes.synced()) return;
    this.#cancel();
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.look();
    });
  }

  async #lookWhileDue(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      this.#schedule(await this.#lookOnce());
    }
  }

  async #lookOnce(): Promise<number> {
    let step: keyof Problems = 'machines';
    try {
      await this.#lookAtMachines();
      step = 'uses';
      await this.#lookAtUses();
      return LOOK_MS;
    } catch (thrown) {
      const problem = isIpamError(thrown) ? thrown.message : 'the cloud could not be read; see the log of the operator';
      this.#parts.logger.warn('the cloud could not be read', { cloud: this.name, problem, ...faultFields(thrown) });
      this.#setProblems({ [step]: problem });
      return RETRY_MS;
    }
  }

  async #lookAtMachines(): Promise<void> {
    const { cloud, nodes } = this.#parts;
    const asked = this.#asked();
    const found = new Map((await cloud.machines(asked)).map((machine) => [machine.node, machine]));
    for (const node of this.#machines.keys()) if (!asked.some(({ name }) => name === node)) this.#put(node, undefined);
    for (const { name, providerId } of asked) {
      this.#providerIds.set(name, providerId);
      this.#put(name, found.get(name));
    }
    const before = this.#seen;
    this.#seen = new Set(nodes.list().flatMap((object) => (providerIdOf(object) === '' ? [] : nameOf(object))));
    for (const name of this.#seen) if (!before.has(name)) this.#changes.tell({ of: 'node', name });
    this.#isSynced = true;
    this.#synced();
  }

  async #lookAtUses(): Promise<void> {
    const { cloud, demand } = this.#parts;
    const before = gist(this.#uses);
    this.#uses = await cloud.uses(this.machines(), demand.prefixes());
    this.#setProblems({});
    if (before !== gist(this.#uses)) this.#changes.tell({ of: 'uses' });
  }

  #setProblems(problems: Problems): void {
    const isSame = this.#problems.machines === problems.machines && this.#problems.uses === problems.uses;
    this.#problems = problems;
    if (!isSame) this.#changes.tell({ of: 'uses' });
  }

  // A machine whose Node is gone is looked at for as long as it has addresses of namespaces.
  #asked(): readonly CloudNode[] {
    const { cloud, nodes } = this.#parts;
    const now = nodes.list().flatMap((object) => cloudNode(object) ?? []);
    const former = [...this.#machines.keys()].flatMap((name) => {
      const isLeft = nodes.get('', name) === undefined && this.#hasOurs(name);
      return isLeft ? (this.#formerNode(name) ?? []) : [];
    });
    return [...now, ...former].filter(({ providerId }) => cloud.knows(providerId));
  }

  #hasOurs(node: string): boolean {
    const { demand } = this.#parts;
    return this.#machines.get(node)?.secondary.some(({ address }) => demand.isOurs(address)) === true;
  }

  #formerNode(name: string): CloudNode | undefined {
    const providerId = this.#providerIds.get(name);
    return providerId === undefined ? undefined : { name, providerId };
  }

  #put(node: string, machine: CloudMachine | undefined): void {
    const before = this.#machines.get(node);
    if (gist(before) === gist(machine)) return;
    if (machine === undefined) this.#machines.delete(node);
    else this.#machines.set(node, machine);
    this.#changes.tell({ of: 'node', name: node });
    this.#changes.tell({ of: 'uses' });
    // what was detached is free as soon as the cloud does not list it any more
    const isLess = (machine?.secondary.length ?? 0) < (before?.secondary.length ?? 0);
    if (isLess && this.#looking === undefined) this.#schedule(AFTER_DETACH_MS);
  }
}

const isHost = ({ first, last }: Prefix): boolean => first.equals(last);

const nameOf = (object: JsonMap): string => textOf(metadataOf(object)['name']);

const providerIdOf = (object: JsonMap | undefined): string => textOf(mapOf(object?.['spec'])['providerID']);

function cloudNode(object: JsonMap | undefined): CloudNode | undefined {
  const providerId = providerIdOf(object);
  return object === undefined || providerId === '' ? undefined : { name: nameOf(object), providerId };
}

// Addresses write themselves as text.
const gist = (value: object | undefined): string => (value === undefined ? '' : JSON.stringify(value));
