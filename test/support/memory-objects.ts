import { randomUUID } from 'node:crypto';

import { FIELD_MANAGER } from '../../operator/contract/group';
import { isMap, listOf, type JsonMap } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';
import { accept, refuse, type Outcome } from '../../operator/errors/outcome';
import type { KubernetesObjects, ObjectVersion } from '../../operator/ports/objects';

interface Owned {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly fields: ReadonlySet<string>;
}

interface Stored {
  readonly object: { readonly metadata: JsonMap; readonly spec: JsonMap };
  readonly owned: readonly Owned[];
}

/**
 * Objects of one kind in memory. Of server-side apply it knows what pools need: each field of `spec` is atomic and owned by
 * whoever wrote its value last, and an equal value is shared.
 */
export class MemoryObjects implements KubernetesObjects {
  /** Every write that reached the store, as `apply name` or `delete name`. */
  readonly writes: string[] = [];
  /** Number of lists that were asked for. */
  lists = 0;
  /** Awaited before each list answers. */
  beforeList: () => Promise<void> | void = () => undefined;
  /** Awaited before each write is stored. */
  beforeWrite: () => Promise<void> | void = () => undefined;
  /** False: the kind is not installed, and each list fails. */
  isServed = true;
  readonly #statuses = new Map<string, JsonMap>();
  readonly #stored = new Map<string, Stored>();
  readonly #listeners = new Set<(name: string) => void>();
  #version = 0;

  read(name: string): Promise<JsonMap | undefined> {
    return Promise.resolve(this.#shown(name));
  }

  async list(): Promise<readonly JsonMap[]> {
    this.lists += 1;
    await this.beforeList();
    if (!this.isServed) throw new IpamError('cluster/unavailable', 'the API server answered 404');
    return [...this.#stored.keys()].flatMap((name): readonly JsonMap[] => {
      const object = this.#shown(name);
      return object === undefined ? [] : [object];
    });
  }

  async apply(object: JsonMap, { takeOver = false } = {}): Promise<Outcome<JsonMap>> {
    await this.beforeWrite();
    const metadata = object['metadata'] as { readonly name: string; readonly uid?: string };
    const before = this.#stored.get(metadata.name);
    if (metadata.uid !== undefined && metadata.uid !== before?.object.metadata['uid']) {
      return refuse('store/conflict', 'Precondition failed: UID in precondition');
    }
    const owner = this.#conflict(before, object['spec'] as JsonMap);
    if (owner !== undefined && !takeOver) return refuse('store/conflict', `conflict with "${owner}": .spec`);
    this.writes.push(`apply ${metadata.name}`);
    this.#store(object, { manager: FIELD_MANAGER, operation: 'Apply' });
    return accept(this.#shown(metadata.name) ?? {});
  }

  async delete(name: string, version?: ObjectVersion): Promise<Outcome<void>> {
    await this.beforeWrite();
    const metadata = this.#stored.get(name)?.object.metadata;
    if (metadata === undefined) return accept(undefined);
    if (version !== undefined && version.resourceVersion !== metadata['resourceVersion']) {
      return refuse('store/conflict', 'Precondition failed: ResourceVersion in precondition');
    }
    this.writes.push(`delete ${name}`);
    this.remove(name);
    return accept(undefined);
  }

  watch(listener: (name: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes as somebody else does, by PUT or PATCH without a manager of ours. */
  edit(
    name: string,
    spec: JsonMap,
    {
      manager = 'kubectl-edit',
      labels,
      annotations,
    }: { manager?: string; labels?: JsonMap; annotations?: JsonMap } = {},
  ): void {
    const before = this.#stored.get(name)?.object.metadata;
    const kept = {
      labels: labels ?? before?.['labels'] ?? {},
      annotations: annotations ?? before?.['annotations'] ?? {},
    };
    this.#store({ metadata: { name, ...kept }, spec }, { manager, operation: 'Update' });
  }

  /** Writes the status as a controller does; it stays until the object goes. */
  handle(name: string, status: JsonMap = { assignedIPv4: 0 }): void {
    this.#statuses.set(name, status);
    this.#tell(name);
  }

  /** Removes as somebody else does. */
  remove(name: string): void {
    this.#stored.delete(name);
    this.#statuses.delete(name);
    this.#tell(name);
  }

  /** `spec.addresses` of an object, undefined when there is none. */
  addresses(name: string): readonly unknown[] | undefined {
    const stored = this.#stored.get(name);
    return stored === undefined ? undefined : listOf(stored.object.spec['addresses']);
  }

  /** One field of `spec`. */
  field(name: string, field: string): unknown {
    return this.#stored.get(name)?.object.spec[field];
  }

  #conflict(before: Stored | undefined, spec: JsonMap): string | undefined {
    const changed = Object.keys(spec).filter((field) => !same(before?.object.spec[field], spec[field]));
    const others = before?.owned.filter(({ manager }) => manager !== FIELD_MANAGER) ?? [];
    return others.find(({ fields }) => changed.some((field) => fields.has(field)))?.manager;
  }

  #store(object: JsonMap, by: Pick<Owned, 'manager' | 'operation'>): void {
    const metadata = object['metadata'] as JsonMap;
    const name = metadata['name'] as string;
    const before = this.#stored.get(name);
    const spec = { ...before?.object.spec, ...(object['spec'] as JsonMap) };
    const changed = Object.keys(spec).filter((field) => !same(before?.object.spec[field], spec[field]));
    const mine = by.operation === 'Apply' ? Object.keys(object['spec'] as JsonMap) : changed;
    const rest = (before?.owned ?? []).map((entry) => ({
      ...entry,
      fields: new Set([...entry.fields].filter((field) => !changed.includes(field))),
    }));
    const former = rest.find(({ manager }) => manager === by.manager)?.fields ?? [];
    const owned = [
      ...rest.filter(({ manager }) => manager !== by.manager),
      { ...by, fields: new Set([...former, ...mine]) },
    ];
    const uid = before?.object.metadata['uid'] ?? randomUUID();
    this.#version += 1;
    const stored = { ...metadata, uid, resourceVersion: String(this.#version) };
    this.#stored.set(name, { object: { metadata: stored, spec }, owned });
    this.#tell(name);
  }

  #shown(name: string): JsonMap | undefined {
    const stored = this.#stored.get(name);
    if (stored === undefined) return undefined;
    const managedFields = stored.owned.map(({ manager, operation, fields }) => ({
      manager,
      operation,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': Object.fromEntries([...fields].map((field) => [`f:${field}`, {}])) },
    }));
    const { metadata, spec } = stored.object;
    const status = this.#statuses.get(name);
    return structuredClone({
      metadata: { ...metadata, managedFields },
      spec,
      ...(status === undefined ? {} : { status }),
    });
  }

  #tell(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Reads the annotations or labels of an object as a map. */
export function labelsOf(object: JsonMap | undefined): JsonMap {
  const metadata = object?.['metadata'];
  return isMap(metadata) && isMap(metadata['labels']) ? metadata['labels'] : {};
}
