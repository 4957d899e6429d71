import Fastify, { type FastifyInstance } from 'fastify';

import type { Address } from '../../operator/addressing/address';
import { parseBlock } from '../../operator/addressing/range';
import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import { KubernetesOwnerReader } from '../../operator/cluster/objects/owner-reader';
import { openObjectFeed, type WatchedObjects } from '../../operator/cluster/watch/object-feed';
import type { KindDeclaration } from '../../operator/contract/crd-manifest';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { IP_ALLOCATION } from '../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX } from '../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../operator/contract/kinds/network-instance';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { NEPHIO } from '../../operator/contract/nephio';
import type { NetworkEntry } from '../../operator/contract/networks/entry';
import { conditionOf, statusIn } from '../../operator/contract/stored-status';
import {
  NetworksController,
  networksWork,
  registerNetworksPages,
  type NetworksDoorParts,
} from '../../operator/front-doors/networks';
import type { ApiClient } from '../../operator/cluster/api/api-client';
import type { AddressShowing } from '../../operator/ports/addresses-in-use';
import type { RecordedEvent } from '../../operator/ports/event-reader';
import type { NetworkTables } from '../../operator/ports/network-tables';
import type { NamedSpace, PoolSpaces } from '../../operator/ports/pool-spaces';
import type { NamedObject } from '../../operator/rules/networks/types';
import type { LeaderWork } from '../../operator/runtime/leadership';
import { claimServer, openClaims, standingClock } from './open-claim-objects';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

const KINDS = { instance: NETWORK_INSTANCE, prefix: IP_PREFIX, allocation: IP_ALLOCATION } as const;
/** Kind of an object of the door. */
export type WorldKind = keyof typeof KINDS;

/** What an author writes of an object. */
interface Written {
  readonly spec?: JsonMap;
  readonly metadata?: JsonMap;
}

/** What is opened beside the door, on its controller; returns its end. */
interface Beside {
  readonly beside?: (controller: NetworksController) => () => Promise<void>;
}

/** An address that a Node or a Service shows. */
type ShowingAt = Omit<AddressShowing, 'uid'> & { readonly address: Address };

/** Text of an Event. */
interface RecordedText {
  readonly reason: string;
  readonly message: string;
}

const NAMESPACE = 'default';
const PATIENCE_MS = 20_000;

/** Labels that select a network of instance `vpc-1`. */
export const selecting = (network?: string, more: Readonly<Record<string, string>> = {}): JsonMap => ({
  matchLabels: {
    [NEPHIO.networkInstance]: 'vpc-1',
    ...(network === undefined ? {} : { [NEPHIO.networkName]: network }),
    ...more,
  },
});

/** The Networks door over an API server in memory: its controller at work, its record and its feeds. Everything lies in one namespace, unless a test names another one. */
export class NetworksWorld {
  readonly clock = standingClock();
  readonly server = claimServer(this.clock);
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  readonly events: { readonly name: string; readonly reason: string }[] = [];
  readonly #told: RecordedEvent[] = [];
  /** Record and controller of the process that was started last. */
  latest: { readonly parts: NetworksDoorParts; readonly controller: NetworksController } | undefined;
  #ends: (() => Promise<void> | void)[] = [];
  #poolListeners = new Set<() => void>();
  readonly #pools: PoolSpaces = {
    kind: 'IPZone',
    list: () => this.#spaces,
    onChange: (listener) => {
      this.#poolListeners.add(listener);
      return () => this.#poolListeners.delete(listener);
    },
  };
  #spaces: readonly NamedSpace[] = [];
  #showing: readonly ShowingAt[] = [];
  #made = 0;
  #pages: FastifyInstance | undefined;
  #tables: NetworkTables | undefined;

  constructor() {
    this.server.put(`/api/v1/namespaces/${NAMESPACE}`, { metadata: { name: NAMESPACE, uid: 'uid-default' } });
  }

  /** Path of an object, or of all of its kind. */
  path(kind: WorldKind, name?: string, namespace = NAMESPACE): string {
    const { group, version, plural } = KINDS[kind];
    const all = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
    return name === undefined ? all : `${all}/${name}`;
  }

  /** Stores an object as its author does; each one is a second younger than the one before. */
  create(kind: WorldKind, name: string, { spec = {}, metadata = {} }: Written): void {
    const { group, version, kind: named } = KINDS[kind];
    this.#made += 1;
    const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, this.#made)).toISOString();
    this.server.put(this.path(kind, name, textOf(metadata['namespace']) || NAMESPACE), {
      apiVersion: `${group}/${version}`,
      kind: named,
      spec,
      metadata: { namespace: NAMESPACE, name, generation: 1, creationTimestamp, ...metadata },
    });
  }

  /** Changes an object as its author does. */
  change(kind: WorldKind, name: string, { spec = {}, metadata = {} }: Written): void {
    const before = this.stored(kind, name);
    const old = metadataOf(before);
    const generation = Number(old['generation']) + 1;
    this.server.put(this.path(kind, name), {
      ...before,
      metadata: { ...old, generation, ...metadata },
      spec: { ...mapOf(before['spec']), ...spec },
    });
  }

  /** Instance `vpc-1`. */
  instance(name = 'vpc-1', metadata: JsonMap = {}): void {
    this.create('instance', name, { metadata });
  }

  /** A prefix of `vpc-1`. */
  prefix(name: string, prefix: string, { labels = {}, ...of }: JsonMap = {}): void {
    const spec = { kind: 'network', prefix, networkInstance: 'vpc-1', ...of };
    this.create('prefix', name, { spec, metadata: { labels } });
  }

  /** An address of a network of `vpc-1`. */
  allocation(name: string, spec: JsonMap = {}, metadata: JsonMap = {}): void {
    this.create('allocation', name, { spec: { kind: 'network', selector: selecting('net1'), ...spec }, metadata });
  }

  /** The fixture of the cases: an aggregate, and network net1 with its gateway. */
  f2(): void {
    this.instance();
    this.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
    this.prefix('net1-p1', '10.0.1.1/24', { network: 'net1', labels: { [NEPHIO.gateway]: 'true' } });
  }

  /** Asks for the end of an object, which a finalizer may hold. */
  async remove(kind: WorldKind, name: string): Promise<void> {
    await this.server.request({ method: 'DELETE', path: this.path(kind, name) });
  }

  /** The stored object. */
  stored(kind: WorldKind, name: string, namespace = NAMESPACE): JsonMap {
    return this.server.get(this.path(kind, name, namespace)) ?? {};
  }

  /** A condition of an object. */
  condition(kind: WorldKind, name: string, type = 'Ready'): JsonMap | undefined {
    return conditionOf(statusIn(this.stored(kind, name)), type);
  }

  /** Waits until something is so. */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new RangeError(`never so: ${what}\n${this.logger.text.slice(-4000)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Waits until an object shows a prefix and is ready. */
  async ready(kind: WorldKind, name: string, prefix?: string): Promise<JsonMap> {
    await this.until(
      `${kind} ${name} has ${String(prefix)}: ${JSON.stringify(this.stored(kind, name)['status'])}`,
      () => {
        const isShown = prefix === undefined || this.shown(name, kind) === prefix;
        return isShown && this.condition(kind, name)?.['status'] === 'True';
      },
    );
    return statusIn(this.stored(kind, name));
  }

  /** Waits until an object is refused for a reason; returns the message. */
  async refused(kind: WorldKind, name: string, reason: string): Promise<string> {
    await this.until(
      `${kind} ${name} is refused for ${reason}`,
      () => this.condition(kind, name, 'Accepted')?.['reason'] === reason,
    );
    return textOf(this.condition(kind, name)?.['message']);
  }

  /** Waits until an object is gone. */
  async gone(kind: WorldKind, name: string): Promise<void> {
    await this.until(`${kind} ${name} is gone`, () => this.server.get(this.path(kind, name)) === undefined);
  }

  /** The prefix in the status of an object. */
  shown(name: string, kind: WorldKind = 'allocation'): string {
    return textOf(statusIn(this.stored(kind, name))['prefix']);
  }

  /** Stores a claim as another door, or a member of the break-glass group, does. */
  otherClaim(network: string, address: string, spec: JsonMap = {}): string {
    const { group, version, kind, plural } = ADDRESS_CLAIM;
    const name = `${network}.${address.replace('/', '-')}`;
    const path = `/apis/${group}/${version}/${plural}/${name}`;
    const holder = { apiVersion: 'v1', kind: 'Namespace', name: 'shop' };
    this.server.put(path, {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name },
      spec: { network, address, door: 'egress', state: 'bound', holder, ...spec },
    });
    return path;
  }

  /** Names by prefix of the holder, and of the user, in address order. */
  record(): readonly string[] {
    const { group, version, plural } = ADDRESS_CLAIM;
    const all = [...this.#claims(`/apis/${group}/${version}/${plural}`)];
    const texts = all.map((claim) => {
      const spec = mapOf(claim['spec']);
      const [holder, user] = [mapOf(spec['holder']), mapOf(spec['user'])];
      const used = user['name'] === undefined ? '' : ` for ${textOf(user['name'])}`;
      return `${textOf(spec['address'])}=${textOf(holder['name'])}${used}`;
    });
    return texts.sort(byBlock);
  }

  #claims(path: string): readonly JsonMap[] {
    return this.server.all(path);
  }

  /** Starts a process of the door on what is stored; it leads. The end of one that dies is not waited for. */
  async open(client: ApiClient = this.server, { beside }: Beside = {}): Promise<() => Promise<void>> {
    const { clock, logger, meter, events } = this;
    const ends: (() => Promise<void> | void)[] = [];
    const watch = (apiVersion: string, resource: string): WatchedObjects => {
      const feed = openObjectFeed(client, { resource: { apiVersion, resource } }, { clock, logger });
      ends.push(() => feed.close());
      return feed;
    };
    const feed = ({ group, version, plural }: KindDeclaration<never>) => watch(`${group}/${version}`, plural);
    const writer = ({ group, version, kind, plural }: KindDeclaration<never>) =>
      new KubernetesObjectWriter(client, { apiVersion: `${group}/${version}`, kind, resource: plural, custom: true });
    const feeds = {
      instances: feed(NETWORK_INSTANCE),
      prefixes: feed(IP_PREFIX),
      allocations: feed(IP_ALLOCATION),
      namespaces: watch('v1', 'namespaces'),
    };
    const opened = await openClaims(client, { clock, takeOverAfterMs: 50 });
    this.#tables = opened.store;
    ends.push(() => opened.close());
    const parts: NetworksDoorParts = {
      ...feeds,
      clock,
      logger,
      meter,
      tables: opened.store,
      claims: opened.store,
      known: opened.store.known,
      instanceWriter: writer(NETWORK_INSTANCE),
      prefixWriter: writer(IP_PREFIX),
      allocationWriter: writer(IP_ALLOCATION),
      owners: new KubernetesOwnerReader(client, ['services']),
      events: {
        record: ({ kind, namespace, name }: NamedObject, { reason, message }: RecordedText) => {
          events.push({ name, reason });
          this.#told.push({ reason, message, time: '2026-01-01T00:00:00Z', regarding: { kind, namespace, name } });
          return Promise.resolve();
        },
      },
      shown: {
        at: (address) =>
          this.#showing.filter((each) => each.address.equals(address)).map((each) => ({ ...each, uid: '' })),
        addresses: () => this.#showing.map(({ address }) => address),
        whenKnown: () => Promise.resolve(),
      },
      strongerPools: [this.#pools],
      settings: { orphanGraceMs: 1000 },
    };
    const controller = new NetworksController(parts);
    this.#pages = Fastify();
    registerNetworksPages(this.#pages, {
      ...parts,
      view: controller.view,
      recordedEvents: { recorded: () => this.#recorded() },
    });
    this.latest = { parts, controller };
    ends.push(() => {
      controller.close();
    });
    // before the work begins, as in a process of the operator
    const endBeside = beside?.(controller);
    if (endBeside !== undefined) ends.push(endBeside);
    const work: LeaderWork = networksWork({ parts, controller, resyncSeconds: 600 });
    work.begin();
    ends.push(() => work.end());
    const close = async (): Promise<void> => {
      for (const end of ends.splice(0).reverse()) await end();
    };
    if (client === this.server) this.#ends.push(close);
    return close;
  }

  /** Entries of a network as the newest process knows them. */
  entries(network: string): readonly NetworkEntry[] {
    return this.#tables?.page(network, { most: Number.MAX_SAFE_INTEGER }) ?? [];
  }

  /** Answer of the newest process on its admin socket. */
  async page(path: string): Promise<JsonMap> {
    const answer = await this.#pages?.inject(path);
    return mapOf(answer?.json());
  }

  #recorded(): Promise<readonly RecordedEvent[]> {
    return Promise.resolve([...this.#told].reverse());
  }

  /** Lets the API server tell the kinds of a version. */
  kinds(path: string, resources: readonly JsonMap[]): void {
    const others = this.server.intercept;
    this.server.intercept = (request) =>
      request.path === path && request.method === 'GET'
        ? { ok: true, status: 200, body: { kind: 'APIResourceList', resources } }
        : others(request);
  }

  /** Tells that the space of another door changed. */
  poolsChange(spaces: readonly NamedSpace[] = this.#spaces): void {
    this.#spaces = spaces;
    for (const tell of this.#poolListeners) tell();
  }

  /** Tells that the cluster shows other addresses by Nodes and Services. */
  showingChanges(showing: readonly ShowingAt[]): void {
    this.#showing = showing;
    this.latest?.controller.othersChanged();
  }

  /** Ends every process. */
  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
  }
}

const blockIn = (text: string) => parseBlock(text.split('=')[0] ?? '');

function byBlock(a: string, b: string): number {
  const [first, second] = [blockIn(a), blockIn(b)];
  if (!first.ok || !second.ok) return 0;
  return first.value.first.compareTo(second.value.first) || (second.value.count > first.value.count ? 1 : -1);
}
