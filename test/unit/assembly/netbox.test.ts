import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReviewClient } from '../../demo/review-client';
import { FakeNetBox } from '../../support/fake-netbox';
import { standaloneSettings } from '../../support/standalone-settings';
import { servingPair } from '../../support/serving-pair';
import { startOperator, type StartedOperator } from '../../support/started-operator';

const ZONES =
  'version: 1\nservices: { defaultZone: inet }\nzones:\n  - { name: inet, fromNetBox: true, prefixes: [], quarantineSeconds: 0 }\n';

// each test starts whole operators, on a machine that has more to do

describe('startApplication with NetBox', () => {
  let folder = '';
  let netbox: FakeNetBox;
  let running: StartedOperator | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipam-netbox-'));
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/29');
    writeFileSync(join(folder, 'zones.yaml'), ZONES);
    writeFileSync(join(folder, 'token'), `${netbox.token}\n`);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await netbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(...more: readonly string[]): Promise<StartedOperator> {
    const own = ['--netbox-url', netbox.url.origin, '--netbox-token-file', join(folder, 'token'), '--admin-socket='];
    running = await startOperator(standaloneSettings(folder, ...own, ...more));
    return running;
  }

  async function admit(
    { addresses }: StartedOperator,
    name: string,
    type = 'LoadBalancer',
  ): Promise<string | undefined> {
    const client = new ReviewClient({ port: addresses.webhooks!.port, authorityFile: join(folder, 'ca.crt') });
    try {
      const answers = await client.admit({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'shop', uid: `uid-of-${name}` },
        spec: { type, ports: [{ port: 80 }], selector: { app: name } },
      });
      return answers[0]?.[3];
    } finally {
      client.close();
    }
  }

  const ready = async ({ addresses }: StartedOperator): Promise<number> =>
    (await fetch(`http://127.0.0.1:${addresses.probes?.port ?? 0}/readyz`)).status;

  test('gives a Service an address that NetBox then has', async () => {
    const app = await start();
    expect([await ready(app), await admit(app, 'web')]).toEqual([200, '10.0.0.0']);
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32']);
  });

  test('is not ready while NetBox was never read, and starts with the last good zones afterwards', async () => {
    netbox.fail({ status: 503 }, () => true, 99);
    const never = await start();
    expect(await ready(never)).toBe(503);
    await never.stop();
    netbox.faults = [];
    await (await start()).stop();
    netbox.fail({ status: 503 }, () => true, 99);
    expect(await ready(await start())).toBe(200);
  });

  test('says by readiness which setting is wrong where NetBox is not trusted', async () => {
    const [served, another] = [await servingPair(), await servingPair()];
    await netbox.stop();
    netbox = await FakeNetBox.start(served);
    netbox.records.container('inet', '10.0.0.0/29');
    writeFileSync(join(folder, 'netbox-ca.crt'), another.authority);
    const { addresses } = await start('--netbox-ca-file', join(folder, 'netbox-ca.crt'));
    const text = await (await fetch(`http://127.0.0.1:${addresses.probes?.port ?? 0}/readyz`)).text();
    expect(text).toContain('shows a certificate that no CA certificate of --netbox-ca-file vouches for');
    await running?.stop();
    writeFileSync(join(folder, 'netbox-ca.crt'), served.authority);
    expect(await ready(await start('--netbox-ca-file', join(folder, 'netbox-ca.crt')))).toBe(200);
  });

  test('FU-58 tells by readiness that NetBox refuses the token, and serves all the same', async () => {
    const app = await start();
    const checks = async () => {
      const answer = await fetch(`http://127.0.0.1:${app.addresses.probes?.port ?? 0}/readyz`);
      return [answer.status, ((await answer.json()) as { checks: object[] }).checks] as const;
    };
    expect(await checks()).toEqual([200, expect.arrayContaining([{ name: 'netbox' }, { name: 'netbox calls' }])]);
    netbox.fail({ status: 403, body: '{"detail":"Invalid token"}' }, () => true, 99);
    await admit(app, 'web').catch(() => undefined);
    const problem = expect.stringContaining('NetBox does not let the token do that') as string;
    expect(await checks()).toEqual([200, expect.arrayContaining([{ name: 'netbox calls', problem }])]);
  });

  test('FU-36 says of a deadline that it was NetBox that gave no answer', async () => {
    const app = await start('--admission-deadline=1');
    netbox.faults.unshift(({ method }) => (method === 'POST' ? { waitFor: new Promise(() => undefined) } : undefined));
    await expect(admit(app, 'web')).rejects.toThrow('NetBox gave no answer within 1 s');
  });

  test('keeps what it gave over a restart, and gives it only once', async () => {
    const first = await start();
    await admit(first, 'web');
    await first.stop();
    const second = await start();
    expect([await admit(second, 'web'), await admit(second, 'api')]).toEqual(['10.0.0.0', '10.0.0.1']);
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32', '10.0.0.1/32']);
  });
});
