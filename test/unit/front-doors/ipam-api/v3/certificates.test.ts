import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClientCaFile } from '../../../../../operator/backends/files/client-ca-file';
import type { FollowedFile } from '../../../../../operator/backends/files/followed-file';
import type { ClientProps } from '../../../../../operator/contract/ipam-api/v3/clients';
import { clientLogin } from '../../../../../operator/front-doors/ipam-api/v3/authenticator';
import { registerIpamApiV3 } from '../../../../../operator/front-doors/ipam-api/v3/v3-routes';
import { createWebServer, type WebServer } from '../../../../../operator/server/https-server';
import { LedgerWorld } from '../../../../support/ledger-world';
import { RecordedLogger, RecordedMeter } from '../../../../support/recorded-telemetry';
import { clientPair } from '../../../../support/client-pair';
import { servingPair } from '../../../../support/serving-pair';

type Pair = Awaited<ReturnType<typeof servingPair>>;
type Wanted = NonNullable<ClientProps['certificates']>[number];

describe('client certificates of version 3', () => {
  let server: WebServer;
  let own: Pair;
  let known: Pair;
  let stranger: Pair;
  let port: number;
  let folder: string;
  let ca: FollowedFile<string>;
  let clients: readonly ClientProps[] = [];
  const world = new LedgerWorld();
  const { clock } = world;

  beforeAll(async () => {
    [own, known, stranger] = await Promise.all([servingPair(), clientPair(), clientPair()]);
    const { book, registry, zones } = world;
    const logger = new RecordedLogger();
    const pair = { certificate: own.cert, key: own.key };
    const quiet = { onChange: () => () => undefined, problem: () => undefined, close: () => undefined };
    const certificate = { current: () => pair, ...quiet };
    folder = mkdtempSync(join(tmpdir(), 'client-ca-'));
    const path = join(folder, 'ca.crt');
    writeFileSync(path, known.authority);
    ca = await openClientCaFile({ path, flag: '--ca', clock, logger });
    server = createWebServer({
      bodyLimitBytes: 1_000,
      clock,
      logger,
      meter: new RecordedMeter(),
      certificate,
      clientCa: ca,
    });
    const parts = { book, registry, zones, clock, logger, meter: new RecordedMeter(), deadlineSeconds: 10 };
    registerIpamApiV3(server.app, parts, clientLogin({ current: () => clients, clientCa: ca }, clock));
    ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
  });
  afterAll(async () => {
    await server.close();
    await ca.close();
    rmSync(folder, { recursive: true });
  });

  const statusWith = (shown: Pair | undefined): Promise<number> =>
    new Promise((resolve, reject) => {
      const login = shown === undefined ? {} : { cert: shown.cert, key: shown.key };
      get({ host: '127.0.0.1', port, path: '/v3/zones', ca: own.authority, agent: false, ...login }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).on('error', reject);
    });
  const wants = (wanted: Wanted): void => {
    clients = [{ name: 'c1', role: 'cluster', clusterUids: ['c1'], certificates: [wanted] }];
  };
  const facts = () => new X509Certificate(known.cert);
  const spki = (): string =>
    createHash('sha256')
      .update(facts().publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex');

  test('log in by their public key, and only when the client CA signed them', async () => {
    wants({ spkiSha256: spki() });
    expect([await statusWith(known), await statusWith(stranger), await statusWith(undefined)]).toEqual([200, 401, 401]);
  });

  test('log in by subject or alternative name, whole', async () => {
    const san = 'DNS:cluster-a.example';
    wants({ subject: 'O=example, CN=cluster-a' });
    expect(await statusWith(known)).toBe(200);
    wants({ san });
    expect(await statusWith(known)).toBe(200);
    wants({ san: san.slice(0, -1) });
    expect(await statusWith(known)).toBe(401);
    wants({ san, spkiSha256: 'a'.repeat(64) });
    expect(await statusWith(known)).toBe(401);
  });

  test('follow their CA while the server runs, and keep the last good one', async () => {
    const trust = async (text: string): Promise<readonly number[]> => {
      writeFileSync(join(folder, 'ca.crt'), text);
      await ca.reload();
      return [await statusWith(known), await statusWith(stranger)];
    };
    const spkiOf = ({ cert }: Pair): string =>
      createHash('sha256')
        .update(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))
        .digest('hex');
    const certificates = [known, stranger].map((pair) => ({ spkiSha256: spkiOf(pair) }));
    clients = [{ name: 'c1', role: 'cluster', clusterUids: ['c1'], certificates }];
    expect(await trust(known.authority)).toEqual([200, 401]);
    expect(await trust(`${known.authority}\n${stranger.authority}`)).toEqual([200, 200]);
    expect(await trust(stranger.authority)).toEqual([401, 200]);
    expect(await trust('no certificate')).toEqual([401, 200]);
  });

  test('end the event streams that they began when their CA changes, since those connections were verified by the former one', async () => {
    const { subject } = facts();
    wants({ subject: subject.replaceAll('\n', ', ') });
    const path = '/v3/clusters/c1/events';
    writeFileSync(join(folder, 'ca.crt'), known.authority);
    await ca.reload();
    const { cert, key } = known;
    const ended = new Promise<string>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, ca: own.authority, agent: false, cert, key }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          writeFileSync(join(folder, 'ca.crt'), stranger.authority);
          void ca.reload().then(() => {
            clock.advance(1_000);
          });
        });
        answer.on('end', () => {
          resolve(text);
        });
      }).on('error', reject);
    });
    expect(await ended).toContain('event: ready');
  });

  test('need a CA file that holds a certificate', async () => {
    const path = join(folder, 'none.crt');
    const open = () => openClientCaFile({ path, flag: '--ca', clock, logger: new RecordedLogger() });
    await expect(open()).rejects.toThrow(/--ca: the file ".*none.crt" cannot be read \(ENOENT\)/u);
    writeFileSync(path, 'no certificate');
    await expect(open()).rejects.toThrow('holds no certificate in PEM form');
  });
});
