import type { JsonMap } from '../../operator/contract/loose-json';
import { accept, refuse, type Outcome } from '../../operator/errors/outcome';
import { readService } from '../../operator/contract/service';
import type { Cluster } from '../../operator/ports/cluster';
import type { ServiceChange, ServiceFeed, ServiceKey } from '../../operator/ports/service-feed';
import type { ServiceCondition, ServiceEvent, ServiceWriter } from '../../operator/ports/service-writer';
import type { MemoryCluster } from '../../operator/backends/memory/memory-cluster';
import type { ServiceJson } from './review-builder';

/** One write as a test sees it. */
export interface RecordedWrite {
  readonly kind: 'annotate' | 'condition' | 'event';
  readonly name: string;
  readonly what: unknown;
  /** Version that the writer insisted on. */
  readonly resourceVersion?: string;
}

/** Services as an API server keeps them: feed, writer and uncached reads over one map. */
export class StoredServices implements ServiceFeed, ServiceWriter {
  readonly writes: RecordedWrite[] = [];
  /** Called before each write; throws to play an API server that is away. */
  beforeWrite: (write: RecordedWrite) => void = () => undefined;
  /** False: the feed stands still while the API server goes on. */
  follows = true;
  readonly #objects = new Map<string, ServiceJson>();
  readonly #seen = new Map<string, ServiceJson>();
  readonly #listeners = new Set<(change: ServiceChange) => void>();
  #version = 1;

  /** The cluster with these Services in it. */
  clusterOver(cluster: MemoryCluster): Cluster {
    return {
      clusterUid: () => cluster.clusterUid(),
      families: () => cluster.families(),
      namespace: (name) => cluster.namespace(name),
      secret: (namespace, name) => cluster.secret(namespace, name),
      ensureSecret: (namespace, name, data) => cluster.ensureSecret(namespace, name, data),
      service: (namespace, name) => Promise.resolve(asMap(this.#objects.get(`${namespace}/${name}`))),
      services: () => Promise.resolve([...this.#objects.values()].flatMap((each) => readService(each) ?? [])),
      storedServices: () => Promise.resolve([...this.#objects.values()].map((each) => ({ ...each }))),
    };
  }

  /** Stores an object; a new version even where nothing differs. */
  put(object: ServiceJson): ServiceKey {
    const stored = structuredClone(object);
    this.#version += 1;
    stored.metadata['resourceVersion'] = String(this.#version);
    const key = keyOf(stored);
    this.#objects.set(`${key.namespace}/${key.name}`, stored);
    if (this.follows) this.#show(key);
    return key;
  }

  /** Takes an object away. */
  remove(name: string, namespace = 'a'): void {
    const gone = this.#objects.get(`${namespace}/${name}`);
    this.#objects.delete(`${namespace}/${name}`);
    if (gone !== undefined && this.follows) this.#show(keyOf(gone));
  }

  /** Lets the feed see what happened while it stood still. */
  catchUp(): void {
    this.follows = true;
    for (const object of [...this.#seen.values(), ...this.#objects.values()]) this.#show(keyOf(object));
  }

  /** The stored object. */
  object(name: string, namespace = 'a'): ServiceJson {
    const found = this.#objects.get(`${namespace}/${name}`);
    if (found === undefined) throw new TypeError(`no Service ${name}`);
    return structuredClone(found);
  }

  /** Changes a stored object without asking any webhook. */
  change(name: string, change: (object: ServiceJson) => void, namespace = 'a'): void {
    const object = this.object(name, namespace);
    change(object);
    this.put(object);
  }

  synced(): boolean {
    return true;
  }

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  get(namespace: string, name: string): JsonMap | undefined {
    return asMap(this.#seen.get(`${namespace}/${name}`));
  }

  list(): readonly JsonMap[] {
    return [...this.#seen.values()].map((object) => object as unknown as JsonMap);
  }

  onChange(listener: (change: ServiceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  problem(): string | undefined {
    return undefined;
  }

  annotate(
    key: ServiceKey,
    annotations: Readonly<Record<string, string | null>>,
    guard?: { readonly resourceVersion: string },
  ): Promise<Outcome<void>> {
    const write = { kind: 'annotate', name: key.name, what: annotations, ...guard } as const;
    return this.#write(key, write, (object) => {
      const merged = { ...object.metadata.annotations };
      for (const [name, value] of Object.entries(annotations)) {
        if (value === null) Reflect.deleteProperty(merged, name);
        else merged[name] = value;
      }
      object.metadata.annotations = merged;
    });
  }

  condition(key: ServiceKey, condition: ServiceCondition | undefined): Promise<Outcome<void>> {
    return this.#write(key, { kind: 'condition', name: key.name, what: condition }, (object) => {
      const status = object['status'] as Record<string, unknown> | undefined;
      object['status'] = { ...status, conditions: condition === undefined ? [] : [condition] };
    });
  }

  event(key: ServiceKey, event: ServiceEvent): Promise<void> {
    this.writes.push({ kind: 'event', name: key.name, what: event });
    return Promise.resolve();
  }

  async #write(key: ServiceKey, write: RecordedWrite, change: (object: ServiceJson) => void): Promise<Outcome<void>> {
    await Promise.resolve();
    this.beforeWrite(write);
    const object = this.#objects.get(`${key.namespace}/${key.name}`);
    if (object?.metadata.uid !== key.uid) return refuse('claim/not-found', 'gone');
    const { resourceVersion } = write;
    if (resourceVersion !== undefined && resourceVersion !== object.metadata['resourceVersion'])
      return refuse('store/conflict', 'changed');
    this.writes.push(write);
    const next = structuredClone(object);
    change(next);
    this.put(next);
    return accept(undefined);
  }

  #show({ namespace, name }: ServiceKey): void {
    const place = `${namespace}/${name}`;
    const before = this.#seen.get(place);
    const after = this.#objects.get(place);
    if (before === after) return;
    if (after === undefined) this.#seen.delete(place);
    else this.#seen.set(place, after);
    const isOther = before !== undefined && before.metadata.uid !== after?.metadata.uid;
    if (isOther) this.#tell({ key: keyOf(before), before: before });
    if (after === undefined) return;
    const old = before === undefined || isOther ? {} : { before: before as unknown as JsonMap };
    this.#tell({ key: keyOf(after), ...old, after: after });
  }

  #tell(change: ServiceChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}

function keyOf({ metadata }: ServiceJson): ServiceKey {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function asMap(object: ServiceJson | undefined): JsonMap | undefined {
  return object;
}
