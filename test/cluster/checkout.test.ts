import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../support/free-ports';
import { KPT_PACKAGE } from '../support/kpt-package';
import { eventually } from './support/eventually';
import { LEASE_PATH } from './support/lease-path';
import { NetworkScene } from './support/network-scene';
import { operatorBundle } from './support/operator-bundle';
import { startProgram, type OwnProcess } from './support/own-process';
import { useControlPlane } from './support/use-control-plane';

const ROOT = join(__dirname, '../..');
const END_MS = 30_000;

const plane = useControlPlane();

/** Waits until an operator that runs is ready. */
function ready(operator: OwnProcess, probes: number): Promise<boolean> {
  return eventually(async () => {
    operator.expectRunning();
    return (await fetch(`http://127.0.0.1:${probes}/readyz`)).ok;
  });
}

describe('FU-70 an operator from a checkout, in a cluster where nothing of it is installed', () => {
  let probes = 0;

  /** Starts it as `npm run operator` does, as the administrator of the cluster. */
  async function start(): Promise<OwnProcess> {
    const { folder, kubeconfig } = plane();
    const [webhook = 0, health = 0] = await freePorts(2);
    probes = health;
    const zones = join(folder, 'zones.yaml');
    writeFileSync(zones, 'version: 2\nzones: [{ name: inet, prefixes: [203.0.113.0/24] }]\n');
    const flags = {
      kubeconfig,
      'zones-file': zones,
      'sqlite-file': join(folder, 'checkout.sqlite'),
      'hash-key-file': join(folder, 'checkout-key'),
      'webhook-bind-address': `127.0.0.1:${webhook}`,
      'health-probe-bind-address': `127.0.0.1:${probes}`,
    };
    return startProgram({
      program: process.execPath,
      args: [await operatorBundle(), ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
      logFile: join(folder, 'checkout.log'),
      env: {},
    });
  }

  test('ends with the reason of the API server where its namespace is not there', async () => {
    const operator = await start();
    expect(await operator.ended).toBe(1);
    expect(operator.log()).toContain(
      'namespace "ipam-system" does not exist; create it, or name the one of the operator by --namespace',
    );
  });

  test('runs once the namespace is there', async () => {
    await plane().kubectl('create', 'namespace', 'ipam-system');
    const operator = await start();
    expect(await ready(operator, probes)).toBe(true);
    await operator.stop();
  });
});

test('npm run operator with the Networks door alone gives an allocation, and ends in order', async () => {
  const { client, folder, kubeconfig } = plane();
  // as docs/networks.md says
  const kinds = ['crd/bases', 'namespace.yaml'].flatMap((each) => ['-f', join(ROOT, KPT_PACKAGE, each)]);
  await plane().kubectl('apply', '--server-side', ...kinds);
  const [webhook = 0, probes = 0] = await freePorts(2);
  const flags = ['--kubeconfig', kubeconfig, '--services', 'false', '--networks', '--store', 'objects'];
  const own = [`--webhook-bind-address=127.0.0.1:${webhook}`, `--health-probe-bind-address=127.0.0.1:${probes}`];
  const operator = await startProgram({
    program: 'npm',
    args: ['run', 'operator', '--', ...flags, ...own],
    logFile: join(folder, 'npm-run.log'),
    env: { HOME: folder },
    cwd: ROOT,
  });
  await ready(operator, probes);
  const scene = new NetworkScene(plane, 'test');
  await scene.open();
  await scene.f2();
  await scene.allocation('web');
  await scene.ready('allocation', 'web', '10.0.1.2/32');
  const leader = async () => (await client.request('GET', LEASE_PATH)).spec?.['holderIdentity'];
  expect(await leader()).not.toBe('');

  await operator.stop(END_MS);
  expect(await operator.ended).toBe(0);
  await expect(fetch(`http://127.0.0.1:${probes}/readyz`)).rejects.toThrow('fetch failed');
  expect(await leader()).toBe('');
  expect(await scene.record()).toContain('10.0.1.2=web');
});
