import { addressOf } from '../../operator/addressing/address';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { statusIn } from '../../operator/contract/stored-status';
import type { MetricName } from '../../operator/ports/meter';
import { egressSpec } from './egress-kind-samples';
import { EgressWorld } from './egress-world';
import { MemoryDataplane, MemoryDataplanes, type MemoryDataplaneProps } from './memory-dataplane';

/** A node as a test describes it. */
export interface WorldNode {
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds since which it is not ready. */
  readonly downForMs?: number;
  readonly isCordoned?: boolean;
  readonly taints?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** `spec.providerID`. */
  readonly providerId?: string;
}

/** CIDRs of nodes with the label values `a` and `b`. */
export const CIDR_A = { CIDR: '10.0.0.0/28', labelValue: 'a' };
export const CIDR_B = { CIDR: '10.1.0.0/28', labelValue: 'b' };

/** The Egress door with nodes, and a dataplane in memory. */
export class PlacementWorld extends EgressWorld {
  readonly dataplane: MemoryDataplane;
  override readonly dataplanes: MemoryDataplanes;

  constructor(props: MemoryDataplaneProps = {}) {
    super();
    this.dataplane = new MemoryDataplane(props);
    this.dataplanes = new MemoryDataplanes(this.dataplane);
    // an address that a dataplane has is on record with the name of the dataplane, from before until after
    this.dataplane.watchman = (addresses) => {
      for (const address of addresses)
        if (!this.marks(address.toString()).includes(this.dataplane.name))
          this.dataplane.faults.push(`${address.toString()} has no claim that names the dataplane`);
    };
  }

  /** Stores nodes with the label value `a`, or what is said. */
  node(name: string, of: WorldNode = {}): void {
    const { labels = { egressGateway: 'a' }, downForMs, isCordoned, taints = [], annotations = {}, providerId } = of;
    const isReady = downForMs === undefined;
    if (isReady) this.dataplane.ready.add(name);
    else this.dataplane.ready.delete(name);
    const lastTransitionTime = new Date(this.clock.nowMs() - (downForMs ?? 0)).toISOString();
    this.server.put(`/api/v1/nodes/${name}`, {
      metadata: { name, labels, annotations },
      spec: {
        ...(isCordoned === true ? { unschedulable: true } : {}),
        ...(providerId === undefined ? {} : { providerID: providerId }),
        taints: taints.map((key) => ({ key })),
      },
      status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'Unknown', lastTransitionTime }] },
    });
    this.dataplane.work();
  }

  /** Deletes a node. */
  removeNode(name: string): void {
    this.dataplane.ready.delete(name);
    this.server.remove(`/api/v1/nodes/${name}`);
    this.dataplane.work();
  }

  /** Stores `bm` with these CIDRs. */
  bm(...entries: readonly object[]): void {
    this.ipam('bm', egressSpec(...(entries.length === 0 ? [CIDR_A] : entries)));
  }

  /** Serves `a` and `b` on one node each; returns what ends the process. */
  async servesTwo(): Promise<() => Promise<void>> {
    for (const name of ['n1', 'n2']) this.node(name);
    for (const name of ['a', 'b']) this.namespace(name, 'bm');
    this.bm();
    const end = await this.open();
    await this.sends('b', '10.0.0.2@n2');
    await this.sends('a', '10.0.0.1@n1');
    return end;
  }

  /** Waits until an EgressIPAM is gone. */
  async gone(name: string): Promise<void> {
    await this.until(`${name} is gone`, () => metadataOf(this.storedIpam(name))['name'] === undefined);
  }

  /** Waits until the dataplane has nothing. */
  async clean(): Promise<void> {
    const { nodes, namespaces } = this.dataplane;
    await this.until(
      () => `the dataplane is clean, not ${this.placed().join()}`,
      () => nodes.size === 0 && namespaces.size === 0,
    );
  }

  /** Addresses by node, as `10.0.0.1@n1`. */
  placed(): readonly string[] {
    return this.dataplane
      .placed()
      .map(({ address, node }) => `${address.toString()}@${node}`)
      .sort();
  }

  /** Waits until the addresses are on these nodes. */
  async carried(...entries: readonly string[]): Promise<void> {
    await this.until(
      () =>
        `${entries.join(' ')} is carried, not ${this.placed().join(' ')}; ${this.dataplane.writes.slice(-8).join('; ')}`,
      () => JSON.stringify(this.placed()) === JSON.stringify([...entries].sort()),
    );
  }

  /** What the traffic of a namespace is sent from, as `10.0.0.1@n1`; undefined where the dataplane has nothing of it. */
  sent(namespace: string): string | undefined {
    const stored = this.dataplane.namespaces.get(namespace);
    return stored?.wanted.addresses.map(({ address, node = '' }) => `${address.toString()}@${node}`).join();
  }

  /** Waits until the traffic of a namespace is sent from there. */
  async sends(namespace: string, text: string | undefined): Promise<void> {
    await this.until(
      () => `${namespace} sends from ${String(text)}, not ${String(this.sent(namespace))}`,
      () => this.sent(namespace) === text,
    );
  }

  /** Rows of the nodes in the status of `bm`, as `n1 2`. */
  nodeRows(): readonly string[] {
    return listOf(statusIn(this.storedIpam('bm'))['nodes'])
      .map((row): JsonMap => mapOf(row))
      .map(({ name, allocated, ready }) => `${textOf(name)} ${String(allocated)}${ready === true ? '' : ' not ready'}`);
  }

  /** Last values of a gauge by its labels, those that were cleared left out. */
  gauge(name: MetricName): Readonly<Record<string, number>> {
    return Object.fromEntries(this.meter.of(name).map(({ labels, value }) => [Object.values(labels).join('/'), value]));
  }

  /** Gives an address to an object of the dataplane that is not ours, or takes it away. */
  foreign(text: string, source?: string, namespace?: string): void {
    const { dataplane } = this;
    const address = addressOf(text);
    dataplane.foreignOnes = dataplane.foreignOnes.filter((each) => !each.address.equals(address));
    if (source !== undefined) {
      const showing = { kind: 'dataplane', source, uid: `uid-of-${source}`, address } as const;
      dataplane.foreignOnes = [...dataplane.foreignOnes, namespace === undefined ? showing : { ...showing, namespace }];
    }
    dataplane.tell({ of: 'address', address });
  }

  /** Puts an address on a node behind the door's back. */
  intrude(node: string, address: string): void {
    this.dataplane.intrude(node, addressOf(address));
  }
}
