import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { NEPHIO, PACKAGE_ANNOTATIONS } from '../../operator/contract/nephio';
import { eventually } from './support/eventually';
import { applyInstallation, tokenFor } from './support/installation';
import { IpamCommand, type CommandRun } from './support/ipam-command';
import { conditionOf, shownIn } from './support/network-scene';
import { NETWORKS_ALONE, useNetworks } from './support/use-networks';

const NAMESPACE = 'test';
const command = new IpamCommand();
const { plane, operator, scene } = useNetworks();
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(plane().folder, 'package-'));
  put('Kptfile', 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: upf # mine\n');
  await scene.f2();
});
afterEach(() => scene.clear(), 60_000);

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
const allocation = (name: string, spec = ''): string =>
  `apiVersion: ipam.nephio.org/v1alpha1\nkind: IPAllocation\nmetadata: { name: ${name}, namespace: ${NAMESPACE} } # odd   spaces\nspec:\n${spec}  selector:\n    matchLabels:\n      ${NEPHIO.networkInstance}: vpc-1\n      ${NEPHIO.networkName}: net1\n`;
const ipam = (...argv: readonly string[]): Promise<CommandRun> =>
  command.run(...argv, '--kubeconfig', plane().kubeconfig);
const conditions = (): readonly Readonly<Record<string, string>>[] =>
  (parse(textOf('Kptfile')) as { status?: { conditions?: [] } }).status?.conditions ?? [];

test('a package is filled by IPAllocations of the cluster, and a second run writes nothing', async () => {
  put('n3.yaml', allocation('n3'));
  put('pool/site.yaml', `kind: ConfigMap\n---\n${allocation('n6', '  prefix: 10.0.1.50/24\n')}`);
  const { code, out } = await ipam('inject', folder);
  expect([code, out]).toEqual([0, expect.stringMatching(/test\/n3 +given +10\.0\.1\.51\/32 +10\.0\.1\.1\n/u)]);
  expect(textOf('n3.yaml')).toBe(
    `${allocation('n3')}status:\n  prefix: 10.0.1.51/32\n  gateway: 10.0.1.1\n  parentPrefix: 10.0.1.0/24\n`,
  );
  expect(textOf('pool/site.yaml')).toContain('prefix: 10.0.1.50/24\n  gateway: 10.0.1.1\n');
  expect(conditions()).toMatchObject([
    { type: 'ipam.nephio.org.IPAMAllocation.n3.test.Injected', status: 'True' },
    { type: 'ipam.nephio.org.IPAMAllocation.n6.test.Injected', status: 'True' },
  ]);
  const stored = await scene.get('allocation', 'n3');
  expect(stored.metadata.annotations).toMatchObject({ [PACKAGE_ANNOTATIONS.name]: 'upf' });
  const texts = ['Kptfile', 'n3.yaml', 'pool/site.yaml'].map(textOf);
  expect((await ipam('inject', folder)).err).toContain('0 files were written');
  expect(['Kptfile', 'n3.yaml', 'pool/site.yaml'].map(textOf)).toEqual(texts);
  expect((await scene.get('allocation', 'n3')).metadata.resourceVersion).toBe(stored.metadata.resourceVersion);
});

test('what left the package is released; what is not its own stays', async () => {
  put('n3.yaml', allocation('n3'));
  put('old.yaml', allocation('old'));
  await scene.allocation('old');
  await scene.ready('allocation', 'old');
  const before = shownIn(await scene.get('allocation', 'old'));
  await ipam('inject', folder);
  expect(textOf('old.yaml')).toContain(`prefix: ${before}\n`);
  rmSync(join(folder, 'n3.yaml'));
  rmSync(join(folder, 'old.yaml'));
  const { code, out } = await ipam('inject', folder);
  expect([code, out]).toEqual([0, expect.stringMatching(/n3 +released[^]+old +released/u)]);
  await scene.gone('allocation', 'n3');
  const old = await scene.get('allocation', 'old');
  expect([shownIn(old), old.metadata.annotations ?? {}]).toEqual([before, {}]);
  expect(conditions()).toEqual([]);
});

test('a copy of a package gets nothing that the first one has', async () => {
  put('n3.yaml', allocation('n3'));
  await ipam('inject', folder);
  put('Kptfile', textOf('Kptfile').replace('name: upf', 'name: upf-copy'));
  const { code, out } = await ipam('inject', folder);
  expect([code, out]).toEqual([5, expect.stringContaining('was taken for package "upf"')]);
  expect(textOf('n3.yaml')).toBe(allocation('n3'));
  expect(shownIn(await scene.get('allocation', 'n3'))).toBe('10.0.1.2/32');
});

test('one that is refused stops no other, and is filled by a later run', async () => {
  put('n3.yaml', allocation('n3', '  prefix: 10.0.1.1/24\n'));
  put('n4.yaml', allocation('n4'));
  const { code } = await ipam('inject', folder);
  expect(code).toBe(5);
  expect(textOf('n4.yaml')).toContain('prefix: 10.0.1.2/32');
  expect(conditions()).toMatchObject([{ status: 'False', reason: 'ErrorDuringInjection' }, { status: 'True' }]);
  put('n3.yaml', allocation('n3', '  prefix: 10.0.1.60/24\n'));
  expect((await ipam('inject', folder)).code).toBe(0);
  expect(textOf('n3.yaml')).toMatch(/status:\n {2}prefix: 10\.0\.1\.60\/24\n/u);
});

test('a user with rights on IPAllocations of one namespace is enough', async () => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'injector', namespace: NAMESPACE } };
  const subjects = [{ kind: 'ServiceAccount', name: 'injector', namespace: NAMESPACE }];
  // in the roles view and edit of Kubernetes both are one
  const roles = ['ipam-networks-view', 'ipam-networks-edit'];
  await plane().client.apply([
    account,
    ...roles.map((name) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      subjects,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      metadata: { name, namespace: NAMESPACE },
    })),
  ]);
  const kubeconfig = plane().kubeconfigOf('injector', await tokenFor(plane(), NAMESPACE, 'injector'));
  put('n3.yaml', allocation('n3'));
  // the API server learns of new rights a moment later
  await eventually(async () => (await command.run('inject', folder, '--kubeconfig', kubeconfig)).code === 0);
  expect(textOf('n3.yaml')).toContain('prefix: 10.0.1.2/32');
  put('n9.yaml', allocation('n9').replace(`namespace: ${NAMESPACE}`, 'namespace: default'));
  const refused = await command.run('inject', folder, '--kubeconfig', kubeconfig);
  expect([refused.code, refused.out]).toEqual([5, expect.stringContaining('forbidden')]);
});

test('ipam tree draws the instance', async () => {
  await scene.prefix('n3', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
  await scene.ready('prefix', 'n3');
  await scene.allocation('web');
  await scene.ready('allocation', 'web');
  const tree = ['tree', '--instance', `${NAMESPACE}/vpc-1`];
  // counts are written after what is counted
  await eventually(async () => (await ipam(...tree)).out.includes('(3 of 254 used, 251 free)'));
  const { code, out } = await ipam(...tree);
  expect(code).toBe(0);
  expect(out.replace(/\(\d+ of 16\d+ used, \d+ free\)/u, '(USE)').split('\n')).toEqual([
    'NetworkInstance test/vpc-1 (5 entries)',
    '└─ 10.0.0.0/8 aggregate IPPrefix test/agg0 (USE)',
    '   └─ 10.0.1.0/24 network net1 NetworkInstance test/vpc-1 (3 of 254 used, 251 free)',
    '      ├─ 10.0.1.1 network net1 gateway IPPrefix test/net1-p1',
    '      ├─ 10.0.1.10 network net1 IPPrefix test/n3',
    '      └─ 10.0.1.11 network net1 IPAllocation test/web',
    '',
  ]);
  expect(await ipam('tree', '--instance', `${NAMESPACE}/none`)).toMatchObject({ code: 3 });
});

test('ipam uninstall-networks waits for the end of the operator, and then lets the kinds go', async () => {
  await scene.allocation('web');
  await scene.ready('allocation', 'web');
  const running = await ipam('uninstall-networks', '--yes');
  expect([running.code, running.err]).toEqual([4, expect.stringContaining('still runs in namespace ipam-system')]);
  await operator().stop();
  const planned = await ipam('uninstall-networks');
  expect([planned.code, planned.out.match(/would be freed/gu)]).toMatchObject([0, { length: 4 }]);
  expect((await scene.get('allocation', 'web')).metadata.finalizers).toHaveLength(1);
  const done = await ipam('uninstall-networks', '--yes');
  expect([done.code, done.out.match(/freed\n/gu)]).toMatchObject([0, { length: 4 }]);
  const crds = ['ipallocations', 'ipprefixes', 'networkinstances'].map((each) => `crd/${each}.ipam.nephio.org`);
  // the policies are still there, which keep the kinds
  await plane().kubectl('annotate', ...crds, 'helm.sh/resource-policy-');
  await plane().kubectl('delete', ...crds, '--timeout=60s');
  await plane().kubectl(
    'delete',
    'addressclaims',
    '--all',
    '--as=root',
    '--as-group=ipam-break-glass',
    '--as-group=system:masters',
  );
  await applyInstallation(plane(), NETWORKS_ALONE);
  await eventually(async () => (await ipam('uninstall-networks')).code === 0);
  await operator().restart();
  await scene.f2();
  await scene.allocation('again');
  expect(conditionOf(await scene.ready('allocation', 'again'))?.status).toBe('True');
});
