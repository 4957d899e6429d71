import type { WebServer } from '../../operator/server/https-server';
import { RemoteAddressBook } from '../../operator/backends/ipam-api-client/v3/v3-address-book';
import { RemoteOccupied } from '../../operator/backends/ipam-api-client/v3/v3-occupied';
import { OwnClaims } from '../../operator/backends/ipam-api-client/v3/v3-own-claims';
import type { V3Client } from '../../operator/backends/ipam-api-client/v3/v3-client';
import type { ClientProps } from '../../operator/contract/ipam-api/v3/clients';
import { isMap } from '../../operator/contract/loose-json';
import type { ZoneProps } from '../../operator/contract/zones';
import type { LocalAddressBook } from '../../operator/ledger/local-address-book';
import { openLedger } from '../../operator/ledger/open-ledger';
import { newNames } from '../../operator/identity/new-names';
import type { Registry } from '../../operator/ports/registry';
import { TestZones, testHasher } from './ledger-world';
import { ManualClock } from './manual-clock';
import { usesOf } from './occupied-suite';
import { ownRecord } from './own-record';
import { RecordedLogger } from './recorded-telemetry';
import { hashOf, shownOver, startV3, v3Client, type V3Server } from './remote-book';
import type { OpenStore, StoreUnderTest } from './store-under-test';

const login = (name: string) => ({ name, tokenSha256: [hashOf(`token-of-${name}`)], burst: 100_000 });

/** Clients of the tests: two operators, a program that is none, an administrator. */
export const SHOWING_CLIENTS: readonly ClientProps[] = [
  { ...login('c1'), role: 'cluster', clusterUids: ['c1'], operator: true },
  { ...login('c2'), role: 'cluster', clusterUids: ['c2'], operator: true },
  { ...login('c3'), role: 'cluster', clusterUids: ['c3'] },
  { ...login('admin'), role: 'admin' },
];

/** An operator of one cluster, as its backends see the server. */
interface ShowingCluster {
  readonly client: V3Client;
  readonly book: RemoteAddressBook;
  readonly uses: RemoteOccupied;
  readonly own: OwnClaims;
  readonly logger: RecordedLogger;
}

/** A server of version 3 over a store of any kind, and the operators that call it. */
export interface ShownWorld {
  readonly opened: StoreUnderTest;
  readonly v3: V3Server;
  readonly zones: TestZones;
  readonly registry: Registry;
  readonly book: LocalAddressBook;
  /** Of the server. */
  readonly clock: ManualClock;
  /** An operator of a cluster, logged in as the client of its name, or as another one. */
  cluster(uid: string, as?: string): ShowingCluster;
  dispose(): Promise<void>;
}

/** Opens a store and serves it. */
export async function openShownWorld(
  open: OpenStore,
  options: {
    readonly zones?: readonly ZoneProps[];
    readonly clients?: readonly ClientProps[];
    readonly prepare?: (app: WebServer['app']) => void;
  } = {},
): Promise<ShownWorld> {
  const { zones: props = [{ name: 'z', prefixes: ['192.0.2.0/24', '2001:db8::/120'] }] } = options;
  const opened = await open();
  const { store } = opened;
  const zones = new TestZones(props);
  const clock = new ManualClock();
  const record = { ...ownRecord(store), occupied: usesOf(store) };
  const { book, registry } = openLedger({ record, zones, hasher: testHasher, clock });
  const shown = shownOver({ store, book, registry, zones, clock });
  const names = { newNames: newNames(store, clock) };
  const v3 = await startV3(
    { book, registry, zones, clock, ...shown, ...names },
    options.clients ?? SHOWING_CLIENTS,
    options.prepare,
  );
  const made: ShowingCluster[] = [];
  return {
    opened,
    v3,
    zones,
    registry,
    book,
    clock,
    cluster: (clusterUid, as = clusterUid) => {
      const client = v3Client(v3, { clock, token: `token-of-${as}` });
      const logger = new RecordedLogger();
      const cluster = {
        client,
        logger,
        book: new RemoteAddressBook({ client, clusterUid, clock, logger }),
        uses: new RemoteOccupied({ client, clusterUid, logger }),
        own: new OwnClaims({ client, clusterUid, clock }),
      };
      made.push(cluster);
      return cluster;
    },
    dispose: async () => {
      for (const { book: remote, client } of made) {
        remote.close();
        client.close();
      }
      await v3.server.close();
      await opened.dispose();
    },
  };
}

/** Answers as a server of a release that had no uses and contests. */
export function olderServer(app: WebServer['app']): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path = '', query = ''] = request.url.split('?');
    if (/\/(contests|uses|uses\/complete|met|lookup|exchanges)$/u.test(path)) {
      await reply.code(404).send({ message: 'path does not exist here', code: 'api/not-found' });
    } else if (query.includes('contested')) {
      const problem = { type: 'x', title: 'x', status: 400, detail: 'contested: unknown', code: 'api/malformed' };
      await reply.code(400).type('application/problem+json').send(JSON.stringify(problem));
    }
  });
  app.addHook('preValidation', async ({ body }, reply) => {
    if (!isMap(body) || body['returns'] === undefined) return;
    const problem = { type: 'x', title: 'x', status: 400, detail: 'returns: unknown', code: 'api/malformed' };
    await reply.code(400).type('application/problem+json').send(JSON.stringify(problem));
  });
}

/** Opens a store whose uses are written and read over version 3, with the claims beside them. */
export function overV3(open: OpenStore): OpenStore {
  return async () => {
    const world = await openShownWorld(open, {
      zones: [
        { name: 'z', prefixes: ['192.0.2.0/24', '2001:db8::/120'] },
        { name: 'lab', network: 'lab', prefixes: ['203.0.113.0/24'] },
      ],
    });
    const { uses } = world.cluster('c1', 'admin');
    const { store, ...rest } = world.opened;
    const facade = new Proxy(store, {
      get: (target, name) => {
        if (name === 'occupiedAddresses') return () => uses;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const { reopen: _none, ...parts } = rest;
    return { ...parts, store: facade, dispose: () => world.dispose() };
  };
}
