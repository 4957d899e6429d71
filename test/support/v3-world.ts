import type { InjectOptions } from 'fastify';
import type { ClientProps } from '../../operator/contract/ipam-api/v3/clients';
import { clientLogin } from '../../operator/front-doors/ipam-api/v3/authenticator';
import type { IpamApiV3Parts } from '../../operator/front-doors/ipam-api/v3/parts';
import { registerIpamApiV3 } from '../../operator/front-doors/ipam-api/v3/v3-routes';
import type { AddressBook } from '../../operator/ports/address-book';
import type { OutsideDifference, OutsideSource } from '../../operator/ports/outside-source';
import type { SecretHasher } from '../../operator/ports/secret-hasher';
import { createWebServer, type WebServer } from '../../operator/server/https-server';
import { LedgerWorld, testHasher } from './ledger-world';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';
import { shownOver, V3_CLIENTS } from './remote-book';

/** An answer of version 3. */
export interface V3Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Version 3 over a ledger in memory, called without a socket. */
export class V3World {
  readonly ledger: LedgerWorld;
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  readonly server: WebServer;
  clients: readonly ClientProps[];

  constructor(
    options: {
      clients?: readonly ClientProps[];
      ledger?: LedgerWorld;
      book?: AddressBook;
      parts?: Partial<IpamApiV3Parts>;
      /** False: a record without a place for what clusters show. */
      keepsShown?: boolean;
    } = {},
  ) {
    const { clients = V3_CLIENTS, ledger = new LedgerWorld(), book = ledger.book } = options;
    this.ledger = ledger;
    this.clients = clients;
    const { clock, registry, zones } = ledger;
    const { logger, meter } = this;
    this.server = createWebServer({ bodyLimitBytes: 64 * 1024, clock, logger, meter });
    const shown = options.keepsShown === false ? {} : shownOver({ book, registry, zones, clock, store: ledger.store });
    const source = { current: () => this.clients };
    const base = { ...shown, book, registry, zones, clock, logger, meter, clients: source };
    const parts = { ...base, deadlineSeconds: 10, ...options.parts };
    registerIpamApiV3(this.server.app, parts, clientLogin(source, clock));
  }

  /** Sends a call of a client; a body is sent as JSON unless it is a text. */
  async send(
    method: string,
    url: string,
    call: { body?: unknown; as?: string; headers?: object } = {},
  ): Promise<V3Reply> {
    const { body, as = 'admin', headers = {} } = call;
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const options: InjectOptions = {
      method: method,
      url,
      headers: { ...(as === '' ? {} : { authorization: `Bearer token-of-${as}` }), ...content, ...headers },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const reply = await this.server.app.inject(options);
    const json = reply.body.startsWith('{') ? (JSON.parse(reply.body) as V3Reply['json']) : {};
    return { status: reply.statusCode, headers: reply.headers, text: reply.body, json };
  }
}

/** Keeps secrets so that they can be read again. */
export const KEEPING_HASHER: SecretHasher = {
  ...testHasher,
  seal: (secret) => `k1:${Buffer.from(secret).toString('base64')}`,
  unseal: (sealed) => Buffer.from(sealed.slice(3), 'base64').toString(),
};

/** An outside source that has an address for somebody else. */
export const DIFFERING: OutsideSource = {
  name: 'NetBox',
  comparison: () => Promise.resolve({ atMs: 7_000, total: 2, differences: [DIFFERENCE], unread: ['gone'] }),
};
const DIFFERENCE: OutsideDifference = {
  kind: 'foreign',
  network: 'default',
  zone: 'z',
  address: '192.0.2.9',
  outside: 'NetBox has prefix 192.0.2.9/32 for somebody else',
  holders: [{ clusterUid: 'c1', namespace: 'a', service: 'web', state: 'bound' }],
  sinceMs: 5_000,
  next: 'create',
  nextAtMs: 6_000,
};

/** A claim as a caller sends it. */
export function claimBody(change: Readonly<Record<string, unknown>> = {}, claimant: object = {}) {
  return {
    claimant: { namespaceUid: 'ns-a', namespace: 'a', serviceName: 'web', ...claimant },
    zone: 'z',
    family: 'ipv4',
    secret: { value: 'custom-secret-of-a', scope: 'shared' },
    options: { retentionPeriodDays: 0, denyExternalCleanup: false },
    writtenKeys: [],
    as: 'bound',
    ...change,
  };
}
