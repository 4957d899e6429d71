import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMap, mapOf, metadataOf, textOf, type JsonMap } from '../../../operator/contract/loose-json';

/** Where an object or a collection is. */
interface Place {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

function placeOf(path: string): Place | undefined {
  const [, , namespace = '', resource = '', name = ''] =
    /^\/(api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/status)?$/u.exec(path) ?? [];
  return resource === '' ? undefined : { namespace, resource, name };
}

/** Applies a merge patch to an object; good enough for an apply, too, since one writer owns what it applies here. */
function merged(old: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result = new Map(Object.entries(mapOf(old)));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}

/**
 * An API server in this process: stores what it is given, lists in pages, watches. No validation, no webhooks, no rights; it is there
 * so that ten thousand Services cost seconds, and so that a bench runs where no real API server is at hand.
 */
export class StandInApi {
  /** Requests that change something. */
  writes = 0;
  /** When pages of Services were asked for, milliseconds since 1970. */
  readonly servicePagesMs: number[] = [];
  readonly #objects = new Map<string, Map<string, JsonMap>>();
  /** Objects as they are sent: a page that is written anew each time would cost its readers more than a real server does. */
  readonly #texts = new WeakMap<JsonMap, string>();
  readonly #watches = new Map<string, Set<ServerResponse>>();
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response);
  });
  #version = 1;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) =>
      this.#server.close(() => {
        resolve();
      }),
    );
  }

  /** Stores an object as its server would. */
  put(resource: string, object: JsonMap): JsonMap {
    const metadata = metadataOf(object);
    const [namespace, name] = [textOf(metadata['namespace']), textOf(metadata['name'])];
    const all = this.#all(resource);
    const known = all.has(`${namespace}/${name}`);
    const uid = textOf(metadata['uid']) === '' ? randomUUID() : metadata['uid'];
    const stored = { ...object, metadata: { ...metadata, uid, resourceVersion: String(++this.#version) } };
    all.set(`${namespace}/${name}`, stored);
    const line = `${JSON.stringify({ type: known ? 'MODIFIED' : 'ADDED', object: stored })}\n`;
    for (const watch of this.#watches.get(resource) ?? []) watch.write(line);
    return stored;
  }

  #all(resource: string): Map<string, JsonMap> {
    const all = this.#objects.get(resource) ?? new Map<string, JsonMap>();
    this.#objects.set(resource, all);
    return all;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const answer = (status: number, body: JsonMap | string): void => {
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(sent);
    };
    const place = placeOf(pathname);
    if (place === undefined) answer(404, { kind: 'Status', reason: 'NotFound', message: pathname, code: 404 });
    else if (place.name === '' && request.method === 'GET') {
      if (searchParams.has('watch')) this.#watch(place, response);
      else answer(200, this.#list(place, searchParams));
    } else
      this.#one(
        { place, method: request.method ?? '', body: text === '' ? {} : (JSON.parse(text) as JsonMap) },
        answer,
      );
  }

  #watch({ resource }: Place, response: ServerResponse): void {
    const watches = this.#watches.get(resource) ?? new Set();
    this.#watches.set(resource, watches.add(response));
    response.on('close', () => watches.delete(response));
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  }

  #list({ resource, namespace }: Place, query: URLSearchParams): string {
    if (resource === 'services' && query.get('limit') !== '1')
      this.servicePagesMs.push(performance.timeOrigin + performance.now());
    const all = [...this.#all(resource).values()];
    const items = namespace === '' ? all : all.filter((each) => metadataOf(each)['namespace'] === namespace);
    const from = Number(query.get('continue') ?? 0);
    const end = from + Number(query.get('limit') ?? items.length);
    const rest = end < items.length ? { continue: String(end) } : {};
    const metadata = { resourceVersion: String(this.#version), ...rest };
    const texts = items.slice(from, end).map((each) => this.#textOf(each));
    return `{"kind":"List","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[${texts.join(',')}]}`;
  }

  #textOf(object: JsonMap): string {
    const text = this.#texts.get(object) ?? JSON.stringify(object);
    this.#texts.set(object, text);
    return text;
  }

  #one(
    { place, method, body }: { readonly place: Place; readonly method: string; readonly body: JsonMap },
    answer: (status: number, body: JsonMap) => void,
  ): void {
    const { resource, namespace } = place;
    const name = place.name === '' ? textOf(metadataOf(body)['name']) : place.name;
    const found = this.#all(resource).get(`${namespace}/${name}`);
    if (method !== 'GET' && resource !== 'leases') this.writes++;
    if (method === 'GET') {
      if (found === undefined) answer(404, { kind: 'Status', reason: 'NotFound', message: name, code: 404 });
      else answer(200, found);
    } else if (method === 'DELETE') {
      this.#all(resource).delete(`${namespace}/${name}`);
      answer(200, { kind: 'Status', status: 'Success' });
    } else {
      const named = { ...body, metadata: { ...metadataOf(body), ...(namespace === '' ? {} : { namespace }), name } };
      const next = method === 'PATCH' ? (merged(found, named) as JsonMap) : named;
      answer(method === 'POST' ? 201 : 200, this.put(resource, next));
    }
  }
}
