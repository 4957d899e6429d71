import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { IPAM } from '../../../operator/contract/group';
import { writeManifests } from '../../../constructs/render/manifests';
import { helmBinary } from '../../support/helm';
import type { ControlPlane } from '../support/control-plane';
import { synthesizedYaml } from '../support/installation';
import { startCertManager, startMetalLb } from '../support/neighbours';
import { startOperator } from '../support/operator-process';
import { ServiceScene } from '../support/service-scene';
import { ingressOf, isReady } from '../support/services';
import { useControlPlane } from '../support/use-control-plane';

const run = promisify(execFile);
const ZONE = 'example';
const NAMESPACED = '/apis/metallb.io/v1beta1/namespaces/metallb-system';
/** What holds addresses or announces them, as far as every form has it. */
const KEPT = [
  '/api/v1/namespaces/ipam-system',
  '/api/v1/namespaces/ipam-system/persistentvolumeclaims/ipam-data',
  '/api/v1/namespaces/ipam-system/secrets/ipam-keys',
  '/api/v1/namespaces/ipam-system/secrets/ipam-cluster-identity',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/addressclaims.ipam.vitistack.io',
  `${NAMESPACED}/ipaddresspools/${ZONE}`,
  `${NAMESPACED}/l2advertisements/${ZONE}`,
];
/** Objects of the installation that go. */
const GONE = [
  '/apis/apps/v1/namespaces/ipam-system/deployments/ipam-controller-manager',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/ipam-mutating-webhook-configuration',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ipam-validating-webhook-configuration',
];

/** One way to install and to uninstall, by the commands of its tool. */
interface Form {
  readonly install: (plane: ControlPlane, rendered: string) => Promise<unknown>;
  readonly uninstall: (plane: ControlPlane, rendered: string) => Promise<unknown>;
}

/** Deletes whatever a source names; kubectl ends with an error, since the rest is refused. */
async function deleteAll(plane: ControlPlane, ...source: readonly string[]): Promise<void> {
  await expect(plane.kubectl('delete', ...source)).rejects.toThrow(
    /"ipam-system" holds addresses or announces them, so it stays when the rest is deleted/u,
  );
}

const helm = (plane: ControlPlane, ...words: readonly string[]) =>
  run(helmBinary(), [...words, '--namespace', 'ipam-system'], {
    env: { ...process.env, KUBECONFIG: plane.kubeconfig, HOME: plane.folder },
  });

// synthesized once: the second installation is the same one
const dist = new WeakMap<ControlPlane, string>();
function distOf(plane: ControlPlane): string {
  const made =
    dist.get(plane) ??
    join(synthesizedYaml(plane.folder, { zones: [{ name: ZONE, prefixes: ['192.0.2.0/24'] }] }).file, '..');
  dist.set(plane, made);
  return made;
}

const FORMS: readonly (readonly [string, Form])[] = [
  [
    'kubectl apply -f dist/ of a cdk8s app',
    {
      install: (plane) => plane.kubectl('apply', '-f', distOf(plane)),
      uninstall: (plane) => deleteAll(plane, '-f', distOf(plane)),
    },
  ],
  [
    'the one file',
    {
      install: (plane, rendered) => plane.kubectl('apply', '--server-side', '-f', join(rendered, 'install.yaml')),
      uninstall: (plane, rendered) => deleteAll(plane, '-f', join(rendered, 'install.yaml')),
    },
  ],
  [
    'kubectl apply -k',
    {
      install: (plane, rendered) => plane.kubectl('apply', '-k', join(rendered, 'kustomize')),
      uninstall: (plane, rendered) => deleteAll(plane, '-k', join(rendered, 'kustomize')),
    },
  ],
  [
    'helm install',
    {
      install: (plane, rendered) =>
        helm(plane, 'install', 'ipam', join(rendered, 'charts/cdk8s-ipam'), '--create-namespace'),
      uninstall: (plane) => helm(plane, 'uninstall', 'ipam'),
    },
  ],
];

describe.each(FORMS)('FU-62 the first installation of an empty cluster by %s', (_name, { install, uninstall }) => {
  let rendered: string;
  let operator: Awaited<ReturnType<typeof startOperator>>;
  const plane = useControlPlane({
    programs: ['metallb-controller', 'cert-manager'],
    prepare: async (control) => {
      await Promise.all([startMetalLb(control), startCertManager(control)]);
      rendered = mkdtempSync(join(control.folder, 'manifests-'));
      writeManifests(rendered);
    },
  });
  const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'shop' });
  let address: readonly string[];

  test('is taken in one command, and serves', async () => {
    await install(plane(), rendered);
    operator = await startOperator(plane(), { args: { 'shutdown-delay': '0' } });
    await scene.open();
    await scene.create('web', { annotations: { [IPAM.zone]: ZONE } });
    address = ingressOf(await scene.ready('web'));
    expect(address.join()).toMatch(/^192\.0\.2\.\d+$/u);
  });

  test('is uninstalled by the same tool, and no address is taken away', async () => {
    const { client } = plane();
    await uninstall(plane(), rendered);
    await operator.stop();
    for (const path of GONE) expect([path, (await client.attempt('GET', path)).status]).toEqual([path, 404]);
    for (const path of KEPT)
      expect((await client.request('GET', path)).metadata).not.toHaveProperty('deletionTimestamp');
    // MetalLB looked at every change of its pools when it has given an address to a Service that came later
    await scene.create('later', { annotations: { 'metallb.io/address-pool': ZONE } });
    await scene.when('later', (service) => ingressOf(service).length > 0);
    expect(ingressOf(await scene.get('web'))).toEqual(address);
  });

  test('is installed again, and goes on with the same holders', async () => {
    await install(plane(), rendered);
    operator = await startOperator(plane(), { args: { 'shutdown-delay': '0' } });
    await scene.holds(ZONE, 2);
    expect(ingressOf(await scene.ready('web'))).toEqual(address);
    expect(isReady(await scene.ready('later'))).toBe(true);
    await operator.stop();
  });
});
