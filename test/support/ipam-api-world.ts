import { registerIpamApi } from '../../operator/front-doors/ipam-api/index';
import type { ZoneProps } from '../../operator/contract/zones';
import type { AddressBook } from '../../operator/ports/address-book';
import { Health, registerHealth } from '../../operator/server/health';
import { createWebServer, type WebServer } from '../../operator/server/https-server';
import { LedgerWorld } from './ledger-world';
import { callJson, type Answer } from './loopback';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

/** Zones like those that existing operators know: two with one family, one with both. */
const API_ZONES: readonly ZoneProps[] = [
  { name: 'hnet-private', prefixes: ['172.16.0.0/28'], quarantineSeconds: 300 },
  { name: 'inet', prefixes: ['83.118.168.0/28', '2a05:1234::/64'], quarantineSeconds: 0 },
  { name: 'tiny', prefixes: ['198.51.100.8/32'] },
  { name: 'rationed', prefixes: ['203.0.113.0/28'], quota: 1 },
  { name: 'chosen', prefixes: ['100.64.0.0/28'], namespaces: { matchLabels: { team: 'a' } } },
];

/** A body as existing operators send it. */
export function v2Body(
  change: Readonly<Record<string, unknown>> = {},
  service: Readonly<Record<string, unknown>> = {},
) {
  return {
    secret: 'correct-horse',
    zone: 'inet',
    ip_family: 'ipv4',
    address: '',
    service: { service_name: 'web', namespace_id: 'ns-1', cluster_id: 'cluster-1', ...service },
    ...change,
  };
}

/** An answer with its JSON body. */
export interface JsonAnswer extends Answer {
  readonly json: { readonly message: string; readonly code?: string; readonly address?: string };
}

/** The IPAM-API on a loopback socket over a ledger in memory. */
export class IpamApiWorld {
  readonly ledger = new LedgerWorld(API_ZONES);
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  readonly server: WebServer;
  port = 0;

  constructor(options: { readonly book?: AddressBook; readonly allowAnonymousV2?: boolean } = {}) {
    const { clock } = this.ledger;
    const { book = this.ledger.book, allowAnonymousV2 = true } = options;
    this.server = createWebServer({ bodyLimitBytes: 8_000_000, clock, logger: this.logger, meter: this.meter });
    registerIpamApi(this.server.app, {
      book,
      clock,
      logger: this.logger,
      meter: this.meter,
      deadlineSeconds: 10,
      allowAnonymousV2,
    });
    const exposition = () => Promise.resolve({ contentType: 'text/plain', text: 'numbers' });
    registerHealth(this.server.app, { health: new Health(clock, []), exposition });
  }

  async start(): Promise<this> {
    ({ port: this.port } = await this.server.listen({ host: '127.0.0.1', port: 0 }));
    return this;
  }

  async send(method: string, path: string, json: unknown): Promise<JsonAnswer> {
    const answer = await callJson({ port: this.port, method, path, json });
    return { ...answer, json: JSON.parse(answer.text) as JsonAnswer['json'] };
  }

  register(json: unknown): Promise<JsonAnswer> {
    return this.send('POST', '/v2/address', json);
  }

  release(json: unknown): Promise<JsonAnswer> {
    return this.send('DELETE', '/v2/service', json);
  }
}
