import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../../../operator/settings/parse-settings';
import { ReviewClient } from '../../demo/review-client';
import { removeSharedPostgres, sharedPostgres } from '../../support/postgres-server';
import { startOperator, type StartedOperator } from '../../support/started-operator';

const ZONES = 'version: 1\nservices: { defaultZone: lan }\nzones:\n  - { name: lan, prefixes: [192.0.2.0/29] }\n';
const running: StartedOperator[] = [];
const authorities = new Map<StartedOperator, string>();
let starts = 0;
let folder = '';
const at = (name: string): string => join(folder, name);

async function start(): Promise<StartedOperator> {
  const authority = at(`ca-${starts++}.crt`);
  const argv = [
    ...['--standalone', '--store=postgres', '--postgres-dsn-file', at('dsn'), '--zones-file', at('zones.yaml')],
    ...['--hash-key-file', at('key'), '--self-signed-ca-file', authority, '--shutdown-delay', '0'],
    ...['--webhook-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '127.0.0.1:0'],
  ];
  const settings = parseSettings({ argv, env: {} });
  if (!settings.ok) throw new TypeError(settings.problems.map(({ message }) => message).join('; '));
  const application = await startOperator(settings.value);
  running.push(application);
  authorities.set(application, authority);
  return application;
}

async function admit(application: StartedOperator, name: string): Promise<string | undefined> {
  const authorityFile = authorities.get(application)!;
  const client = new ReviewClient({ port: application.addresses['webhooks']!.port, authorityFile });
  const metadata = { name, namespace: 'shop', uid: `uid-of-${name}` };
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: name } };
  try {
    return (await client.admit({ apiVersion: 'v1', kind: 'Service', metadata, spec }))[0]?.[3];
  } finally {
    client.close();
  }
}

async function stop(): Promise<void> {
  await Promise.all(running.splice(0).map((each) => each.stop()));
}

beforeAll(async () => {
  await sharedPostgres();
});
afterAll(removeSharedPostgres);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-standalone-postgres-'));
  writeFileSync(at('zones.yaml'), ZONES);
  writeFileSync(at('dsn'), await (await sharedPostgres()).newDatabase());
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('standalone operators on one PostgreSQL', () => {
  test('that start at once are of one cluster: a Service has its address at both, and no two have one', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    const given = await Promise.all(['a', 'b', 'c', 'd'].map((name, i) => admit(i % 2 === 0 ? one : two, name)));
    expect(new Set(given).size).toBe(4);
    const elsewhere = await Promise.all(['a', 'b', 'c', 'd'].map((name, i) => admit(i % 2 === 0 ? two : one, name)));
    expect(elsewhere).toEqual(given);
  });

  test('know their Services again after a restart, and do not start without the file that tells who owns them', async () => {
    const given = await admit(await start(), 'a');
    await stop();
    expect(await admit(await start(), 'a')).toBe(given);
    await stop();
    rmSync(at('key.standalone'));
    await expect(start()).rejects.toMatchObject({ code: 'settings/invalid' });
    writeFileSync(at('key.standalone'), 'no seed\n');
    await expect(start()).rejects.toThrow(`the file "${at('key.standalone')}" is damaged`);
  });
});
