import { join } from 'node:path';
import { EGRESS_KEYS } from '../../operator/contract/egress';
import { egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import type { KubeObject } from './support/cluster-client';
import { egressAdmissionReady } from './support/egress-admission-ready';
import { CLAIMS, IPAMS, NAMESPACES } from './support/egress-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startOperator, type RunningOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

const COUNT = 200;
const PATIENCE_MS = 240_000;

// Each has a store of its own, so that both lead: nothing but the names of the claims keeps them apart.
let start: (name: string) => Promise<RunningOperator>;
const running = new Map<string, RunningOperator>();
const plane = useControlPlane({
  prepare: async (control) => {
    const zones = [{ name: 'lan', prefixes: ['10.80.0.0/24'] }];
    await applyInstallation(control, {
      zones,
      services: { enabled: false },
      egress: { enabled: true },
      certificates: 'self-managed',
    });
    start = async (name) => {
      const store = { store: 'memory', 'sqlite-file': undefined };
      const key = { 'hash-key-secret-name': undefined, 'hash-key-file': join(control.folder, `${name}-key`) };
      const operator = await startOperator(control, { name, awaitWebhooks: false, args: { ...store, ...key } });
      running.set(name, operator);
      return operator;
    };
    await Promise.all([start('one'), start('two')]);
    await egressAdmissionReady(control);
  },
});

const listOf = ({ metadata }: KubeObject): string => metadata.annotations?.[EGRESS_KEYS.addresses] ?? '';
const names = (prefix: string): readonly string[] => Array.from({ length: COUNT }, (_, at) => `${prefix}${String(at)}`);

const create = (name: string): Promise<unknown> =>
  plane().client.request('POST', NAMESPACES, {
    metadata: { name, annotations: { [EGRESS_KEYS.egressIpam]: 'many' }, labels: { many: 'true' } },
  });

// In place of the namespace controller, which does not run here.
async function remove(name: string): Promise<void> {
  const { client } = plane();
  await client.request('DELETE', `${NAMESPACES}/${name}`);
  const stored = await client.request('GET', `${NAMESPACES}/${name}`);
  await client.request('PUT', `${NAMESPACES}/${name}/finalize`, { ...stored, spec: { finalizers: [] } });
}

/** Holders by address, as `10.0.0.1=n7`. */
async function record(): Promise<readonly string[]> {
  const { items = [] } = await plane().client.request('GET', CLAIMS);
  return items.map(({ spec }) => `${String(spec?.['address'])}=${String(spec?.['holder']?.['name'])}`).sort();
}

/** Addresses that two namespaces listed at one version of the watch. */
function twins(all: readonly KubeObject[]): readonly string[] {
  const seen = new Map<string, string>();
  return all.flatMap((each) => {
    const list = listOf(each);
    const other = list === '' ? undefined : seen.get(list);
    seen.set(list, each.metadata.name);
    return other === undefined ? [] : [`${list} of ${other} and ${each.metadata.name}`];
  });
}

test(
  'CONC-02 EG-case-11 200 namespaces at once have 200 addresses of two operators that both lead, and no two ever show one',
  async () => {
    const { client } = plane();
    const spec = { ...egressSpec({ CIDR: '10.60.0.0/23', labelValue: 'a' }), dataplane: 'none' };
    await client.request('POST', IPAMS, egressIpamObject('many', spec));
    const found: string[] = [];
    const all = names('n');
    // every version of the watch is looked at, not the end alone
    const watched = client.watchUntil(
      `${NAMESPACES}?labelSelector=many%3Dtrue`,
      (stored) => {
        found.push(...twins(stored));
        return stored.length === COUNT && stored.every((each) => listOf(each) !== '');
      },
      PATIENCE_MS,
    );
    await Promise.all([watched, ...all.map(create)]);
    const { items = [] } = await client.request('GET', `${NAMESPACES}?labelSelector=many%3Dtrue`);

    expect(found).toEqual([]);
    expect(new Set(items.map(listOf)).size).toBe(COUNT);
    // what both gave one namespace is given back by one of them
    const shown = items.map((each) => `${listOf(each)}=${each.metadata.name}`).sort();
    await eventually(async () => (await record()).join() === shown.join());

    await Promise.all(all.slice(0, COUNT / 2).map(remove));
    const left = new Set(all.slice(COUNT / 2));
    const kept = shown.filter((each) => left.has(each.slice(each.indexOf('=') + 1)));
    await eventually(async () => (await record()).join() === kept.join());
  },
  2 * PATIENCE_MS,
);

test(
  'EG-case-24 namespaces that are deleted while no operator runs give their addresses back at the next start',
  async () => {
    const { client } = plane();
    const left = (await record()).map((each) => each.slice(each.indexOf('=') + 1));
    expect(left).toHaveLength(COUNT / 2);
    await Promise.all([...running.values()].map((each) => each.kill('SIGKILL')));
    await Promise.all(left.slice(1).map(remove));
    expect(await record()).toHaveLength(COUNT / 2);

    await start('three');

    await eventually(async () => (await record()).length === 1);
    const [stays = ''] = await record();
    const object = await client.request('GET', `${NAMESPACES}/${left[0] ?? ''}`);
    expect(stays).toBe(`${listOf(object)}=${left[0] ?? ''}`);
  },
  2 * PATIENCE_MS,
);
