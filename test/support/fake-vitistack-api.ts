import { createServer, type Server } from 'node:https';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  VitistackRecords,
  type VitistackAnswer,
  type VitistackBody,
  type VitistackService,
} from './fake-vitistack-records';
import { freePort } from './free-ports';

/** Fault of one call. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The call does its work all the same. */
      readonly committed?: boolean;
    }
  /** The connection breaks before or after the call did its work. */
  | { readonly kind: 'reset'; readonly committed: boolean }
  /** The work is done, and answered, so much later. */
  | { readonly kind: 'slow'; readonly ms: number };

const seen = (version: string, status: number, message: string) =>
  ({ kind: 'answer', status, body: JSON.stringify({ message }), version }) as const;
const NETBOX_AWAY =
  'Get "https://netbox.example/api/extras/custom-field-choice-sets/?q=k8s_zone_choices": dial tcp 192.0.2.1:443: i/o timeout';

/** Faults of the original that a test may ask for, each with the version in which it was seen. */
export const VITISTACK_FAULTS = {
  /** NetBox did not give the names of the zones. */
  zonesUnread: seen('v1.0.40', 400, `failed to fetch zones: ${NETBOX_AWAY}`),
  /** NetBox gave no containers of the zone when its list was read last. */
  containersUnread: seen('v1.0.40', 400, 'no prefixes found for zone inet with IP family ipv4'),
  /** The choice set was read while the zone was not in it. */
  zoneUnlisted: seen('v1.0.40', 400, "invalid zone 'inet', must be one of: dmz"),
  /** MongoDB is away: every failure of a release is a 404. */
  releaseFailed: seen(
    'v1.0.40',
    404,
    'Could not deregister service: failed to read address document: server selection error: context deadline exceeded',
  ),
  /** MongoDB is away while an address is registered. */
  registerFailed: seen(
    'v1.0.40',
    500,
    'Could not register address: failed to read address document: server selection error: context deadline exceeded',
  ),
  /** In the code of the original; its search by the secret comes first. */
  secretMismatch: seen('v1.0.40', 500, 'Could not register address: secret mismatch. unable to change secret'),
  /** A handler fell over. */
  panicked: { kind: 'answer', status: 500, body: '', version: 'v1.0.40' },
} as const satisfies Readonly<Record<string, Fault & { readonly version: string }>>;

/** One call as it came. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly body: VitistackBody;
}

/** Zones of the stand-in, as the development seed of the original has them. */
const VITISTACK_ZONES: Readonly<Record<string, readonly string[]>> = {
  inet: ['83.118.168.0/22', '2a05:1234::/64'],
  'hnet-private': ['172.16.0.0/12'],
};

/**
 * The original IPAM-API as far as an operator sees it: paths, statuses, texts and the record behind them, over HTTPS when it has
 * a certificate. Cleans up as its worker does, sooner. Faults are chosen call by call.
 */
export class FakeVitistackApi {
  readonly store: VitistackRecords;
  readonly seen: SeenCall[] = [];
  /** Chooses what happens to a call; by default nothing does. */
  fault: (call: SeenCall) => Fault | undefined = () => undefined;
  readonly #pair: { readonly cert: string; readonly key: string } | undefined;
  #server: Server | ReturnType<typeof createPlainServer> | undefined;
  #port = 0;
  #cleanup: NodeJS.Timeout | undefined;

  constructor(pair?: { readonly cert: string; readonly key: string }, zones = VITISTACK_ZONES) {
    this.#pair = pair;
    this.store = new VitistackRecords(zones);
  }

  /** Base URL, without a version. */
  get url(): string {
    return `${this.#pair === undefined ? 'http' : 'https'}://127.0.0.1:${String(this.#port)}`;
  }

  /** Listens, on the port of before where there was one. `cleanupMs`: pause of the worker, 0 for none. */
  async start(cleanupMs = 0): Promise<void> {
    const answer = (request: IncomingMessage, response: ServerResponse): void => void this.#answer(request, response);
    const server = this.#pair === undefined ? createPlainServer(answer) : createServer({ ...this.#pair }, answer);
    this.#server = server;
    this.#port ||= await freePort();
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    if (cleanupMs > 0)
      this.#cleanup = setInterval(() => {
        this.store.expire(Date.now());
      }, cleanupMs);
  }

  /** Listens no longer; connections break. The record stays. */
  async stop(): Promise<void> {
    clearInterval(this.#cleanup);
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  }

  /** Who has what now: `address name@cluster`, without those who left. */
  holders(): readonly string[] {
    const live = ({ expiresAtMs }: VitistackService): boolean => expiresAtMs === undefined;
    return this.store.records
      .flatMap(({ address, services }) => services.filter(live).map(({ name }) => `${address} ${name}`))
      .sort();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request;
    let text = '';
    request.setEncoding('utf8');
    for await (const chunk of request) text += String(chunk);
    const isCall = (method === 'POST' && path === '/v2/address') || (method === 'DELETE' && path === '/v2/service');
    if (!isCall) {
      // the original answers every other path like this
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><html><body>welcome</body></html>');
      return;
    }
    const call = { method, path, body: JSON.parse(text) as VitistackBody };
    this.seen.push(call);
    await this.#act(call, this.fault(call), { request, response });
  }

  async #act(
    call: SeenCall,
    fault: Fault | undefined,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    if (fault?.kind === 'answer') {
      this.#say(call, fault, response);
      return;
    }
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === 'reset' && !fault.committed) {
      request.socket.destroy();
      return;
    }
    const done = this.#do(call);
    if (fault?.kind === 'reset') {
      request.socket.destroy();
      return;
    }
    const { status, ...body } = done;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #say(call: SeenCall, fault: Fault & { kind: 'answer' }, response: ServerResponse): void {
    if (fault.committed === true) this.#do(call);
    response.writeHead(fault.status, { ...fault.headers }).end(fault.body);
  }

  #do({ method, body }: SeenCall): VitistackAnswer {
    return method === 'POST' ? this.store.register(body) : this.store.release(body, Date.now());
  }
}
