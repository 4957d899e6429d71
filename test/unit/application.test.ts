import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { startApplication } from '../../operator/application';
import { issueServingPair, makeAuthority } from '../../operator/server/self-signed';
import { parseSettings } from '../../operator/settings/parse-settings';
import { ReviewClient, type ServiceManifest } from '../demo/review-client';
import { RecordedLogger } from '../support/recorded-telemetry';
import { standaloneSettings } from '../support/standalone-settings';
import { startOperator, type StartedOperator } from '../support/started-operator';

const ZONES = 'version: 1\nservices: { defaultZone: lan }\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n';

let folder = '';
let running: StartedOperator | undefined;
const logger = new RecordedLogger();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-application-'));
  writeFileSync(join(folder, 'zones.yaml'), ZONES);
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(...more: string[]): Promise<StartedOperator> {
  running = await startOperator(standaloneSettings(folder, ...more), logger);
  return running;
}

const manifest = (name: string, type = 'LoadBalancer'): ServiceManifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop', uid: `uid-of-${name}` },
  spec: { type, ports: [{ port: 80 }], selector: { app: name } },
});

async function admit({ addresses }: StartedOperator, service: ServiceManifest): Promise<string | undefined> {
  const client = new ReviewClient({ port: addresses.webhooks!.port, authorityFile: join(folder, 'ca.crt') });
  try {
    return (await client.admit(service))[0]?.[3];
  } finally {
    client.close();
  }
}

const urlOf = (address: { readonly port: number } | undefined, path: string): string =>
  `http://127.0.0.1:${address?.port ?? 0}${path}`;

/** Subject alternative names that a listener shows. */
async function namesOf(address: { readonly port: number } | undefined): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: address?.port ?? 0, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subjectaltname = '' } = socket.getPeerCertificate();
  socket.destroy();
  return subjectaltname;
}

describe('startApplication', () => {
  test('serves probes and the numbers of each zone', async () => {
    const application = await start();
    await admit(application, manifest('web'));
    const ready = await fetch(urlOf(application.addresses.probes, '/readyz'));
    expect({ status: ready.status, body: await ready.json() }).toEqual({
      status: 200,
      body: { status: 'ready', checks: [{ name: 'store' }, { name: 'certificate' }] },
    });
    const numbers = await (await fetch(urlOf(application.addresses.probes, '/metrics'))).text();
    expect(numbers).toContain('ipam_zone_addresses{zone="lan",family="ipv4",state="held"} 1');
    expect(numbers).toContain('ipam_zone_addresses{zone="lan",family="ipv4",state="free"} 7');
    expect(numbers).toMatch(/^ipam_store_groups_total [1-9]/m);
    expect(numbers).toMatch(/^ipam_store_group_size_count [1-9]/m);
  });

  test('gives the same addresses through the IPAM-API and the webhook, never one twice', async () => {
    const application = await start(
      '--ipam-api-bind-address',
      '127.0.0.1:0',
      '--ipam-api-tls=false',
      '--allow-anonymous-v2',
    );
    const service = { service_name: 'far', namespace_id: 'n', cluster_id: 'c' };
    const body = JSON.stringify({ secret: 'secret-of-far', zone: 'lan', ip_family: 'ipv4', address: '', service });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(urlOf(application.addresses.ipamApi, '/v2/address'), { method: 'POST', headers, body });
    expect(await answer.json()).toEqual({ message: 'Address registered successfully', address: '192.0.2.0/32' });
    expect(await admit(application, manifest('near'))).toBe('192.0.2.1');
  });

  test('listens nowhere for the IPAM-API unless it is told to', async () => {
    expect(Object.keys((await start()).addresses)).toEqual(['webhooks', 'probes']);
  });

  test('refuses to start without a cluster and without --standalone', async () => {
    const settings = parseSettings({ argv: [], env: {} });
    if (!settings.ok) throw new TypeError('the defaults are not valid');
    await expect(startApplication(settings.value, logger)).rejects.toMatchObject({ code: 'settings/invalid' });
  });

  test.each<[string, string[], string]>([
    [
      'events of clean-ups without a leader',
      ['--store=postgres', '--postgres-dsn-file=/dsn', '--cleanup-events-url=https://events.example'],
      '--cleanup-events-url is the work of one leader, which a cluster elects; leave it out, or give sqlite with --standalone',
    ],
    [
      'an IPAM-API elsewhere without a cluster',
      ['--store=remote', '--ipam-api-version=2', '--ipam-api-url=https://ipam.example'],
      'value "remote" of --store needs a cluster; give sqlite, memory or postgres with --standalone',
    ],
    [
      'a key in a Secret',
      ['--hash-key-secret-name=ipam-keys'],
      '--hash-key-secret-name names a Secret, which needs a cluster; give --hash-key-file with --standalone',
    ],
    [
      'a certificate in a Secret',
      ['--self-signed-secret-name=ipam-self-signed'],
      '--self-signed-secret-name names a Secret, which needs a cluster; give --self-signed-ca-file with --standalone',
    ],
    [
      'metrics for callers with a token',
      ['--metrics-bind-address=127.0.0.1:0'],
      '--metrics-bind-address needs a cluster, which knows the tokens of its callers; leave it out',
    ],
  ])('refuses %s, which cannot be served, before it opens anything', async (_what, argv, message) => {
    await expect(start(...argv)).rejects.toMatchObject({ code: 'settings/invalid', message });
    expect(readdirSync(folder)).toEqual(['zones.yaml']);
  });

  test('serves the IPAM-API with a certificate of its own', async () => {
    const nowMs = Date.now();
    const authority = await makeAuthority(nowMs);
    const pair = await issueServingPair(authority, { names: ['ipam.example'], nowMs });
    writeFileSync(join(folder, 'tls.crt'), pair.certificate);
    writeFileSync(join(folder, 'tls.key'), pair.key);
    const { addresses } = await start('--ipam-api-bind-address=127.0.0.1:0', `--ipam-api-cert-path=${folder}`);
    expect(await namesOf(addresses.ipamApi)).toContain('DNS:ipam.example');
    expect(await namesOf(addresses.webhooks)).not.toContain('DNS:ipam.example');
  });

  test('serves the IPAM-API alone, with its certificate and nothing of the webhooks', async () => {
    const nowMs = Date.now();
    const pair = await issueServingPair(await makeAuthority(nowMs), { names: ['ipam.example'], nowMs });
    writeFileSync(join(folder, 'tls.crt'), pair.certificate);
    writeFileSync(join(folder, 'tls.key'), pair.key);
    const api = ['--ipam-api-bind-address=127.0.0.1:0', `--ipam-api-cert-path=${folder}`];
    const { addresses } = await start('--services=false', ...api);
    expect(Object.keys(addresses)).toEqual(['probes', 'ipamApi']);
    expect(await namesOf(addresses.ipamApi)).toContain('DNS:ipam.example');
    expect((await fetch(urlOf(addresses.probes, '/readyz'))).status).toBe(200);
    expect(readdirSync(folder)).not.toContain('ca.crt');
  });

  test('refuses a broken zone document, and lets go of everything it had opened', async () => {
    writeFileSync(join(folder, 'zones.yaml'), 'version: 1\nzones:\n  - { name: lan, prefixes: [192.0.2.1/29] }\n');
    await expect(start()).rejects.toMatchObject({
      code: 'zone/invalid',
      message: expect.stringContaining('192.0.2.0/29') as string,
    });
    writeFileSync(join(folder, 'zones.yaml'), ZONES);
    await expect(start()).resolves.toBeDefined();
  });

  test('refuses another hash key beside stored claims, and says what to restore', async () => {
    const first = await start();
    await admit(first, manifest('web'));
    await first.stop();
    rmSync(join(folder, 'hash-key'));
    await expect(start()).rejects.toMatchObject({
      code: 'store/keys',
      message: expect.stringContaining('restore') as string,
    });
  });

  test('refuses a store that was lost or emptied beside its key, and begins anew when the key is removed', async () => {
    const first = await start();
    await admit(first, manifest('web'));
    await first.stop();
    const file = join(folder, 'ipam.sqlite');
    for (const harm of [rmSync, truncateSync]) {
      harm(file);
      await expect(start()).rejects.toMatchObject({
        code: 'store/lost',
        message: expect.stringContaining(`the store "${file}" is new`) as string,
      });
    }
    rmSync(join(folder, 'hash-key'));
    const anew = await start();
    await anew.stop();
    await expect(start()).resolves.toBeDefined();
  });

  test('is not ready once its store was removed under it', async () => {
    const { addresses } = await start();
    rmSync(join(folder, 'ipam.sqlite'));
    const ready = await fetch(urlOf(addresses.probes, '/readyz'));
    expect({ status: ready.status, body: await ready.json() }).toMatchObject({
      status: 503,
      body: { checks: [{ name: 'store', problem: expect.stringContaining('was removed or replaced') as string }, {}] },
    });
  });

  test('refuses damaged pages with the way out, and not as a fault of the program', async () => {
    const first = await start();
    await admit(first, manifest('web'));
    await first.stop();
    const file = join(folder, 'ipam.sqlite');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x5a, 4096));
    await expect(start()).rejects.toMatchObject({
      code: 'store/unavailable',
      message: `the store "${file}" is damaged; restore it from a backup`,
    });
  });

  test('refuses to move a zone with holders to another network, running and at the next start', async () => {
    const first = await start();
    await admit(first, manifest('web'));
    writeFileSync(join(folder, 'zones.yaml'), ZONES.replace('name: lan,', 'name: lan, network: other,'));
    const line = await logger.heard('zone file: not usable');
    const problem = 'zone "lan" cannot move from network "default" to network "other" while 1 of its addresses';
    expect(line.fields['problem']).toContain(problem);
    expect(await admit(first, manifest('api'))).toBe('192.0.2.1');
    await first.stop();
    await expect(start()).rejects.toMatchObject({
      code: 'zone/invalid',
      message: expect.stringContaining(problem.replace('1 of', '2 of')) as string,
    });
  });

  test('refuses an identity that is missing or damaged beside held addresses, naming the file', async () => {
    const first = await start();
    await admit(first, manifest('web'));
    await first.stop();
    const path = join(folder, 'ipam.sqlite.standalone.json');
    writeFileSync(path, '{}');
    const fault = { code: 'settings/invalid', message: expect.stringContaining(`the file "${path}"`) as string };
    await expect(start()).rejects.toMatchObject(fault);
    rmSync(path);
    await expect(start()).rejects.toMatchObject(fault);
  });

  test('logs no secret and writes the default secret for its owner only', async () => {
    await admit(await start(), manifest('web'));
    const path = join(folder, 'ipam.sqlite.standalone.json');
    const { secrets } = JSON.parse(readFileSync(path, 'utf8')) as {
      secrets: Record<string, { data: { secret: string } }>;
    };
    const secret = secrets['ipam-system/default']?.data.secret ?? '';
    expect(secret).toHaveLength(32);
    expect(logger.text).not.toContain(secret);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, 'ipam.sqlite')).includes(secret)).toBe(false);
  });
});

describe('a standalone operator', () => {
  const heldIn = async ({ addresses }: StartedOperator): Promise<Record<string, number>> => {
    const numbers = await (await fetch(urlOf(addresses.probes, '/metrics'))).text();
    const found = numbers.matchAll(/^ipam_zone_addresses\{zone="lan",family="ipv4",state="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, state = '', value]) => [state, Number(value)]));
  };
  const send = async ({ addresses }: StartedOperator, request: Record<string, unknown>): Promise<unknown> => {
    const client = new ReviewClient({ port: addresses.webhooks!.port, authorityFile: join(folder, 'ca.crt') });
    try {
      return await client.review('/validate--v1-service', {
        name: 'web',
        namespace: 'shop',
        dryRun: false,
        ...request,
      });
    } finally {
      client.close();
    }
  };

  test('SVC-01 releases once when a Service is no LoadBalancer any more', async () => {
    const application = await start();
    await admit(application, manifest('web'));
    const object = manifest('web', 'ClusterIP');
    expect(await heldIn(application)).toEqual({ held: 1, quarantined: 0, foreign: 0, free: 7 });
    await send(application, { operation: 'UPDATE', object, oldObject: manifest('web') });
    expect(await heldIn(application)).toEqual({ held: 0, quarantined: 1, foreign: 0, free: 7 });
  });

  test('releases after a delete, and the same Service may return to its address at once', async () => {
    const application = await start();
    expect(await admit(application, manifest('web'))).toBe('192.0.2.0');
    await send(application, { operation: 'DELETE', object: null, oldObject: manifest('web') });
    expect(await heldIn(application)).toEqual({ held: 0, quarantined: 1, foreign: 0, free: 7 });
    expect(await admit(application, manifest('other'))).toBe('192.0.2.1');
    expect(await admit(application, manifest('web'))).toBe('192.0.2.0');
  });
});
