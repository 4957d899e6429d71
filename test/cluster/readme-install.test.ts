import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { IPAM_PREFIX, METALLB } from '../../operator/contract/group';
import type { KubeObject, Manifest } from './support/cluster-client';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { conditionOf, ingressOf, isReady } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ROOT = resolve(__dirname, '../..');
const execute = promisify(execFile);
/** Namespaces that were left out before, and one that never was. */
const FORMER = ['monitoring', 'kyverno', 'rook-ceph', 'cert-manager', 'metallb-system'];
const NAMESPACES = [...FORMER, 'apps'];
const ADMIN_POOL = {
  apiVersion: 'metallb.io/v1beta1',
  kind: 'IPAddressPool',
  metadata: { name: 'admin', namespace: 'metallb-system' },
  spec: { addresses: ['10.79.0.0/24'], autoAssign: true },
} as const;
const FOLLOW_MS = 600_000;

type Service = Manifest & { readonly metadata: { readonly name: string; readonly namespace: string } };

const path = ({ metadata: { namespace, name } }: Service): string => `/api/v1/namespaces/${namespace}/services/${name}`;

function foreign(name: string, namespace: string, i = 0): Service {
  const annotations: Record<string, string> = i % 4 === 1 ? { 'example.com/owner': 'somebody' } : {};
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, annotations },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 + i }], externalTrafficPolicy: i % 3 === 0 ? 'Local' : 'Cluster' },
  };
}

/** Twenty Services of others, one in each namespace that was left out before. */
const FOREIGN = Array.from({ length: 20 }, (_, i) => foreign(`foreign-${String(i)}`, FORMER[i] ?? 'apps', i));

/** The commands of the first block of a section of the README, as they stand there. */
function commandsOf(section: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, after = ''] = text.split(`\n## ${section}\n`);
  const [, block = ''] = /```console\n(.*?)```/s.exec(after) ?? [];
  return [...block.matchAll(/^\$ (.*?)(?:\s+#.*)?$/gm)].map(([, command = '']) => command);
}

const commands = commandsOf('Install');
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await control.client.apply([ADMIN_POOL]);
  },
});

/** Runs the next commands of the README, up to one that matches and with it. */
let done = 0;
async function follow(last: RegExp): Promise<void> {
  for (let command = ''; !last.test(command); done++) {
    command = commands[done] ?? '';
    if (command === '') throw new RangeError(`the README has no command ${String(last)}`);
    const [program = '', ...words] = command.split(' ');
    // the operator of the test is no Pod, so nothing rolls out
    if (words.includes('rollout')) continue;
    if (program === 'kubectl')
      await plane().kubectl(...words.map((word) => (/^(lib|examples)\//.test(word) ? join(ROOT, word) : word)));
    else await execute(program, words, { cwd: ROOT });
  }
}

/** The daily work of others: they make, change and delete Services of their own. */
async function dayOfOthers(phase: string): Promise<readonly string[]> {
  const { client } = plane();
  const refusals: string[] = [];
  const attempt = async (
    verb: string,
    at: string,
    ...sent: Parameters<typeof client.attempt> extends [string, string, ...infer Rest] ? Rest : never
  ) => {
    const { status, body } = await client.attempt(verb, at, ...sent);
    if (status >= 400) refusals.push(`${verb} ${at}: ${body.message ?? ''}`);
  };
  for (const service of FOREIGN) {
    const change = {
      metadata: { annotations: { [`example.com/${phase}`]: 'changed' } },
      spec: { sessionAffinity: phase === 'gone' ? 'None' : 'ClientIP' },
    };
    await attempt('PATCH', path(service), change, 'merge');
  }
  for (const namespace of NAMESPACES) {
    const fresh = foreign(`fresh-${phase}`, namespace);
    await attempt('POST', `/api/v1/namespaces/${namespace}/services`, fresh);
    await attempt('DELETE', path(fresh));
  }
  return refusals;
}

describe("FU-60 README's Install, word by word, beside 20 Services of others", () => {
  const seen = new Map<string, Set<string>>();
  let operator: RunningOperator | undefined;
  let watching: Promise<unknown>;

  function record(objects: readonly KubeObject[]): boolean {
    for (const object of objects) {
      const { name, namespace, annotations = {} } = object.metadata;
      if (!name.startsWith('foreign-')) continue;
      const ours = Object.keys(annotations).filter((key) => key.startsWith(IPAM_PREFIX) || key === METALLB.pool);
      const words = [...ingressOf(object), ...ours, conditionOf(object)?.reason ?? ''].join();
      const all = seen.get(`${namespace ?? ''}/${name}`) ?? new Set();
      seen.set(`${namespace ?? ''}/${name}`, all.add(words));
    }
    return objects.some(({ metadata: { name } }) => name === 'end-of-the-watch');
  }

  beforeAll(async () => {
    const { client } = plane();
    await client.apply(NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
    await client.apply(FOREIGN);
    await client.watchUntil(
      '/api/v1/services',
      (all) => all.filter((each) => ingressOf(each).length > 0).length >= FOREIGN.length,
    );
    watching = client.watchUntil('/api/v1/services', record, FOLLOW_MS);
    watching.catch(() => undefined);
  });

  test('has the order that it tells: apply, wait for the rollout, apply Services', () => {
    expect(commands.map((command) => command.split(' ').slice(0, 5).join(' '))).toEqual([
      'npm run manifests',
      'kubectl apply --server-side -f lib/manifests/install.yaml',
      'kubectl --namespace ipam-system rollout status',
      'kubectl apply -f examples/manifests/service.yaml',
      'kubectl wait --for=condition=ipam.vitistack.io/AddressReady service/shop',
    ]);
    const headings = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    const order = ['Requirements', 'Image', 'Install'].map((name) => headings.indexOf(name));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  test('sets no default zone', async () => {
    await follow(/install\.yaml/);
    const { data } = await plane().client.request('GET', '/api/v1/namespaces/ipam-system/configmaps/ipam-zones');
    expect(JSON.stringify(data)).not.toContain('defaultZone');
  });

  test('blocks none of them while no operator runs yet', async () => {
    expect(await dayOfOthers('before')).toEqual([]);
  });

  test('gives an address to the Service that asks, and blocks none of the others', async () => {
    operator = await startOperator(plane());
    await follow(/^kubectl wait/);
    const shop = await plane().client.objectWhen('/api/v1/namespaces/default/services/shop', isReady);
    expect(ingressOf(shop).join()).toMatch(/^192\.0\.2\./);
    expect(await dayOfOthers('running')).toEqual([]);
  });

  test('FU-67 serves a Service of a namespace that was left out before', async () => {
    const asks = foreign('asks', 'monitoring');
    const object = { ...asks, metadata: { ...asks.metadata, annotations: { 'ipam.vitistack.io/zone': 'example' } } };
    await plane().client.request('POST', '/api/v1/namespaces/monitoring/services', object);
    const served = await plane().client.objectWhen(path(asks), isReady);
    expect(ingressOf(served).join()).toMatch(/^192\.0\.2\./);
  });

  test('blocks none of them once the operator is gone', async () => {
    await operator?.kill('SIGKILL');
    expect(await dayOfOthers('gone')).toEqual([]);
  });

  test('FU-62 takes no address away where it is uninstalled by the file that names what may go', async () => {
    const { client } = plane();
    const shop = '/api/v1/namespaces/default/services/shop';
    const before = ingressOf(await client.request('GET', shop));
    expect(before.join()).toMatch(/^192\.0\.2\./);
    await plane().kubectl('delete', '-f', join(ROOT, 'lib/manifests/uninstall.yaml'), '--ignore-not-found');
    const { status } = await client.attempt(
      'GET',
      '/apis/apps/v1/namespaces/ipam-system/deployments/ipam-controller-manager',
    );
    expect(status).toBe(404);
    for (const kept of [
      '/api/v1/namespaces/ipam-system',
      '/api/v1/namespaces/ipam-system/persistentvolumeclaims/ipam-data',
      '/api/v1/namespaces/ipam-system/secrets/ipam-keys',
      '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/example',
      '/apis/metallb.io/v1beta1/namespaces/metallb-system/l2advertisements/example',
    ]) {
      expect((await client.request('GET', kept)).metadata).not.toHaveProperty('deletionTimestamp');
    }
    // MetalLB looked at every change of its pools when it has given an address to a Service that came later
    await client.apply([foreign('after-the-end', 'apps')]);
    await client.objectWhen('/api/v1/namespaces/apps/services/after-the-end', (each) => ingressOf(each).length > 0);
    expect(ingressOf(await client.request('GET', shop))).toEqual(before);
  });

  test('has moved none of them, and written nothing on any, at any instant', async () => {
    await plane().client.apply([foreign('end-of-the-watch', 'apps')]);
    await watching;
    expect(seen.size).toBe(FOREIGN.length);
    for (const words of seen.values()) {
      expect([...words]).toEqual([expect.stringMatching(/^10\.79\.0\.\d+,$/)]);
    }
  });
});
