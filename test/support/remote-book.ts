import { createHash } from 'node:crypto';
import { RemoteAddressBook } from '../../operator/backends/ipam-api-client/v3/v3-address-book';
import { V3Client } from '../../operator/backends/ipam-api-client/v3/v3-client';
import type { ExchangeProps } from '../../operator/backends/ipam-api-client/api-exchange';
import type { ClientProps } from '../../operator/contract/ipam-api/v3/clients';
import { clientLogin } from '../../operator/front-doors/ipam-api/v3/authenticator';
import type { IpamApiV3Parts } from '../../operator/front-doors/ipam-api/v3/parts';
import { registerIpamApiV3 } from '../../operator/front-doors/ipam-api/v3/v3-routes';
import { SharedUses } from '../../operator/ledger/occupied/shared-uses';
import { followUnused } from '../../operator/ledger/occupied/unused-addresses';
import type { OwnStore } from '../../operator/ports/store';
import type { AddressBook } from '../../operator/ports/address-book';
import type { CertificateSource } from '../../operator/ports/certificates';
import type { Clock } from '../../operator/ports/clock';
import { createWebServer, type BindAddress, type WebServer } from '../../operator/server/https-server';
import type { LedgerWorld } from './ledger-world';
import { usesOf } from './occupied-suite';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';
import { servingPair } from './serving-pair';

/** Token of the client `token-of-<name>`; the file holds its hash. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Clients of the tests: a cluster, a second one, a reader, an administrator. */
export const V3_CLIENTS: readonly ClientProps[] = [
  { name: 'c1', role: 'cluster', clusterUids: ['c1'], tokenSha256: [hashOf('token-of-c1')], burst: 100_000 },
  { name: 'c2', role: 'cluster', clusterUids: ['c2'], tokenSha256: [hashOf('token-of-c2')], burst: 100_000 },
  { name: 'reader', role: 'reader', tokenSha256: [hashOf('token-of-reader')], burst: 100_000 },
  { name: 'admin', role: 'admin', tokenSha256: [hashOf('token-of-admin')], burst: 100_000 },
];

/** Version 3 over a ledger, on loopback HTTPS. */
export interface V3Server {
  readonly server: WebServer;
  readonly address: BindAddress;
  readonly authority: string;
  readonly logger: RecordedLogger;
  readonly meter: RecordedMeter;
  /** Settles when the first client of the stream of freed addresses was told where it begins: what is freed later, it hears. */
  readonly following: Promise<void>;
}

/** Starts version 3 over a ledger. */
export async function startV3(
  ledger: Pick<LedgerWorld, 'registry' | 'zones'> &
    Pick<IpamApiV3Parts, 'freedLog' | 'shown' | 'onUnused' | 'newNames'> & {
      readonly clock: Clock;
      readonly book: AddressBook;
    },
  clients: readonly ClientProps[] = V3_CLIENTS,
  prepare: (app: WebServer['app']) => void = () => undefined,
): Promise<V3Server> {
  const { book, registry, zones, clock, freedLog, shown, onUnused, newNames } = ledger;
  const pair = await servingPair();
  const certificate: CertificateSource = {
    current: () => ({ certificate: pair.cert, key: pair.key }),
    onChange: () => () => undefined,
    problem: () => undefined,
    close: () => undefined,
  };
  const logger = new RecordedLogger();
  const meter = new RecordedMeter();
  const server = createWebServer({ bodyLimitBytes: 64 * 1024, clock, logger, meter, certificate });
  prepare(server.app);
  const following = firstFollowed(server.app);
  const log = {
    ...(freedLog === undefined ? {} : { freedLog }),
    ...(shown === undefined ? {} : { shown }),
    ...(onUnused === undefined ? {} : { onUnused }),
    ...(newNames === undefined ? {} : { newNames }),
  };
  const parts = { book, registry, zones, clock, logger, meter, deadlineSeconds: 10, ...log };
  registerIpamApiV3(server.app, parts, clientLogin({ current: () => clients }, clock));
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, address, authority: pair.authority, logger, meter, following };
}

function firstFollowed(app: WebServer['app']): Promise<void> {
  return new Promise((resolve) => {
    app.addHook('onRequest', (request, { raw }, done) => {
      if (request.url.endsWith('/events')) {
        const write = raw.write.bind(raw) as (chunk: string) => boolean;
        raw.write = (chunk: string) => {
          resolve();
          return write(chunk);
        };
      }
      done();
    });
  });
}

/** A client of a server, or of a proxy in front of it. */
export function v3Client(
  { authority, address }: Pick<V3Server, 'authority' | 'address'>,
  {
    token = 'token-of-admin',
    clock,
    ...limits
  }: { token?: string; clock: Clock } & Pick<ExchangeProps, 'attemptMs' | 'callMs' | 'breaker'>,
): V3Client {
  const tls = { ca: authority };
  return new V3Client({
    target: { url: `https://127.0.0.1:${address.port}` },
    ...limits,
    clock,
    tls: () => tls,
    headers: () => ({ authorization: `Bearer ${token}` }),
  });
}

const ledgerOf = ({ book, registry, zones, clock }: LedgerWorld) => ({ book, registry, zones, clock });

/** Makes the parts by which a server of version 3 keeps what clusters show over a ledger. */
export function shownOver({
  store,
  book,
  registry,
  zones,
  clock,
}: Pick<LedgerWorld, 'registry' | 'zones'> & {
  readonly book: AddressBook;
  readonly store: Pick<OwnStore, 'watch'>;
  readonly clock: Clock;
}): Required<Pick<IpamApiV3Parts, 'shown' | 'onUnused'>> {
  return {
    shown: new SharedUses({ uses: usesOf(store), book, registry, zones }),
    onUnused: (listener) => followUnused({ claims: store, zones, clock }, listener),
  };
}

/** A remote address book of cluster `c1` over its own server. */
export async function openRemoteBook(world: LedgerWorld): Promise<{
  readonly book: RemoteAddressBook;
  readonly v3: V3Server;
  readonly close: () => Promise<void>;
}> {
  const v3 = await startV3({ ...shownOver(world), ...ledgerOf(world) });
  const { clock } = world;
  const client = v3Client(v3, { clock });
  const book = new RemoteAddressBook({ client, clusterUid: 'c1', clock, logger: new RecordedLogger() });
  const close = async (): Promise<void> => {
    book.close();
    client.close();
    await v3.server.close();
  };
  return { book, v3, close };
}
