import { MetalLbPools } from '../../operator/backends/metallb/metallb-pools';
import { createServicesController, PoolView, type ServicesController } from '../../operator/front-doors/services';
import type { PoolFacts } from '../../operator/front-doors/services/wanted/door-parts';
import { DisputeList } from '../../operator/backends/netbox/dispute-list';
import type { FoundEvent } from '../../operator/ports/event-reader';
import type { RelabelledNamespace } from '../../operator/ports/namespace-feed';
import type { ServiceKey } from '../../operator/ports/service-feed';
import type { ServiceCondition } from '../../operator/ports/service-writer';
import { DoorWorld, type Result, type WorldProps } from './door-world';
import { MemoryObjects } from './memory-objects';
import type { ServiceJson } from './review-builder';
import { StoredServices, type RecordedWrite } from './stored-services';

/** Webhooks, stored Services, MetalLB as far as it matters, and the controller between them. */
export class ControllerWorld {
  readonly door: DoorWorld;
  readonly services = new StoredServices();
  /** Addresses that systems outside have for another owner; none, as a process knows it that looked. */
  disputes = lookedAt();
  controller: ServicesController;
  /** False: nobody announces what the keys say. */
  announces = true;
  /** Events of MetalLB, by reporter and reason. */
  readonly events = new Map<string, FoundEvent>();
  /** Pools of MetalLB; looked at by a world that was told so. */
  readonly metallb = new MemoryObjects();
  readonly #poolFacts: PoolFacts | undefined;
  readonly #relabelled = new Set<(change: RelabelledNamespace) => void>();
  readonly #queue = new Map<string, ServiceKey>();
  readonly #later = new Map<string, { readonly key: ServiceKey; readonly atMs: number }>();

  constructor({ looksAtPools = false, ...props }: WorldProps & { readonly looksAtPools?: boolean } = {}) {
    this.door = new DoorWorld(props);
    if (looksAtPools) this.#poolFacts = this.#viewPools();
    this.controller = this.#start();
    this.services.onChange(({ key }) => this.#queue.set(key.uid, key));
  }

  /** Ends the controller with all that it remembers, and starts another one. */
  restart(): void {
    this.controller.close();
    this.#queue.clear();
    this.#later.clear();
    this.controller = this.#start();
  }

  /** Gives namespace `a` other labels, as the watch tells of it. */
  relabel(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): void {
    this.door.cluster.putNamespace('a', after);
    for (const listener of this.#relabelled) listener({ name: 'a', before, after });
  }

  /** Sends a Service through the webhooks and stores it. */
  async create(object: ServiceJson): Promise<Result> {
    const result = await this.door.create(object);
    if (result.stored !== undefined) this.services.put(result.stored);
    return result;
  }

  /** Changes a Service through the webhooks. */
  async update(name: string, change: (object: ServiceJson) => void): Promise<Result> {
    this.door.force(this.services.object(name));
    const result = await this.door.update(name, change);
    if (result.stored !== undefined) this.services.put(wiped(result.stored));
    return result;
  }

  /** Stores a Service while the webhooks are down. */
  force(object: ServiceJson): void {
    this.services.put(this.door.force(object));
  }

  /** Compares everything, then works until nothing is left to do now. */
  async compare(): Promise<void> {
    for (const key of await this.controller.compare()) this.#queue.set(key.uid, key);
    await this.settle();
  }

  /** Works until nothing is left to do now. */
  async settle(): Promise<void> {
    for (let round = 0; this.#queue.size > 0; round += 1) {
      if (round > 200) throw new TypeError('the controller never comes to rest');
      for (const [uid, key] of [...this.#queue]) {
        this.#queue.delete(uid);
        const { requeueAfterMs } = await this.controller.reconcile(key);
        if (requeueAfterMs === undefined) this.#later.delete(uid);
        else if (requeueAfterMs < 50) this.#queue.set(uid, key);
        else this.#later.set(uid, { key, atMs: this.door.clock.nowMs() + requeueAfterMs });
      }
      if (this.announces) this.#announceAll();
    }
  }

  /** Lets time go by, with all that is due in it. */
  async pass(ms: number, stepMs = 500): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.door.clock.advance(stepMs);
      for (const [uid, { key, atMs }] of [...this.#later]) {
        if (atMs > this.door.clock.nowMs()) continue;
        this.#later.delete(uid);
        this.#queue.set(uid, key);
      }
      await this.settle();
    }
  }

  /** Services that wait for an address, as the metrics count them. */
  waiting(): number {
    return this.door.meter.sum('services_waiting');
  }

  /** Annotations of a stored Service. */
  annotations(name: string): Readonly<Record<string, string>> {
    return this.services.object(name).metadata.annotations ?? {};
  }

  /** Our condition on a stored Service. */
  condition(name: string): ServiceCondition | undefined {
    const status = this.services.object(name)['status'] as { conditions?: ServiceCondition[] } | undefined;
    return status?.conditions?.[0];
  }

  /** Lists the addresses that the status of a stored Service shows. */
  announced(name: string): readonly string[] {
    return ingressOf(this.services.object(name));
  }

  /** The controller of another process on the same record and cluster, which does nothing by itself. */
  secondController(): ServicesController {
    return this.#make();
  }

  /** UIDs of those who have addresses by the record. */
  async owners(): Promise<readonly (string | undefined)[]> {
    const owners = await this.door.book.owners(await this.door.cluster.clusterUid());
    return owners.map(({ serviceUid }) => serviceUid);
  }

  /** Who has which address by the record, as `name=address`. */
  async bound(): Promise<readonly string[]> {
    const owners = await this.door.book.owners(await this.door.cluster.clusterUid());
    return owners.filter(({ state }) => state === 'bound').map(({ name, address }) => `${name}=${address.toString()}`);
  }

  /** The writes of an action. */
  async writesOf(action: () => Promise<unknown>): Promise<readonly RecordedWrite[]> {
    const before = this.services.writes.length;
    await action();
    return this.services.writes.slice(before);
  }

  #viewPools(): PoolFacts {
    const { zones, logger } = this.door;
    const isServed = () => Promise.resolve(this.metallb.isServed);
    return new PoolView({ pools: new MetalLbPools({ objects: this.metallb, zones, isServed }), logger });
  }

  #start(): ServicesController {
    const controller = this.#make();
    controller.onWake((key) => this.#queue.set(key.uid, key));
    return controller;
  }

  #make(): ServicesController {
    const { book, zones, clock, logger, meter, settings, cluster } = this.door;
    const { services } = this;
    return createServicesController({
      book,
      zones,
      clock,
      logger,
      meter,
      settings,
      cluster: services.clusterOver(cluster),
      feed: services,
      writer: services,
      disputes: this.disputes,
      ...(this.#poolFacts === undefined ? {} : { poolFacts: this.#poolFacts }),
      events: {
        newest: (_of, { reporter, reason }) => Promise.resolve(this.events.get(`${reporter} ${reason}`)),
      },
      namespaces: {
        onRelabelled: (listener) => {
          this.#relabelled.add(listener);
          return () => this.#relabelled.delete(listener);
        },
      },
    });
  }

  // MetalLB with a pool of whole zones: announces what the keys name, keeps what it has where they name nothing.
  #announceAll(): void {
    for (const raw of this.services.list()) {
      const object = structuredClone(raw) as unknown as ServiceJson;
      const annotations = object.metadata.annotations ?? {};
      const text = annotations['metallb.io/loadBalancerIPs'] ?? (object.spec['loadBalancerIP'] as string | undefined);
      const isWaiting = annotations['metallb.io/address-pool'] === 'ipam-waiting';
      if (object.spec.type !== 'LoadBalancer' || text === undefined || isWaiting) continue;
      const wanted = text.split(',');
      if (ingressOf(object).join() === wanted.join()) continue;
      this.services.put(withIngress(object, wanted));
    }
  }
}

function lookedAt(): DisputeList {
  const disputes = new DisputeList();
  disputes.settle(true);
  return disputes;
}

/** Puts addresses into the status of an object. */
export function withIngress(object: ServiceJson, addresses: readonly string[]): ServiceJson {
  const status = object['status'] as Record<string, unknown> | undefined;
  const ingress = addresses.map((ip) => ({ ip, ipMode: 'VIP' }));
  return { ...object, status: { ...status, loadBalancer: { ingress } } };
}

function ingressOf(object: ServiceJson): readonly string[] {
  const status = object['status'] as { loadBalancer?: { ingress?: { ip: string }[] } } | undefined;
  return (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
}

// the API server wipes it when the type is left
function wiped(object: ServiceJson): ServiceJson {
  if (object.spec.type === 'LoadBalancer') return object;
  return withIngress(object, []);
}
