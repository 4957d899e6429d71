import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { isIpamError } from '../../../operator/errors/ipam-error';
import { openRemoteTls } from '../../../operator/assembly/remote-tls';
import type { RemoteClaims } from '../../../operator/assembly/claims';
import { openRemoteV3 } from '../../../operator/assembly/remote-v3';
import type { Settings } from '../../../operator/settings/options';
import { parseSettings } from '../../../operator/settings/parse-settings';
import { clientPair } from '../../support/client-pair';
import { ask, claimant } from '../../support/ledger-world';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';
import { hashOf } from '../../support/remote-book';
import { startOperator, type StartedOperator } from '../../support/started-operator';

type Pair = Awaited<ReturnType<typeof clientPair>>;

const folder = mkdtempSync(join(tmpdir(), 'ipam-login-'));
const at = (name: string): string => join(folder, name);
const logger = new RecordedLogger();
let known: Pair;
let stranger: Pair;
let server: StartedOperator;
let remote: RemoteClaims | undefined;

function settingsOf(...argv: string[]): Settings {
  const parsed = parseSettings({ argv, env: {} });
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join('; '));
  return parsed.value;
}

function show({ cert, key }: { readonly cert: string; readonly key: string }): void {
  writeFileSync(at('cert/tls.crt'), cert);
  writeFileSync(at('cert/tls.key'), key);
}

async function open(...more: string[]): Promise<RemoteClaims> {
  const url = `https://127.0.0.1:${String(server.addresses.ipamApi?.port)}`;
  const argv = ['--store=remote', `--ipam-api-url=${url}`, `--ipam-api-ca-file=${at('server-ca.crt')}`, ...more];
  const tools = { clock: SYSTEM_CLOCK, logger, meter: new RecordedMeter() };
  remote = await openRemoteV3(settingsOf(...argv), tools, { cluster: { clusterUid: () => Promise.resolve('c1') } });
  return remote;
}

beforeAll(async () => {
  [known, stranger] = await Promise.all([clientPair(), clientPair()]);
  mkdirSync(at('cert'));
  const clients = [
    { name: 'c1', role: 'cluster', clusterUids: ['c1'], certificates: [{ subject: 'CN=cluster-a, O=example' }] },
    { name: 'c2', role: 'cluster', clusterUids: ['c2'], tokenSha256: [hashOf('token-of-another-cluster')] },
  ];
  writeFileSync(at('clients.yaml'), JSON.stringify({ version: 1, clients }));
  writeFileSync(at('client-ca.crt'), known.authority);
  writeFileSync(at('zones.yaml'), 'version: 1\nzones:\n  - { name: z, prefixes: [192.0.2.0/24] }\n');
  const settings = settingsOf(
    ...['--standalone', '--store=memory', `--zones-file=${at('zones.yaml')}`, `--hash-key-file=${at('hash-key')}`],
    ...[`--self-signed-ca-file=${at('server-ca.crt')}`, '--shutdown-delay=0', '--health-probe-bind-address=0'],
    ...['--webhook-bind-address=127.0.0.1:0', '--ipam-api-bind-address=127.0.0.1:0', '--admin-socket='],
    ...[`--ipam-api-clients-file=${at('clients.yaml')}`, `--ipam-api-client-ca-file=${at('client-ca.crt')}`],
  );
  server = await startOperator(settings);
});
beforeEach(() => {
  show(known);
  logger.lines.length = 0;
});
afterEach(async () => {
  await remote?.close();
  remote = undefined;
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('remote claims that log in by a client certificate', () => {
  test('reserves, binds and releases without a token', async () => {
    const { book } = await open(`--ipam-api-login-cert-path=${at('cert')}`);
    const who = claimant('a/web');
    const grant = await book.reserve(ask(who));
    if (!grant.ok) throw new TypeError(grant.refusal.message);
    expect(await book.bind({ claimant: { ...who, serviceUid: 'u1' }, grant: grant.value })).toMatchObject({ ok: true });
    expect(await book.releaseByUid({ serviceUid: 'u1' })).toMatchObject({
      ok: true,
      value: { released: [grant.value.address] },
    });
  });

  test('is refused by name when its certificate is of no CA that the server knows, until it is renewed', async () => {
    show(stranger);
    const { view } = await open(`--ipam-api-login-cert-path=${at('cert')}`);
    await expect(view.ping()).rejects.toMatchObject({
      code: 'api/unauthenticated',
      message: expect.stringMatching(/^the IPAM-API refused a call of this operator: .*client certificate$/u) as string,
    });
    show(known);
    await expect(view.ping()).resolves.toBeUndefined();
    show(stranger);
    await expect(view.ping()).rejects.toMatchObject({ code: 'api/unauthenticated' });
    expect(logger.lines.map(({ message }) => message)).toEqual(
      Array.from({ length: 2 }, () => 'client certificate of the IPAM-API renewed'),
    );
  });

  test('may call for its own cluster only', async () => {
    writeFileSync(at('token'), 'token-of-another-cluster');
    const { view } = await open(`--ipam-api-token-file=${at('token')}`);
    await expect(view.ping()).rejects.toMatchObject({ code: 'api/forbidden' });
  });

  test.each([
    [
      'without a login',
      [],
      'the store remote with version 3 of the IPAM-API needs --ipam-api-token-file or --ipam-api-login-cert-path, and neither is set',
    ],
    [
      'with a folder that is missing',
      ['--ipam-api-login-cert-path=/missing'],
      '--ipam-api-login-cert-path: the file "/missing/tls.crt" cannot be read (ENOENT)',
    ],
  ])('does not start %s', async (...[, flags, message]) => {
    await expect(open(...flags)).rejects.toThrow(message);
  });
});

/** Code of the error that something throws. */
function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return isIpamError(thrown) ? thrown.code : String(thrown);
  }
}

describe('openRemoteTls', () => {
  const read = () => openRemoteTls({ ipamApiCaFile: at('client-ca.crt'), ipamApiLoginCertPath: at('cert') }, logger);

  test('stays the same object while the files are the same, so that connections are kept', () => {
    const tls = read();
    expect(tls()).toBe(tls());
    expect(tls()).toEqual({ ca: known.authority, cert: known.cert, key: known.key });
    const before = tls();
    show(stranger);
    expect(tls()).not.toBe(before);
  });

  test('keeps the pair of before while the files belong to two, and says it once', () => {
    const tls = read();
    writeFileSync(at('cert/tls.crt'), stranger.cert);
    expect([tls().cert, tls().cert]).toEqual([known.cert, known.cert]);
    writeFileSync(at('cert/tls.key'), stranger.key);
    expect(tls()).toMatchObject({ cert: stranger.cert, key: stranger.key });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(JSON.stringify(logger.lines)).not.toContain(readFileSync(at('cert/tls.key'), 'utf8').slice(30, 60));
  });

  test('does not start with a certificate and the key of another', () => {
    writeFileSync(at('cert/tls.key'), stranger.key);
    expect(read).toThrow(
      `--ipam-api-login-cert-path: "tls.crt" and "tls.key" in "${at('cert')}" cannot be used: the private key belongs to another certificate`,
    );
  });

  test('counts as a server that is away while a file is missing, which ends the start', () => {
    const tls = read();
    rmSync(at('cert/tls.key'));
    expect(codeOf(tls)).toBe('store/unavailable');
    expect(codeOf(read)).toBe('settings/invalid');
  });
});
