import { addressOf } from '../../operator/addressing/address';
import { clusterFeeds } from '../../operator/assembly/cluster-feeds';
import { openEgressDataplanes } from '../../operator/assembly/egress-dataplanes';
import {
  CRD,
  crdName,
  DATAPLANE_KINDS,
  EGRESS_DATAPLANES,
  HOST_SUBNET,
  NET_NAMESPACE,
  OPENSHIFT,
  type DataplaneKind,
} from '../../operator/contract/egress-dataplanes';
import { NAMESPACE_NAME_LABEL } from '../../operator/contract/label-selector';
import { metadataOf, type JsonMap } from '../../operator/contract/loose-json';
import type {
  DataplaneChange,
  EgressDataplane,
  EgressGroup,
  NamespaceEgress,
} from '../../operator/ports/egress-dataplane';
import { ManualClock } from './manual-clock';
import { MemoryApiClient } from './memory-api-client';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';
import { settled } from './settled';

const pathOf = ({ apiVersion, resource }: Omit<DataplaneKind, 'kind'>, name: string): string =>
  `/apis/${apiVersion}/${resource}/${name}`;

/** A group of an EgressIPAM as the door makes it. */
export const egressGroup = (cidr: string, change: Partial<EgressGroup> = {}): EgressGroup => ({
  egressIpam: 'bm',
  uid: 'uid-bm',
  cidr,
  cidrs: 1,
  selector: { matchLabels: { rack: 'a' } },
  ...change,
});

/** Addresses of a namespace as the door gives them to a dataplane. */
export const namespaceEgress = (
  namespace: string,
  addresses: readonly string[],
  group = egressGroup('10.0.0.0/24', { cidrs: addresses.length }),
): NamespaceEgress => ({
  namespace,
  egressIpam: { name: group.egressIpam, uid: group.uid },
  exceptDestinations: [],
  addresses: addresses.map((text) => ({ address: addressOf(text), group })),
});

/** Annotations of a node that OVN-Kubernetes prepared. */
export const primaryAddress = (ipv4: string): JsonMap => ({
  'k8s.ovn.org/node-primary-ifaddr': JSON.stringify({ ipv4 }),
});

/** A CRD as the API server has it once it serves the kind. */
export function storedCrd(kind: DataplaneKind, spec: JsonMap = {}): JsonMap {
  const [, version = ''] = kind.apiVersion.split('/');
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } };
  return {
    metadata: { name: crdName(kind) },
    spec: { versions: [{ name: version, served: true, schema }] },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  };
}

/** The drivers over an API server in memory, whose writes the test reads. */
export class DataplaneWorld {
  readonly server = new MemoryApiClient();
  readonly clock = new ManualClock();
  readonly logger = new RecordedLogger();
  readonly changes: DataplaneChange[] = [];
  /** True: a cloud attaches addresses to machines. */
  isAttaching = false;
  #ends: (() => Promise<void>)[] = [];

  /** Starts with nothing stored. */
  constructor() {
    this.server.nowMs = () => this.clock.nowMs();
  }

  /** Stores an object of a kind as others do. */
  put(kind: Omit<DataplaneKind, 'kind'>, name: string, object: JsonMap): JsonMap {
    return this.server.put(pathOf(kind, name), { ...object, metadata: { name, ...metadataOf(object) } });
  }

  /** Serves kinds. */
  serve(...kinds: readonly DataplaneKind[]): void {
    for (const kind of kinds) this.put(CRD, crdName(kind), storedCrd(kind));
  }

  /** Ends a kind. */
  unserve(kind: DataplaneKind): void {
    this.server.remove(pathOf(CRD, crdName(kind)));
  }

  /** Says which network OpenShift has, and on what. */
  openShift(networkType: string, platform = 'BareMetal'): void {
    this.put(OPENSHIFT.network, OPENSHIFT.object, { status: { networkType } });
    this.put(OPENSHIFT.infrastructure, OPENSHIFT.object, { status: { platformStatus: { type: platform } } });
  }

  /** Stores a node. */
  node(name: string, annotations: JsonMap = {}, labels: JsonMap = {}): JsonMap {
    return this.server.put(`/api/v1/nodes/${name}`, { metadata: { name, annotations, labels } });
  }

  /** Stores a namespace. */
  namespace(name: string): void {
    const metadata = { name, labels: { [NAMESPACE_NAME_LABEL]: name } };
    this.server.put(`/api/v1/namespaces/${name}`, { metadata });
  }

  /** Stores a NetNamespace. */
  netNamespace(name: string, egressIPs?: readonly string[]): void {
    this.put(NET_NAMESPACE, name, { netname: name, netid: 7, ...(egressIPs === undefined ? {} : { egressIPs }) });
  }

  /** Stores a HostSubnet. */
  hostSubnet(name: string, fields: JsonMap = {}): void {
    this.put(HOST_SUBNET, name, { host: name, hostIP: '192.0.2.10', subnet: '10.128.0.0/23', ...fields });
  }

  /** The stored object; empty where there is none. */
  stored({ apiVersion, resource }: DataplaneKind, name: string): JsonMap {
    return this.server.get(pathOf({ apiVersion, resource }, name)) ?? {};
  }

  /** The stored node. */
  storedNode(name: string): JsonMap {
    return this.server.get(`/api/v1/nodes/${name}`) ?? {};
  }

  /** Writes since the last call. */
  writes(): readonly string[] {
    const all = this.server.requests.filter(({ method }) => method !== 'GET');
    this.server.requests.length = 0;
    return all.map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`);
  }

  /** Opens the dataplanes. */
  detect(names: readonly string[] = EGRESS_DATAPLANES) {
    const tools = { clock: this.clock, logger: this.logger, meter: new RecordedMeter() };
    const feeds = clusterFeeds(this.server, tools);
    const dataplanes = openEgressDataplanes({ client: this.server, feeds }, tools, {
      names,
      isAttaching: () => this.isAttaching,
    });
    this.#ends.push(async () => {
      await dataplanes.close();
      await feeds.close();
    });
    return dataplanes;
  }

  /** Opens one driver and waits until it knows what is stored. */
  driver(name: keyof typeof DATAPLANE_KINDS): Promise<EgressDataplane> {
    this.serve(...DATAPLANE_KINDS[name].needed);
    return this.openDriver(name);
  }

  /** Opens one driver whose kinds are served. */
  async openDriver(name: keyof typeof DATAPLANE_KINDS): Promise<EgressDataplane> {
    const dataplanes = this.detect();
    await dataplanes.whenKnown();
    const choice = dataplanes.choose(name);
    if (choice.kind !== 'driver') throw new RangeError(`no driver: ${JSON.stringify(choice)}`);
    choice.dataplane.onChange((change) => this.changes.push(change));
    await Promise.all(choice.dataplane.feeds.map((feed) => feed.whenSynced()));
    return choice.dataplane;
  }

  /** Waits until the watches told everything. */
  async caughtUp(): Promise<void> {
    await settled();
  }

  /** Ends everything that was opened. */
  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
  }
}

/** An EgressIP of the migration from OpenShift SDN. */
export const migratedEgressIp = (namespace: string, egressIPs: readonly string[]): JsonMap => ({
  spec: { egressIPs, namespaceSelector: { matchLabels: { [NAMESPACE_NAME_LABEL]: namespace } } },
});
