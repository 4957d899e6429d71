import { ipCodec } from '../../operator/backends/claim-objects/ip-codec';
import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import { openObjectFeed, type WatchedObjects } from '../../operator/cluster/watch/object-feed';
import { IP } from '../../operator/contract/kinds/ip';
import { IP_GROUP } from '../../operator/contract/kinds/ip-group';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { ADDRESS_ALLOCATED } from '../../operator/contract/paas';
import { createVipsController, vipsWork } from '../../operator/front-doors/vips';
import type { VipKey, VipsController } from '../../operator/front-doors/vips/controller/door-parts';
import { followShown } from '../../operator/ledger/occupied/follow-shown';
import { ShownIndex } from '../../operator/ledger/occupied/shown-index';
import { shownByNode, shownByService } from '../../operator/contract/shown-addresses';
import { shownByClaims } from '../../operator/assembly/claims-in-use';
import { ListedObjects } from './listed-objects';
import { claimServer, openClaims, standingClock } from './open-claim-objects';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';
import { groupObject, ipObject } from './vip-kind-samples';

const GROUPS = `/apis/${IP_GROUP.group}/${IP_GROUP.version}/${IP_GROUP.plural}`;
const IPS = `/apis/${IP.group}/${IP.version}/${IP.plural}`;

/** The condition of a Service that the door served before. */
const SERVED = { type: ADDRESS_ALLOCATED, status: 'True', reason: 'Allocated', message: 'before' };

/** A Service as it is stored: its wishes, its ports and what its status shows. */
export interface StoredVipService {
  readonly annotations?: Readonly<Record<string, string>>;
  /** How many, or which; by default one. */
  readonly ports?: number | readonly number[];
  readonly shows?: string;
  /** True where another controller gave what it shows. */
  readonly isForeign?: boolean;
}

/** The VIPs door over an API server in memory: its controller, its record and the feeds of it. */
export class VipsDoorWorld {
  readonly clock = standingClock();
  readonly server = claimServer(this.clock);
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  /** Nodes of the cluster. */
  readonly nodes = new ListedObjects();
  /** Claims of other doors. */
  readonly addressClaims = new ListedObjects();
  readonly instances = new ListedObjects();
  /** How long an address stays on record for a Service that was found missing. */
  orphanGraceMs = 1_000;
  readonly events: { readonly name: string; readonly reason: string }[] = [];
  readonly #feeds: WatchedObjects[] = [];
  #watched: { readonly services: WatchedObjects; readonly groups: WatchedObjects } | undefined;
  readonly #ends: (() => Promise<void> | void)[] = [];
  controller!: VipsController;

  /** Stores an IPGroup that gives already. */
  group(name: string, spec: JsonMap & { readonly segment: string }, metadata: JsonMap = {}): void {
    const object = { ...groupObject(name, spec) } as unknown as JsonMap;
    const status = { applied: { segments: [spec.segment] } };
    this.server.put(`${GROUPS}/${name}`, { ...object, metadata: { name, ...metadata }, status });
  }

  /** Takes an IPGroup away, past its finalizer. */
  removeGroup(name: string): void {
    this.server.remove(`${GROUPS}/${name}`);
  }

  /** Stores a namespace. */
  namespace(name: string, labels: JsonMap = {}): void {
    this.server.put(`/api/v1/namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }

  /** Stores a Service of namespace `test`. */
  service(name: string, { annotations = {}, ports = 1, shows, isForeign = false }: StoredVipService = {}): VipKey {
    const uid = `uid-${name}`;
    this.server.put(`/api/v1/namespaces/test/services/${name}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'test', name, uid, annotations, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        type: 'LoadBalancer',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: (typeof ports === 'number' ? Array.from({ length: ports }, (_, at) => at + 1) : ports).map((port) => ({
          port,
          protocol: 'TCP',
        })),
        selector: { app: name },
      },
      status:
        shows === undefined
          ? {}
          : { loadBalancer: { ingress: [{ ip: shows }] }, conditions: isForeign ? [] : [SERVED] },
    });
    return { of: 'service', namespace: 'test', name, uid };
  }

  /** The condition of a Service of namespace `test`. */
  condition(name: string): JsonMap | undefined {
    const status = this.server.get(`/api/v1/namespaces/test/services/${name}`)?.['status'] as JsonMap | undefined;
    return (status?.['conditions'] as readonly JsonMap[] | undefined)?.[0];
  }

  /** Addresses that a Service of namespace `test` shows. */
  shown(name: string): string {
    const shown = mapOf(mapOf(this.server.get(`/api/v1/namespaces/test/services/${name}`)?.['status'])['loadBalancer']);
    return listOf(shown['ingress'])
      .map((each) => textOf(mapOf(each)['ip']))
      .join();
  }

  /** The stored spec of an IP. */
  ip(name: string): JsonMap | undefined {
    return this.server.get(`${IPS}/${name}`)?.['spec'] as JsonMap | undefined;
  }

  /** Stores an IP that a Service of namespace `test` holds. */
  held(address: string, { group, name }: { readonly group: string; readonly name: string }): void {
    const owner = { kind: 'Service', namespace: 'test', name, uid: `uid-${name}` };
    const holder = { id: `id-${name}`, since: '2026-01-01T00:00:00.000Z', apiVersion: 'v1', ...owner };
    const spec = { address, ipGroup: group, state: 'bound', owner, holders: [holder] };
    this.server.put(`${IPS}/${address}`, {
      ...ipObject(address, spec, { labels: { ipgroup: group } }),
    });
  }

  /** Watches objects of a kind until the end. */
  watch(apiVersion: string, resource: string): WatchedObjects {
    const { clock, logger } = this;
    const feed = openObjectFeed(this.server, { resource: { apiVersion, resource } }, { clock, logger });
    this.#feeds.push(feed);
    return feed;
  }

  /** Starts the door on what is stored. */
  async open(): Promise<void> {
    const { server, clock, logger, meter, events } = this;
    const opened = await openClaims(server, { clock, nested: false, kind: { declaration: IP, codec: ipCodec() } });
    this.#ends.push(() => opened.close());
    const [services, groups, namespaces] = [
      this.watch('v1', 'services'),
      this.watch(`${IP_GROUP.group}/${IP_GROUP.version}`, IP_GROUP.plural),
      this.watch('v1', 'namespaces'),
    ];
    this.#watched = { services, groups };
    let told: VipsController['shownChanged'] = () => undefined;
    const index = new ShownIndex((block) => {
      told(block);
    });
    const shows = { kind: 'Service', feed: services, shownBy: (each: JsonMap) => shownByService(each, []) };
    this.#ends.push(
      followShown([shows, { kind: 'Node', feed: this.nodes, shownBy: shownByNode }, shownByClaims(this)], index),
    );
    const controller = createVipsController({
      clock,
      logger,
      meter,
      services,
      groups,
      namespaces,
      claims: opened.store,
      known: opened.store.known,
      cluster: {
        families: () => Promise.resolve([4]),
        service: (namespace, name) => Promise.resolve(server.get(`/api/v1/namespaces/${namespace}/services/${name}`)),
      },
      serviceWriter: new KubernetesObjectWriter(server, { apiVersion: 'v1', kind: 'Service', resource: 'services' }),
      groupWriter: new KubernetesObjectWriter(server, {
        apiVersion: `${IP_GROUP.group}/${IP_GROUP.version}`,
        kind: IP_GROUP.kind,
        resource: IP_GROUP.plural,
        custom: true,
      }),
      events: {
        record: ({ name }, { reason }) => {
          events.push({ name, reason });
          return Promise.resolve();
        },
      },
      shown: {
        at: (address) => index.at(address),
        addresses: () => index.addresses(),
        blocks: () => index.blocks(),
        whenKnown: () => services.whenSynced(),
      },
      strongerPools: [],
      owners: () => ({ vips: { loadBalancerClasses: [], classless: true } }),
      settings: { excludedNamespaces: [], orphanGraceMs: this.orphanGraceMs, foreignAnnotations: [] },
    });
    told = (block) => {
      controller.shownChanged(block);
    };
    this.controller = controller;
    this.#ends.push(() => {
      controller.close();
    });
  }

  /** Works on changes from now on, as the leader does; after {@link open}. */
  lead(): void {
    const { clock, logger, meter, controller } = this;
    if (this.#watched === undefined) throw new RangeError('the door is not open');
    const work = vipsWork({ ...this.#watched, clock, logger, meter, controller, resyncSeconds: 600 });
    work.begin();
    this.#ends.push(() => work.end());
  }

  /** Gives a Service of namespace `test` other annotations. */
  annotate(name: string, annotations: Readonly<Record<string, string>>): void {
    const path = `/api/v1/namespaces/test/services/${name}`;
    const service = this.server.get(path) ?? {};
    this.server.put(path, { ...service, metadata: { ...metadataOf(service), annotations } });
  }

  /** Takes a Service of namespace `test` away. */
  removeService(name: string): void {
    this.server.remove(`/api/v1/namespaces/test/services/${name}`);
  }

  /** Has something ended before record and feeds are. */
  atEnd(end: () => void): void {
    this.#ends.push(end);
  }

  /** Ends controller, record and feeds. */
  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
    await Promise.all(this.#feeds.splice(0).map((feed) => feed.close()));
  }
}
