import { addressClaimCodec } from '../../operator/backends/claim-objects/address-claim-codec';
import { detailsOf } from '../../operator/backends/claim-objects/claim-details';
import type { ApiClient } from '../../operator/cluster/api/api-client';
import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import type { cloudAround, EgressCloud } from '../../operator/assembly/egress-cloud';
import { NO_DATAPLANES } from '../../operator/assembly/no-dataplanes';
import { openNodeFeed } from '../../operator/cluster/watch/node-feed';
import { openNamespaceFeed } from '../../operator/cluster/watch/namespace-feed';
import { openObjectFeed } from '../../operator/cluster/watch/object-feed';
import { parseAddress, type Address } from '../../operator/addressing/address';
import { hostPrefix, parsePrefix } from '../../operator/addressing/prefix';
import type { ClusterNetwork } from '../../operator/contract/platform-networks';
import type { ShownAddresses } from '../../operator/contract/shown-addresses';
import { ShownIndex } from '../../operator/ledger/occupied/shown-index';
import { EGRESS_DATAPLANE_GONE, EGRESS_KEYS, NAMESPACE } from '../../operator/contract/egress';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { EGRESS_IPAM } from '../../operator/contract/kinds/egress-ipam';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { conditionOf, statusIn } from '../../operator/contract/stored-status';
import { EgressController, egressWork, type EgressDoorParts } from '../../operator/front-doors/egress';
import type { EgressDataplanes } from '../../operator/ports/egress-dataplane';
import type { NamedSpace, PoolSpaces } from '../../operator/ports/pool-spaces';

import { valueOf } from '../../operator/errors/ipam-error';
import { EgressReviews } from './egress-reviews';
import { egressIpamObject, egressSpec } from './egress-kind-samples';
import { claimServer, openClaims, standingClock } from './open-claim-objects';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

const PATIENCE_MS = 20_000;
const IPAMS = `/apis/${EGRESS_IPAM.group}/${EGRESS_IPAM.version}/${EGRESS_IPAM.plural}`;
const CLAIMS = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;
const pathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}`;

/** The Egress door over an API server in memory: its controller at work, its record and its feeds. */
export class EgressWorld {
  readonly clock = standingClock();
  readonly server = claimServer(this.clock);
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  /** Seconds between two comparisons. */
  resyncSeconds = 600;
  /** What carries the addresses. */
  readonly dataplanes: EgressDataplanes = NO_DATAPLANES;
  /** True: a controller of the platform attaches addresses. */
  isPlatformAttaching = false;
  readonly events: { readonly name: string; readonly reason: string }[] = [];
  /** Objects that show an address, by its text. */
  readonly #shown = new ShownIndex((block) => {
    for (const controller of this.#controllers) controller.shownChanged(block);
  });
  /** Record, feeds and writers of the newest process. */
  latest: EgressDoorParts | undefined;
  /** Why not all uses are known; undefined where they are. */
  unreadable: string | undefined;
  /** When namespaces are made; undefined: one after the other. */
  sameTime: string | undefined;
  /** Networks of Pods and Services. */
  networks: readonly ClusterNetwork[] = [];
  #spaces: readonly NamedSpace[] = [];
  #poolListeners = new Set<() => void>();
  #controllers = new Set<EgressController>();
  #ends: (() => Promise<void>)[] = [];
  #made = 0;

  /** Stores an EgressIPAM as its author does. */
  ipam(name: string, spec: object, metadata: object = {}): void {
    this.server.put(`${IPAMS}/${name}`, {
      ...(egressIpamObject(name, spec) as unknown as JsonMap),
      metadata: { name, generation: 1, creationTimestamp: this.#time(), ...metadata },
    });
  }

  /** Changes the spec of an EgressIPAM. */
  respec(name: string, ...entries: readonly object[]): void {
    const before = this.storedIpam(name);
    const old = metadataOf(before);
    const metadata = { ...old, generation: Number(old['generation']) + 1 };
    this.server.put(`${IPAMS}/${name}`, { ...before, metadata, spec: egressSpec(...entries) });
  }

  /** Asks for the end of an EgressIPAM, which a finalizer may hold. */
  async removeIpam(name: string): Promise<void> {
    await this.server.request({ method: 'DELETE', path: `${IPAMS}/${name}` });
  }

  /** The stored EgressIPAM; empty where there is none. */
  storedIpam(name: string): JsonMap {
    return this.server.get(`${IPAMS}/${name}`) ?? {};
  }

  /** Stores a namespace. */
  namespace(name: string, egressIpam?: string, list?: string): void {
    const annotations = {
      other: 'stays',
      ...(egressIpam === undefined ? {} : { [EGRESS_KEYS.egressIpam]: egressIpam }),
      ...(list === undefined ? {} : { [EGRESS_KEYS.addresses]: list }),
    };
    const creationTimestamp = this.sameTime ?? this.#time();
    this.server.put(pathOf(name), { ...NAMESPACE, metadata: { name, creationTimestamp, annotations } });
  }

  /** Changes the annotations of a namespace; undefined takes one off. */
  annotate(
    name: string,
    change: { readonly egressIpam?: string | undefined; readonly list?: string | undefined },
  ): void {
    const before = this.server.get(pathOf(name)) ?? {};
    const annotations: Record<string, unknown> = { ...mapOf(metadataOf(before)['annotations']) };
    for (const [field, key] of [
      ['egressIpam', EGRESS_KEYS.egressIpam],
      ['list', EGRESS_KEYS.addresses],
    ] as const) {
      if (!(field in change)) continue;
      if (change[field] === undefined) Reflect.deleteProperty(annotations, key);
      else annotations[key] = change[field];
    }
    this.server.put(pathOf(name), { ...before, metadata: { ...metadataOf(before), annotations } });
  }

  /** Deletes a namespace. */
  removeNamespace(name: string): void {
    this.server.remove(pathOf(name));
  }

  /** Annotations of a namespace. */
  annotations(name: string): JsonMap {
    return mapOf(metadataOf(this.server.get(pathOf(name)))['annotations']);
  }

  /** The list of a namespace; undefined where it has none. */
  list(name: string): unknown {
    return this.annotations(name)[EGRESS_KEYS.addresses];
  }

  /** Waits until a namespace has a list. */
  async has(name: string, list: string | undefined): Promise<void> {
    await this.until(
      () => `${name} lists ${String(list)}, not ${String(this.list(name))}`,
      () => this.list(name) === list,
    );
  }

  /** Holders by address, as `10.0.0.1=a`; in quarantine with `?`. */
  record(): readonly string[] {
    return this.server
      .all(CLAIMS)
      .map(({ spec }) => {
        const { address, state, holder } = mapOf(spec);
        return `${textOf(address)}=${textOf(mapOf(holder)['name'])}${state === 'quarantined' ? '?' : ''}`;
      })
      .sort();
  }

  /** Dataplanes that may have an address, by its claim; none where it is not held. */
  marks(address: string): readonly string[] {
    const claims = this.server.all(CLAIMS).filter(({ spec }) => mapOf(spec)['address'] === address);
    const [claim] = claims.filter(({ spec }) => mapOf(spec)['state'] === 'bound');
    return claim === undefined ? [] : (detailsOf(claim).holder.dataplanes ?? []);
  }

  /** Says, as the break-glass group may, that dataplanes which are not driven have nothing of an address. */
  sayGone(address: string): void {
    const path = `${CLAIMS}/default.${address}`;
    const claim = this.server.get(path) ?? {};
    const { annotations, ...metadata } = metadataOf(claim);
    const said = { ...mapOf(annotations), [EGRESS_DATAPLANE_GONE]: 'true' };
    this.server.put(path, { ...claim, metadata: { ...metadata, annotations: said } });
  }

  /** Waits until the record is so. */
  async recorded(...entries: readonly string[]): Promise<void> {
    await this.until(
      `the record is ${entries.join(' ')}`,
      () => JSON.stringify(this.record()) === JSON.stringify([...entries].sort()),
    );
  }

  /** Waits until a namespace is told a reason. */
  async told(name: string, reason: string): Promise<void> {
    await this.until(`${name} is told ${reason}`, () =>
      this.events.some((event) => event.name === name && event.reason === reason),
    );
  }

  /** Waits until the status of an EgressIPAM is so. */
  async status(name: string, what: string, isSo: (status: JsonMap) => boolean): Promise<JsonMap> {
    await this.until(`status of ${name}: ${what}`, () => isSo(statusIn(this.storedIpam(name))));
    return statusIn(this.storedIpam(name));
  }

  /** Status and reason of a condition of an EgressIPAM. */
  condition(name: string, type: string): readonly unknown[] {
    const { status, reason } = conditionOf(statusIn(this.storedIpam(name)), type) ?? {};
    return [status, reason];
  }

  /** When a condition of an EgressIPAM changed its status. */
  changedAt(name: string, type: string): unknown {
    return conditionOf(statusIn(this.storedIpam(name)), type)?.['lastTransitionTime'];
  }

  /** Shows an address or a prefix by a Node, or by something else; without a source no more. */
  show(text: string, source?: string, how: { readonly kind?: ShownAddresses['kind']; readonly network?: string } = {}) {
    const block = text.includes('/') ? valueOf(parsePrefix(text)) : hostPrefix(valueOf(parseAddress(text)));
    const shown =
      source === undefined ? [] : [{ kind: 'node' as const, source, addresses: [], blocks: [block], ...how }];
    this.#shown.put({ id: text, namespace: '', uid: `uid-of-${source ?? ''}`, shown });
  }

  /** Gives space to a stronger door. */
  stronger(...spaces: readonly NamedSpace[]): void {
    this.#spaces = spaces;
    for (const tell of this.#poolListeners) tell();
  }

  /** Waits until something is so. */
  async until(what: string | (() => string), isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      if (performance.now() > deadline)
        throw new RangeError(
          `never so: ${typeof what === 'string' ? what : what()}; ${this.record().join(' ')}\n${this.logger.text.slice(-3000)}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The webhooks of the door, in a process that was started. */
  reviews(more: { readonly usePermission?: boolean; readonly whenUnavailable?: 'deny' | 'admit' } = {}): EgressReviews {
    const [controller] = this.#controllers;
    if (controller === undefined) throw new RangeError('no process was started');
    const { clock, logger, meter } = this;
    return new EgressReviews({
      tools: { clock, logger, meter },
      state: controller.viewed,
      whenUnavailable: 'admit',
      ...more,
    });
  }

  /** Opens the cloud of a process; none by default. */
  protected openCloud(_parts: Parameters<typeof cloudAround>[1]): EgressCloud | undefined {
    return undefined;
  }

  /** Starts a process of the door on what is stored; it leads. */
  async open(client: ApiClient = this.server): Promise<() => Promise<void>> {
    const { clock, logger, meter } = this;
    const egressIpams = openObjectFeed(
      client,
      { resource: { apiVersion: `${EGRESS_IPAM.group}/${EGRESS_IPAM.version}`, resource: EGRESS_IPAM.plural } },
      { clock, logger },
    );
    const namespaces = openNamespaceFeed(client, { clock, logger });
    const nodes = openNodeFeed(client, { clock, logger });
    const kind = { declaration: ADDRESS_CLAIM, codec: addressClaimCodec('egress') };
    const opened = await openClaims(client, { clock, nested: false, kind });
    const { known } = opened.store;
    const cloud = this.openCloud({ tools: { clock, logger, meter }, egressIpams, nodes, known });
    const parts: EgressDoorParts = {
      clock,
      logger,
      meter,
      egressIpams,
      namespaces: namespaces.objects,
      claims: opened.store,
      known,
      egressIpamWriter: new KubernetesObjectWriter(client, {
        apiVersion: `${EGRESS_IPAM.group}/${EGRESS_IPAM.version}`,
        kind: EGRESS_IPAM.kind,
        resource: EGRESS_IPAM.plural,
        custom: true,
      }),
      namespaceWriter: new KubernetesObjectWriter(client, { ...NAMESPACE, resource: 'namespaces' }),
      events: {
        record: ({ name }, { reason }) => {
          this.events.push({ name, reason });
          return Promise.resolve();
        },
      },
      shown: {
        at: (address: Address) => this.#shown.at(address),
        addresses: () => this.#shown.addresses(),
        blocks: () => this.#shown.blocks(),
        problem: () => this.unreadable,
        whenKnown: () => Promise.resolve(),
      },
      networks: { list: () => this.networks, onChange: () => () => undefined },
      strongerPools: [this.#pools()],
      nodes,
      cloud: cloud?.view,
      dataplanes: cloud?.around(this.dataplanes, () => this.isPlatformAttaching) ?? this.dataplanes,
    };
    this.latest = parts;
    const controller = new EgressController(parts);
    this.#controllers.add(controller);
    const work = egressWork({ parts, controller, resyncSeconds: this.resyncSeconds });
    work.begin();
    const close = async (): Promise<void> => {
      await work.end();
      controller.close();
      this.#controllers.delete(controller);
      await cloud?.close();
      await opened.close();
      await Promise.all([egressIpams.close(), namespaces.close(), nodes.close()]);
    };
    this.#ends.push(close);
    return async () => {
      this.#ends = this.#ends.filter((each) => each !== close);
      await close();
    };
  }

  /** Ends every process. */
  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
  }

  #pools(): PoolSpaces {
    return {
      kind: 'zone',
      list: () => this.#spaces,
      onChange: (listener) => {
        this.#poolListeners.add(listener);
        return () => this.#poolListeners.delete(listener);
      },
    };
  }

  // each object is a second younger than the one before
  #time(): string {
    this.#made += 1;
    return new Date(Date.UTC(2026, 0, 1, 0, 0, this.#made)).toISOString();
  }
}
