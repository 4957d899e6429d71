import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import { FakeRecords, Invalid, type FakeIpAddress, type FakeIpRange, type FakePrefix } from './fake-netbox-records';
import { freePort } from './free-ports';

/** One request as the stand-in saw it. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Effect of a fault on a request: an answer in place of the true one, before or after the true work. */
export type FakeFault = (call: SeenCall) =>
  | {
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly after?: true;
    }
  | { readonly reset: 'before' | 'after' }
  | { readonly waitFor: Promise<unknown> }
  | undefined;

/** A serving certificate with its key, PEM. */
export interface FakeTls {
  readonly key: string;
  readonly cert: string;
}

const PREFIXES = '/api/ipam/prefixes/';
const IPS = '/api/ipam/ip-addresses/';
const RANGES = '/api/ipam/ip-ranges/';
const CHOICES = '/api/extras/custom-field-choice-sets/';
const TAGS = '/api/extras/tags/';
const MAX_PAGE = 1000;

/**
 * Answers of the real NetBox that surprise a caller, each with the version in which it was seen. {@link FakeRecords} gives the rest: a
 * duplicate that the token may not see is refused by its name (4.4.10, 4.6.8), and so is a tag (4.6.8).
 */
export const NETBOX_FAULTS = {
  /** The token lacks the right for objects of this kind. */
  lacksRight: { status: 403, detail: 'You do not have permission to perform this action.', seen: '4.4.10' },
  /** A write of a record that the token may see, but not write: outside of the constraint of its permission. */
  outsidePermission: { status: 404, detail: 'No Prefix matches the given query.', seen: '4.4.10, 4.6.8' },
  /** A token that NetBox does not know. */
  unknownToken: { status: 403, detail: 'Invalid token', seen: '4.4.10' },
} as const;

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * NetBox as its REST documentation describes it, as far as addresses need it: pages of 50 with `next`, validation with `{"field":
 * ["sentence"]}`, 403 without a valid token, 404 with `{"detail": …}`, 204 for a DELETE.
 */
export class FakeNetBox {
  readonly records = new FakeRecords();
  readonly calls: SeenCall[] = [];
  readonly token = '0123456789abcdef0123456789abcdef01234567';
  /** Records of a page where the caller names no limit. */
  pageSize = 50;
  /** Most records of a page. */
  maxPageSize = MAX_PAGE;
  /** Origin in `next` links, as a proxy may spoil it. */
  linkOrigin: string | undefined;
  /** Tried for each call, the newest first, until one does something. */
  faults: FakeFault[] = [];
  /** Called after each page of a list, before the next one is asked for. */
  afterPage: () => void = () => undefined;
  /** Told in place of the true number of records of a list. */
  countOf: (true_: number) => number = (count) => count;
  readonly #server: Server | TlsServer;
  readonly #heard = new EventEmitter();
  #port = 0;

  private constructor(tls: FakeTls | undefined) {
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      void this.#serve(request, response);
    };
    this.#server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  }

  /** Starts on a free port, with a certificate over TLS. */
  static async start(tls?: FakeTls): Promise<FakeNetBox> {
    const netbox = new FakeNetBox(tls);
    await netbox.comeBack();
    return netbox;
  }

  get url(): URL {
    return new URL(`${this.#server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${this.#port}`);
  }

  /** Refuses every connection, and ends those that there are. */
  async goAway(): Promise<void> {
    await this.stop();
  }

  /** Listens, where it was before. */
  async comeBack(): Promise<void> {
    this.#port ||= await freePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Shows another certificate to whoever connects from now on. */
  renew(tls: FakeTls): void {
    if (this.#server instanceof TlsServer) this.#server.setSecureContext(tls);
    this.#server.closeIdleConnections();
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Answers the next `times` calls that fit in this way. */
  fail(answer: ReturnType<FakeFault>, fits: (call: SeenCall) => boolean = () => true, times = 1): void {
    let left = times;
    this.faults.unshift((call) => (left > 0 && fits(call) && left-- > 0 ? answer : undefined));
  }

  /** Waits for as many calls since the start. */
  async heard(count: number): Promise<void> {
    while (this.calls.length < count) await once(this.#heard, 'call');
  }

  /** Methods and paths seen since the start, without queries. */
  seen(): readonly string[] {
    return this.calls.map(({ method, path }) => `${method} ${path}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await seenCall(request);
    this.calls.push(call);
    this.#heard.emit('call');
    const fault = this.faults.map((each) => each(call)).find((found) => found !== undefined);
    if (fault === undefined) {
      send(response, this.#answer(call));
    } else if ('waitFor' in fault) {
      await fault.waitFor;
      send(response, this.#answer(call));
    } else if ('reset' in fault) {
      if (fault.reset === 'after') this.#answer(call);
      response.destroy();
    } else {
      if (fault.after === true) this.#answer(call);
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(fault.body);
    }
  }

  #answer(call: SeenCall): Answer {
    if (call.authorization !== `Token ${this.token}`) return refusedAs('unknownToken');
    if (call.path === RANGES && !this.records.rights.viewRanges) return refusedAs('lacksRight');
    try {
      return this.#route(call);
    } catch (thrown) {
      if (thrown instanceof Invalid) return { status: 400, body: thrown.body };
      throw thrown;
    }
  }

  #route(call: SeenCall): Answer {
    const { path, method, query } = call;
    const { records } = this;
    const lists: Readonly<Record<string, () => readonly unknown[]>> = {
      [PREFIXES]: () => records.select(query).map((each) => this.#shown(each)),
      [IPS]: () => records.selectIps(query).map(shownInVrf),
      [RANGES]: () => records.selectRanges(query).map(shownInVrf),
      [CHOICES]: () => this.#choiceSets(query),
      [TAGS]: () => [...records.tags].map(([id, name]) => ({ id, name })),
    };
    const list = lists[path];
    if (list !== undefined && method === 'GET') return this.#page(call, list());
    if (path === PREFIXES && method === 'POST') return { status: 201, body: this.#shown(records.create(call.body)) };
    const [, id, rest] = /^\/api\/ipam\/prefixes\/(\d+)\/(.*)$/u.exec(path) ?? [];
    const record = records.permitted(Number(id), method === 'GET' ? 'view' : 'change');
    if (record === undefined) return refusedAs('outsidePermission');
    return rest === '' ? this.#one(record, call) : this.#available(record, call);
  }

  #one(record: FakePrefix, { method, body }: SeenCall): Answer {
    switch (method) {
      case 'GET':
        return { status: 200, body: this.#shown(record) };
      case 'PATCH':
      case 'PUT':
        return { status: 200, body: this.#shown(this.records.change(record, body)) };
      case 'DELETE':
        this.records.prefixes.delete(record.id);
        return { status: 204 };
      default:
        return { status: 405, body: { detail: `Method "${method}" not allowed.` } };
    }
  }

  #available(record: FakePrefix, { method, body }: SeenCall): Answer {
    const { vrf, prefix } = record;
    if (method === 'GET') {
      const free = this.records.free(record).map((each) => ({ family: each.family, prefix: each.toString(), vrf }));
      return { status: 200, body: free };
    }
    const made = this.records.createNext(record, body);
    if (made !== undefined) return { status: 201, body: this.#shown(made) };
    const detail = `Insufficient space is available to accommodate the requested prefix size(s) in ${prefix}`;
    return { status: 409, body: { detail } };
  }

  #choiceSets(query: URLSearchParams): readonly unknown[] {
    const [name, q] = [query.get('name'), query.get('q')];
    return this.records.choiceSets
      .filter((set) => (name === null || set.name === name) && (q === null || set.name.includes(q)))
      .map((set, index) => ({
        id: index + 1,
        name: set.name,
        extra_choices: set.choices.map((choice) => [choice, choice]),
      }));
  }

  #page({ query, path }: SeenCall, all: readonly unknown[]): Answer {
    const asked = Number(query.get('limit') ?? this.pageSize);
    const limit = Math.min(asked === 0 ? this.maxPageSize : asked, this.maxPageSize);
    const offset = Number(query.get('offset') ?? 0);
    const rest = new URLSearchParams(query);
    rest.set('limit', String(limit));
    rest.set('offset', String(offset + limit));
    const origin = this.linkOrigin ?? this.url.origin;
    const next = offset + limit < all.length ? `${origin}${path}?${rest.toString()}` : null;
    const body = { count: this.countOf(all.length), next, previous: null, results: all.slice(offset, offset + limit) };
    this.afterPage();
    return { status: 200, body };
  }

  #shown(record: FakePrefix): unknown {
    const { vrfs, tenants, roles, tags } = this.records;
    const named = (id: number | null, name: string | undefined): unknown => (id === null ? null : { id, name });
    return {
      ...record,
      family: record.prefix.includes(':') ? { value: 6, label: 'IPv6' } : { value: 4, label: 'IPv4' },
      status: { value: record.status, label: record.status },
      vrf: named(record.vrf, vrfs.get(record.vrf ?? 0)?.name),
      tenant: named(record.tenant, tenants.get(record.tenant ?? 0)),
      role: named(record.role, roles.get(record.role ?? 0)),
      tags: record.tags.map((id) => named(id, tags.get(id))),
    };
  }
}

function refusedAs(fault: keyof typeof NETBOX_FAULTS): Answer {
  const { status, detail } = NETBOX_FAULTS[fault];
  return { status, body: { detail } };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function shownInVrf(record: FakeIpAddress | FakeIpRange): unknown {
  return { ...record, vrf: record.vrf === null ? null : { id: record.vrf } };
}

async function seenCall(request: IncomingMessage): Promise<SeenCall> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += String(chunk);
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    authorization: request.headers.authorization ?? '',
    body: text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>),
  };
}
