import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../support/free-ports';
import { eventually } from './support/eventually';
import { operatorBundle } from './support/operator-bundle';
import { startProgram, type OwnProcess } from './support/own-process';
import { useControlPlane } from './support/use-control-plane';

describe('FU-70 an operator from a checkout, in a cluster where nothing of it is installed', () => {
  const plane = useControlPlane();
  let readiness: string;

  /** Starts it as `npm run operator` does, as the administrator of the cluster. */
  async function start(): Promise<OwnProcess> {
    const { folder, kubeconfig } = plane();
    const [webhook = 0, probes = 0] = await freePorts(2);
    readiness = `http://127.0.0.1:${probes}/readyz`;
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
    expect(
      await eventually(async () => {
        operator.expectRunning();
        return (await fetch(readiness)).ok;
      }),
    ).toBe(true);
    await operator.stop();
  });
});
