import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { KPT_PACKAGE } from '../support/kpt-package';
import { binaryPath } from './support/binaries';
import { NetworkScene, shownIn } from './support/network-scene';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

const PATIENCE_MS = 90_000;
const root = join(__dirname, '../..');
const plane = useControlPlane({ programs: ['kpt'] });
const scene = new NetworkScene(plane, 'test');

/** Runs kpt on a copy of the package; returns everything that it said. It may end unwell: no node runs the Deployment that it waits for. */
function kpt(...argv: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: plane().folder, KUBECONFIG: plane().kubeconfig };
  const options = { cwd: plane().folder, env, timeout: PATIENCE_MS };
  return new Promise((resolve) => {
    execFile(binaryPath('kpt'), ['live', ...argv], options, (_error, out, err) => {
      resolve(out + err);
    });
  });
}

const apply = (): Promise<string> => kpt('apply', 'ipam', '--reconcile-timeout=10s');

test('kpt installs the package, leaves it alone the second time, and takes it away without an address', async () => {
  cpSync(join(root, KPT_PACKAGE), join(plane().folder, 'ipam'), { recursive: true });
  await kpt('init', 'ipam');
  // the ResourceGroup is the inventory; its kind comes along
  expect(await apply()).toMatch(/apply result: \d+ attempted, \d+ successful, 0 skipped, 0 failed/u);
  const groups = JSON.parse(await plane().kubectl('get', 'resourcegroups.kpt.dev', '-A', '-o', 'json')) as {
    readonly items: readonly { readonly spec: { readonly resources: readonly { readonly kind: string }[] } }[];
  };
  const kinds = groups.items.flatMap(({ spec }) => spec.resources.map(({ kind }) => kind));
  expect(kinds).toEqual(expect.arrayContaining(['CustomResourceDefinition', 'Deployment', 'Namespace']));
  const again = await apply();
  expect(again).toMatch(/0 failed/u);
  expect(again).not.toMatch(/ configured/u);

  const operator = await startOperator(plane(), { awaitWebhooks: false });
  await scene.open();
  await scene.f2();
  await scene.allocation('web');
  const given = shownIn(await scene.ready('allocation', 'web'));
  await operator.stop();

  await kpt('destroy', 'ipam');
  expect(await plane().kubectl('get', 'deployments', '-n', 'ipam-system', '-o', 'name')).toBe('');
  expect(shownIn(await scene.get('allocation', 'web'))).toBe(given);
  expect(await scene.record()).toContain('10.0.1.2=web');
});
