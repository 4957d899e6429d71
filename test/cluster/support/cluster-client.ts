import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { parseAllDocuments } from 'yaml';
import { eventually, PATIENCE_MS } from './eventually';

/** Fields of a manifest, read by path: a wrong path gives `undefined`, as in JSON. */
export type Json = { readonly [key: string]: Json } & readonly Json[] & string;

/** Values that the API server takes and gives: an object, a list, or a Status. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: Json;
  readonly status?: Json;
  readonly data?: Readonly<Record<string, string>>;
  readonly webhooks?: Json;
  readonly items?: readonly KubeObject[];
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** An object as tests write it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly type?: string;
  readonly spec?: unknown;
  readonly data?: unknown;
  readonly stringData?: unknown;
  readonly rules?: unknown;
  readonly roleRef?: unknown;
  readonly subjects?: unknown;
}

/** Characters of what was seen, in an error. */
const MOST_SEEN = 4_000;

type Predicate = (items: readonly KubeObject[]) => boolean;

/** Where an API server is, and who calls it. */
export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly token?: string | undefined;
  /** Client certificate and its key, PEM, in place of a token. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Answer of the API server. */
export interface ServerAnswer {
  readonly status: number;
  readonly body: KubeObject;
  /** Texts of the header `Warning`, such as those of Pod Security. */
  readonly warnings: readonly string[];
}

/** A refusal by the API server. */
class ServerRefusal extends RangeError {
  readonly status: number;
  readonly body: KubeObject;

  constructor(call: string, { status, body }: ServerAnswer) {
    super(`${call}: ${String(status)} ${body.message ?? 'without a message'}`);
    this.status = status;
    this.body = body;
  }
}

const PATCH_TYPES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/** Media types of PATCH, and plain JSON. */
export type ContentType = keyof typeof PATCH_TYPES | 'application/json';

/** Body of a request, and its media type. */
type Sent = readonly [body?: unknown, type?: ContentType];

/** How objects are applied. */
export interface ApplyOptions {
  /** Checks everything and stores nothing. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** Unknown fields are refused rather than warned of. */
  readonly strict?: boolean;
}

const warningsOf = (answer: IncomingMessage): readonly string[] =>
  [...(answer.headers['warning'] ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(.)/g, '$1'),
  );

/** Probes and some refusals answer with plain text. */
function parsed(text: string): KubeObject {
  try {
    return JSON.parse(text) as KubeObject;
  } catch {
    return { message: text } as KubeObject;
  }
}

/** Follows a collection object by object, so that each change costs the same however many objects there are. */
export interface Follower {
  /** A list begins: what was told until now may be gone. */
  begin(): void;
  put(object: KubeObject): void;
  drop(object: KubeObject): void;
  /** Asked after each list and each change. */
  isDone(): boolean;
  /** Tells what is there, for the error. */
  seen(): string;
}

/** All objects of a collection by UID, until something holds for them. */
class Items implements Follower {
  readonly all = new Map<string, KubeObject>();
  readonly #until: (all: ReadonlyMap<string, KubeObject>) => boolean;

  constructor(until: (all: ReadonlyMap<string, KubeObject>) => boolean) {
    this.#until = until;
  }

  begin(): void {
    this.all.clear();
  }

  put(object: KubeObject): void {
    this.all.set(object.metadata.uid, object);
  }

  drop({ metadata }: KubeObject): void {
    this.all.delete(metadata.uid);
  }

  isDone(): boolean {
    return this.#until(this.all);
  }

  seen(): string {
    const some = [...this.all.values()].slice(0, MOST_SEEN);
    return JSON.stringify(some.map(({ metadata: { name, annotations }, status }) => ({ name, annotations, status })));
  }
}

/** Reads the objects in YAML text; empty documents are left out. */
export const objectsIn = (yaml: string): readonly Manifest[] =>
  parseAllDocuments(yaml)
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);

function applyQuery({ dryRun = false, fieldManager = 'cluster-test', strict = true }: ApplyOptions): string {
  return [
    `fieldManager=${fieldManager}&force=true`,
    ...(dryRun ? ['dryRun=All'] : []),
    ...(strict ? ['fieldValidation=Strict'] : []),
  ].join('&');
}

/** True where a condition of an object is `True`. */
export const conditionIs = ({ status }: KubeObject, type: string): boolean =>
  status?.['conditions']?.some((each: Json) => each['type'] === type && each['status'] === 'True') ?? false;

/** A caller of an API server, JSON in and JSON out. */
export class ClusterClient {
  readonly access: Access;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #kinds = new Map<string, { readonly plural: string; readonly namespaced: boolean }>();

  constructor(access: Access) {
    this.access = access;
  }

  /** The same server, asked by somebody else. */
  as(token: string): ClusterClient {
    const { url, ca } = this.access;
    return new ClusterClient({ url, ca, token });
  }

  /** Ends idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  /** Calls and tells what came back, refusals included. */
  async attempt(method: string, path: string, ...[body, type]: Sent): Promise<ServerAnswer> {
    const answer = await this.#open(method, path, { body, type });
    let text = '';
    answer.setEncoding('utf8');
    for await (const part of answer) text += part as string;
    return { status: answer.statusCode ?? 0, body: parsed(text), warnings: warningsOf(answer) };
  }

  /** Calls, and throws a {@link ServerRefusal} at 400 and above. */
  async request(method: string, path: string, ...sent: Sent): Promise<KubeObject> {
    const answer = await this.attempt(method, path, ...sent);
    if (answer.status >= 400) throw new ServerRefusal(`${method} ${path}`, answer);
    return answer.body;
  }

  /** Path of an object of a kind that the server knows. */
  async pathOf({ apiVersion, kind, metadata }: Manifest): Promise<string> {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { plural, namespaced } = await this.#kindOf(base, kind);
    const place = namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
    return `${base}${place}/${plural}/${metadata.name}`;
  }

  /**
   * Applies objects by server-side apply, in their order.
   *
   * @returns what the server has made of each
   */
  async apply(objects: string | readonly Manifest[], options: ApplyOptions = {}): Promise<readonly ServerAnswer[]> {
    const all = typeof objects === 'string' ? objectsIn(objects) : objects;
    const query = applyQuery(options);
    const answers: ServerAnswer[] = [];
    for (const object of all) {
      const path = await this.pathOf(object);
      const answer = await this.attempt('PATCH', `${path}?${query}`, object, 'apply');
      if (answer.status >= 400) throw new ServerRefusal(`apply ${path}`, answer);
      answers.push(answer);
      if (object.kind === 'CustomResourceDefinition' && options.dryRun !== true)
        await this.#established(object.metadata.name);
    }
    return answers;
  }

  /**
   * Follows a collection until a predicate holds for its items, and returns them.
   *
   * @param path - of a collection, with a query where needed, or of one object
   */
  async watchUntil(path: string, predicate: Predicate, timeoutMs = PATIENCE_MS): Promise<readonly KubeObject[]> {
    const items = new Items((all) => predicate([...all.values()]));
    await this.followUntil(path, items, timeoutMs);
    return [...items.all.values()];
  }

  /** Follows a collection until no object is left in it. */
  async watchUntilEmpty(path: string, timeoutMs = PATIENCE_MS): Promise<void> {
    await this.followUntil(path, new Items(({ size }) => size === 0), timeoutMs);
  }

  /**
   * Follows a collection until a follower has seen enough.
   *
   * @param path - of a collection, with a query where needed, or of one object
   */
  async followUntil(path: string, follower: Follower, timeoutMs = PATIENCE_MS): Promise<void> {
    const { collection, query } = this.#collectionOf(path);
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const list = await this.request('GET', `${collection}?${query}`);
      follower.begin();
      for (const item of list.items ?? []) follower.put(item);
      if (follower.isDone()) return;
      const from = `${query}&watch=1&resourceVersion=${list.metadata.resourceVersion}`;
      const left = Math.ceil(deadline - performance.now());
      if (await this.#follow(`${collection}?${from}`, follower, left)) return;
    }
    const seen = follower.seen().slice(0, MOST_SEEN);
    throw new RangeError(`${path} was not as awaited within ${timeoutMs} ms, last seen: ${seen}`);
  }

  /** As {@link watchUntil} for one object, which may not be there yet. */
  async objectWhen(
    path: string,
    predicate: (object: KubeObject) => boolean,
    timeoutMs = PATIENCE_MS,
  ): Promise<KubeObject> {
    const [found] = await this.watchUntil(path, ([object]) => object !== undefined && predicate(object), timeoutMs);
    if (found === undefined) throw new RangeError(`${path} is gone`);
    return found;
  }

  // A path with an even number of words behind the version, or behind the namespace, names a collection's member.
  #collectionOf(path: string): { collection: string; query: string } {
    const [place = '', query = ''] = path.split('?');
    const words = place.split('/').filter((word) => word !== '');
    const behind = words.slice(words[0] === 'api' ? 2 : 3);
    const member = behind.length % 2 === 0 && behind.length > 0;
    if (!member) return { collection: place, query };
    const field = `fieldSelector=metadata.name%3D${words.at(-1) ?? ''}`;
    return {
      collection: place.slice(0, place.lastIndexOf('/')),
      query: query === '' ? field : `${query}&${field}`,
    };
  }

  async #follow(path: string, follower: Follower, timeoutMs: number): Promise<boolean> {
    const stream = await this.#open('GET', path, {});
    const lines = createInterface({ input: stream });
    const end = setTimeout(() => stream.destroy(), timeoutMs);
    stream.once('close', () => {
      lines.close(); // it notices the end of its input, but not that it was cut off
    });
    try {
      for await (const line of lines) {
        const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
        if (type === 'ERROR') return false; // expired: the caller lists again
        if (type === 'DELETED') follower.drop(object);
        else follower.put(object);
        if (follower.isDone()) return true;
      }
      return false;
    } catch {
      return false; // cut off, by the timeout as a rule
    } finally {
      clearTimeout(end);
      stream.destroy();
    }
  }

  async #kindOf(base: string, kind: string): Promise<{ plural: string; namespaced: boolean }> {
    const known = this.#kinds.get(`${base} ${kind}`);
    if (known !== undefined) return known;
    // a CRD that was accepted a moment ago is served a moment later
    return eventually(async () => {
      const { resources = [] } = await this.request('GET', base);
      for (const { name, namespaced, kind: served } of resources) {
        if (!name.includes('/')) this.#kinds.set(`${base} ${served}`, { plural: name, namespaced });
      }
      return this.#kinds.get(`${base} ${kind}`);
    });
  }

  async #established(name: string): Promise<void> {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    await this.objectWhen(path, (crd) => conditionIs(crd, 'Established'));
  }

  #open(
    method: string,
    path: string,
    { body, type = 'application/json' }: { body?: unknown; type?: ContentType | undefined },
  ): Promise<IncomingMessage> {
    const { url, ca, token, certificate: cert, key } = this.access;
    const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      accept: 'application/json',
      ...(sent !== undefined && {
        'content-type': type === 'application/json' ? type : PATCH_TYPES[type],
        'content-length': String(Buffer.byteLength(sent)),
      }),
    };
    return new Promise((resolve, reject) => {
      const call = httpsRequest(new URL(path, url), { method, ca, cert, key, headers, agent: this.#agent }, resolve);
      call.on('error', reject);
      call.end(sent);
    });
  }
}
