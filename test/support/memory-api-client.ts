import { randomUUID } from 'node:crypto';
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

/**
 * An API server in memory, behind the client's interface: objects by path, resource versions, UIDs, merge and JSON patches,
 * pages. What the real one does beyond that is tested on the real one.
 */
export class MemoryApiClient implements ApiClient {
  /** Every request, in order. */
  readonly requests: ApiRequest[] = [];
  /** Asked first; what it returns is the answer. */
  intercept: Answerer = () => undefined;
  readonly #objects = new Map<string, JsonMap>();
  #version = 0;

  async request(request: ApiRequest): Promise<ApiAnswer> {
    this.requests.push(request);
    const cut = await Promise.race([this.intercept(request), aborted(request.signal)]);
    if (request.signal?.aborted === true) throw new IpamError('cluster/unavailable', 'the call was ended');
    return cut ?? this.#answer(request);
  }

  stream(): Promise<ApiAnswer> {
    return Promise.resolve(refusedWith(501, 'NotImplemented'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Stores an object as somebody else's write; UID and version are made. */
  put(path: string, object: JsonMap): JsonMap {
    const metadata = isMap(object['metadata']) ? object['metadata'] : {};
    const stored = {
      ...object,
      metadata: { uid: randomUUID(), ...metadata, resourceVersion: String(++this.#version) },
    };
    this.#objects.set(path, stored);
    return stored;
  }

  /** What is stored. */
  get(path: string): JsonMap | undefined {
    return this.#objects.get(path);
  }

  /** Removes an object. */
  remove(path: string): void {
    this.#objects.delete(path);
  }

  /** Requests of one method, as `METHOD path`. */
  calls(method: ApiRequest['method']): readonly string[] {
    return this.requests.filter((each) => each.method === method).map(({ path }) => path);
  }

  #answer(request: ApiRequest): ApiAnswer {
    const path = request.path.replace(/\/status$/u, '');
    const stored = this.#objects.get(path);
    if (request.method === 'POST') return this.#create(request);
    if (stored === undefined) return request.method === 'GET' ? this.#list(request) : refusedWith(404, 'NotFound');
    switch (request.method) {
      case 'GET':
        return { ok: true, status: 200, body: stored };
      case 'DELETE':
        this.#objects.delete(path);
        return { ok: true, status: 200, body: {} };
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
    return { ok: true, status: 201, body: this.put(target, object) };
  }

  #write(path: string, stored: JsonMap, { method, body, contentType }: ApiRequest): ApiAnswer {
    const wanted = method === 'PUT' ? body : patched(stored, body, contentType);
    if (wanted === undefined) return refusedWith(422, 'Invalid');
    const { uid, resourceVersion } = metaOf(wanted);
    const now = metaOf(stored);
    if (resourceVersion !== now['resourceVersion']) return refusedWith(409, 'Conflict');
    if (uid !== now['uid']) return refusedWith(contentType?.includes('apply') === true ? 409 : 422, 'Invalid');
    return { ok: true, status: 200, body: this.put(path, wanted as JsonMap) };
  }

  #list({ path, query }: ApiRequest): ApiAnswer {
    const items = [...this.#objects].filter(([each]) => isMemberOf(each, path)).map(([, object]) => object);
    if (items.length === 0 && !path.endsWith('s')) return refusedWith(404, 'NotFound');
    if (/\/(namespaces|secrets|services|servicecidrs|leases|events)\/[^/]+$/u.test(path))
      return refusedWith(404, 'NotFound');
    const from = Number(query?.['continue'] ?? 0);
    const end = from + Number(query?.['limit'] ?? items.length);
    const rest = end < items.length ? { continue: String(end) } : {};
    return {
      ok: true,
      status: 200,
      body: { metadata: { resourceVersion: '1', ...rest }, items: items.slice(from, end) },
    };
  }
}

function isMemberOf(path: string, collection: string): boolean {
  const resource = collection.split('/').at(-1);
  return path.split('/').at(-2) === resource;
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

function patched(stored: JsonMap, body: unknown, contentType: ApiRequest['contentType']): unknown {
  switch (contentType) {
    case 'application/json-patch+json':
      return jsonPatched(stored, listOf(body));
    case 'application/merge-patch+json':
      return merged(stored, body);
    case 'application/apply-patch+yaml':
      return applied(stored, body);
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

// One manager, and only its conditions: what was applied before and is no longer named goes.
function applied(stored: JsonMap, body: unknown): JsonMap {
  const status = isMap(body) && isMap(body['status']) ? body['status'] : {};
  const before = isMap(stored['status']) ? stored['status'] : {};
  const ours = listOf(before['conditions']).filter((each) => isMap(each) && each['owner'] === 'other');
  const conditions = [...ours, ...listOf(status['conditions'])];
  return { ...stored, metadata: { ...metaOf(stored), ...metaOf(body) }, status: { ...before, conditions } };
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
