import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import { isMap, listOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';

type Answerer = (request: ApiRequest) => ApiAnswer | undefined | Promise<ApiAnswer | undefined>;

/** A refusal as the API server gives it. */
export function refusedWith(status: number, reason: string, message = `${reason} by the test`): ApiAnswer {
  return {
    ok: false,
    status,
    reason,
    message,
    body: { kind: 'Status', status: 'Failure', reason, message, code: status },
  };
}

/** Answer of the API server to the create of an object whose namespace is not there. */
export function withoutNamespace(name: string): ApiAnswer {
  const refused = refusedWith(404, 'NotFound', `namespaces "${name}" not found`);
  return { ...refused, body: { ...refused.body, details: { name, kind: 'namespaces' } } };
}

/** One change of a stored object, as a watch tells it. */
interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly path: string;
  readonly version: number;
  readonly object: JsonMap;
}

/**
 * An API server in memory, behind the client's interface: objects by path, resource versions, UIDs, preconditions, finalizers, merge and
 * JSON patches, pages, watches. What the real one does beyond that is tested on the real one.
 */
export class MemoryApiClient implements ApiClient {
  /** Every request, in order. */
  readonly requests: ApiRequest[] = [];
  /** Asked first; what it returns is the answer. */
  intercept: Answerer = () => undefined;
  /** The server's clock; answers tell no time without it. */
  nowMs: (() => number) | undefined;
  /** The schema of a kind: what is wrong with an object, which is refused then. */
  problemOf: (object: JsonMap, before?: JsonMap) => string | undefined = () => undefined;
  readonly #objects = new Map<string, JsonMap>();
  readonly #events: WatchEvent[] = [];
  /** Fields of the status that were applied last, by UID. */
  readonly #applied = new Map<string, ReadonlySet<string>>();
  #wake = new Set<() => void>();
  #version = 0;

  async request(request: ApiRequest): Promise<ApiAnswer> {
    this.requests.push(request);
    const cut = await Promise.race([this.intercept(request), aborted(request.signal)]);
    if (request.signal?.aborted === true) throw new IpamError('cluster/unavailable', 'the call was ended');
    const answer = cut ?? this.#answer(request);
    return this.nowMs === undefined ? answer : { ...answer, serverTimeMs: this.nowMs() };
  }

  async stream(request: ApiRequest): Promise<ApiAnswer | AsyncIterable<JsonMap>> {
    this.requests.push(request);
    const cut = await this.intercept(request);
    return cut ?? this.#watch(request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Stores an object as somebody else's write; UID and version are made. */
  put(path: string, object: JsonMap): JsonMap {
    const before = this.#objects.get(path);
    const metadata = isMap(object['metadata']) ? object['metadata'] : {};
    const stored = {
      ...object,
      metadata: { uid: randomUUID(), ...metadata, resourceVersion: String(++this.#version) },
    };
    this.#objects.set(path, stored);
    this.#tell(before === undefined ? 'ADDED' : 'MODIFIED', path, stored);
    return stored;
  }

  /** Reads the stored object. */
  get(path: string): JsonMap | undefined {
    return this.#objects.get(path);
  }

  /** Lists the stored objects of a collection, by name. */
  all(collection: string): readonly JsonMap[] {
    const members = [...this.#objects].filter(([path]) => isMemberOf(path, collection));
    return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Lists the paths of the stored objects of a resource. */
  allPaths(resource: string): readonly string[] {
    return [...this.#objects.keys()].filter((path) => placeOf(path).resource === resource);
  }

  /** Removes an object. */
  remove(path: string): void {
    const before = this.#objects.get(path);
    if (before === undefined) return;
    this.#objects.delete(path);
    const resourceVersion = String(++this.#version);
    this.#tell('DELETED', path, { ...before, metadata: { ...metaOf(before), resourceVersion } });
  }

  /** Requests of one method, as `METHOD path`. */
  calls(method: ApiRequest['method']): readonly string[] {
    return this.requests.filter((each) => each.method === method).map(({ path }) => path);
  }

  #answer(request: ApiRequest): ApiAnswer {
    const path = request.path.replace(/\/status$/u, '');
    if (request.method === 'POST') return this.#create(request);
    const stored = this.#objects.get(path);
    if (stored === undefined) {
      const isList = request.method === 'GET' && placeOf(path).name === undefined;
      return isList ? this.#list(request) : refusedWith(404, 'NotFound');
    }
    switch (request.method) {
      case 'GET':
        return { ok: true, status: 200, body: stored };
      case 'DELETE':
        return this.#delete(path, stored, request);
      case 'PUT':
      case 'PATCH':
        return this.#write(path, stored, request);
    }
  }

  #create({ path, body }: ApiRequest): ApiAnswer {
    const object = isMap(body) ? body : {};
    const name = textOf(metaOf(object)['name']);
    const target = `${path}/${name}`;
    if (this.#objects.has(target)) return refusedWith(409, 'AlreadyExists');
    const problem = this.problemOf(object);
    if (problem !== undefined) return refusedWith(422, 'Invalid', problem);
    const made = this.nowMs === undefined ? {} : { creationTimestamp: new Date(this.nowMs()).toISOString() };
    return { ok: true, status: 201, body: this.put(target, { ...object, metadata: { ...made, ...metaOf(object) } }) };
  }

  #delete(path: string, stored: JsonMap, { body }: ApiRequest): ApiAnswer {
    const wanted = isMap(body) && isMap(body['preconditions']) ? body['preconditions'] : {};
    const now = metaOf(stored);
    const broken = ['uid', 'resourceVersion'].some((key) => key in wanted && wanted[key] !== now[key]);
    if (broken) return refusedWith(409, 'Conflict', 'Precondition failed');
    if (listOf(now['finalizers']).length === 0) this.remove(path);
    else this.put(path, { ...stored, metadata: { ...now, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    return { ok: true, status: 200, body: {} };
  }

  #write(path: string, stored: JsonMap, request: ApiRequest): ApiAnswer {
    const { method, contentType } = request;
    const uidBefore = textOf(metaOf(stored)['uid']);
    const wanted = wantedOf(stored, request, this.#applied.get(uidBefore) ?? new Set());
    if (wanted === undefined) return refusedWith(422, 'Invalid');
    const { uid, resourceVersion } = metaOf(wanted);
    const now = metaOf(stored);
    if (resourceVersion !== now['resourceVersion']) return refusedWith(409, 'Conflict');
    if (uid !== now['uid']) return uidRefused(method, contentType);
    const problem = this.problemOf(wanted, stored);
    if (problem !== undefined) return refusedWith(422, 'Invalid', problem);
    const kept = { creationTimestamp: now['creationTimestamp'], deletionTimestamp: now['deletionTimestamp'] };
    const next = JSON.parse(JSON.stringify({ ...wanted, metadata: { ...kept, ...metaOf(wanted) } })) as JsonMap;
    if (method === 'PUT' && isDeepStrictEqual(next, stored)) return { ok: true, status: 200, body: stored };
    const dying = now['deletionTimestamp'] !== undefined && listOf(metaOf(next)['finalizers']).length === 0;
    const written = this.put(path, next);
    this.#rememberApplied(uidBefore, request);
    if (dying) this.remove(path);
    return { ok: true, status: 200, body: written };
  }

  #rememberApplied(uid: string, { contentType, body }: ApiRequest): void {
    if (contentType === 'application/apply-patch+yaml') this.#applied.set(uid, fieldsOf(body));
  }

  #list({ path, query }: ApiRequest): ApiAnswer {
    const items = [...this.#objects].filter(([each]) => isMemberOf(each, path)).map(([, object]) => object);
    const from = Number(query?.['continue'] ?? 0);
    const end = from + Number(query?.['limit'] ?? items.length);
    const rest = end < items.length ? { continue: String(end) } : {};
    return {
      ok: true,
      status: 200,
      body: { metadata: { resourceVersion: String(this.#version), ...rest }, items: items.slice(from, end) },
    };
  }

  #tell(type: WatchEvent['type'], path: string, object: JsonMap): void {
    this.#events.push({ type, path, version: this.#version, object });
    for (const wake of this.#wake) wake();
  }

  async *#watch({ path, query, signal }: ApiRequest): AsyncGenerator<JsonMap> {
    let next = this.#events.findIndex(({ version }) => version > Number(query?.['resourceVersion'] ?? 0));
    if (next < 0) next = this.#events.length;
    while (signal?.aborted !== true) {
      for (; next < this.#events.length; next += 1) {
        const event = this.#events[next];
        if (event !== undefined && isMemberOf(event.path, path)) yield { type: event.type, object: event.object };
      }
      await this.#nextEvent(signal);
    }
  }

  async #nextEvent(signal: AbortSignal | undefined): Promise<void> {
    let wake: () => void = () => undefined;
    const told = new Promise<undefined>((resolve) => {
      wake = () => {
        resolve(undefined);
      };
    });
    this.#wake.add(wake);
    await Promise.race([told, aborted(signal)]);
    this.#wake.delete(wake);
  }
}

/** The parts of a path of the API. */
interface Place {
  readonly group: string;
  readonly namespace: string | undefined;
  readonly resource: string | undefined;
  readonly name: string | undefined;
}

/** Places of paths that were looked at: each list looks at those of every object. */
const PLACES = new Map<string, Place>();

function placeOf(path: string): Place {
  const place = PLACES.get(path) ?? readPlace(path);
  PLACES.set(path, place);
  return place;
}

function readPlace(path: string): Place {
  const [root = '', ...segments] = path.split('/').slice(1);
  const group = [root, ...segments.splice(0, root === 'api' ? 1 : 2)].join('/');
  const within = segments[0] === 'namespaces' && segments.length > 2 ? segments.splice(0, 2)[1] : undefined;
  const [resource, name] = segments;
  return { group, namespace: within, resource, name };
}

function isMemberOf(path: string, collection: string): boolean {
  const [object, asked] = [placeOf(path), placeOf(collection)];
  const sameKind = object.group === asked.group && object.resource === asked.resource;
  return sameKind && (asked.namespace === undefined || asked.namespace === object.namespace);
}

// The object that a write leaves. Seen on the real server: a patch of the status of a custom resource changes the status alone,
// whatever it says of metadata; a resource version that it names is compared all the same.
function wantedOf(
  stored: JsonMap,
  { method, path, body, contentType }: ApiRequest,
  fields: ReadonlySet<string>,
): JsonMap | undefined {
  const wanted = method === 'PUT' ? body : patched(stored, body, { contentType, fields });
  if (!isMap(wanted)) return undefined;
  const isCustomStatus = /^[/]apis[/][^/]*[.](?!k8s[.]io).*[/]status$/u.test(path);
  if (!isCustomStatus) return wanted;
  const { resourceVersion } = metaOf(wanted);
  return { ...stored, metadata: { ...metaOf(stored), resourceVersion }, status: wanted['status'] };
}

// Seen on the real server: a patch that names another UID is invalid, an apply or a replacement a conflict.
function uidRefused(method: ApiRequest['method'], contentType: ApiRequest['contentType']): ApiAnswer {
  const isConflict = method === 'PUT' || contentType === 'application/apply-patch+yaml';
  return refusedWith(isConflict ? 409 : 422, isConflict ? 'Conflict' : 'Invalid');
}

function fieldsOf(body: unknown): ReadonlySet<string> {
  return new Set(isMap(body) && isMap(body['status']) ? Object.keys(body['status']) : []);
}

function metaOf(object: unknown): JsonMap {
  return isMap(object) && isMap(object['metadata']) ? object['metadata'] : {};
}

function aborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve(undefined);
    signal?.addEventListener('abort', () => {
      resolve(undefined);
    });
  });
}

/** Type of a patch, and the fields of the status that were applied before. */
interface Patching {
  readonly contentType: ApiRequest['contentType'];
  readonly fields: ReadonlySet<string>;
}

function patched(stored: JsonMap, body: unknown, { contentType, fields }: Patching): unknown {
  switch (contentType) {
    case 'application/json-patch+json':
      return jsonPatched(stored, listOf(body));
    case 'application/merge-patch+json':
      return merged(stored, body);
    case 'application/apply-patch+yaml':
      return applied(stored, body, fields);
    case 'application/json':
    case undefined:
      return undefined;
  }
}

function merged(stored: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(stored) ? { ...stored } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = merged(result[key], value);
  }
  return result;
}

// One manager: what was applied before and is no longer named goes.
function applied(stored: JsonMap, body: unknown, fields: ReadonlySet<string>): JsonMap {
  const status = isMap(body) && isMap(body['status']) ? body['status'] : {};
  const all = Object.entries(isMap(stored['status']) ? stored['status'] : {});
  const before: JsonMap = Object.fromEntries(all.filter(([field]) => field === 'conditions' || !fields.has(field)));
  const ours = listOf(before['conditions']).filter((each) => isMap(each) && each['owner'] === 'other');
  const conditions = [...ours, ...listOf(status['conditions'])];
  return { ...stored, metadata: { ...metaOf(stored), ...metaOf(body) }, status: { ...before, ...status, conditions } };
}

function jsonPatched(stored: JsonMap, operations: readonly unknown[]): JsonMap | undefined {
  const result = structuredClone(stored) as Record<string, unknown>;
  for (const operation of operations) {
    if (!isMap(operation)) return undefined;
    const keys = textOf(operation['path']).slice(1).split('/');
    const last = keys.pop() ?? '';
    let parent: Record<string, unknown> = result;
    for (const key of keys) parent = parent[key] as Record<string, unknown>;
    if (operation['op'] === 'test') {
      if (JSON.stringify(parent[last]) !== JSON.stringify(operation['value'])) return undefined;
    } else if (operation['op'] === 'remove') Reflect.deleteProperty(parent, last);
    else parent[last] = operation['value'];
  }
  return result;
}
