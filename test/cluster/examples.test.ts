import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { IPAM } from '../../operator/contract/group';
import { PostgresServer } from '../support/postgres-server';
import { servingPair } from '../support/serving-pair';
import { objectsIn, type KubeObject, type Manifest } from './support/cluster-client';
import type { ControlPlane } from './support/control-plane';
import { appliedTwice, builtOf, manifestExample, renderedExamples, synthesizedExample } from './support/examples';
import { monitoringKind } from './support/monitoring-kind';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ingressOf, isReady } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const MINUTE = 60_000;
/** In examples/manifests it stands in the file, so that both kinds of stack belong to one owner here. */
const SHOP_SECRET = 'change-me-to-something-of-your-own';
const PREFIX = '83.118.168.';

async function neighbours(control: ControlPlane): Promise<void> {
  await Promise.all([startMetalLb(control), startCertManager(control)]);
  await control.client.apply([
    monitoringKind('ServiceMonitor', 'servicemonitors'),
    monitoringKind('PrometheusRule', 'prometheusrules'),
  ]);
}

const needs = { programs: ['metallb-controller', 'cert-manager'], prepare: neighbours } as const;
const oslo = useControlPlane(needs);
const bergen = useControlPlane(needs);

const secret = (namespace: string, name: string, stringData: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});

/** Takes the pools of the installation before away: the zones of two examples overlap. */
async function withoutPools(plane: ControlPlane): Promise<void> {
  const all = ['-n', 'metallb-system', 'ipaddresspools,l2advertisements,bgpadvertisements', '--all'];
  await plane.kubectl('annotate', ...all, 'helm.sh/resource-policy-');
  await plane.kubectl('delete', ...all);
}

const serviceOf = (plane: ControlPlane, namespace: string, name: string): Promise<KubeObject> =>
  plane.client.objectWhen(`/api/v1/namespaces/${namespace}/services/${name}`, isReady);

/** Addresses that MetalLB gave to Services of a namespace, by their names. */
async function addresses(plane: ControlPlane, namespace: string, names: readonly string[]) {
  const shown = await Promise.all(names.map(async (name) => ingressOf(await serviceOf(plane, namespace, name))));
  return Object.fromEntries(names.map((name, i) => [name, shown[i]?.toSorted() ?? []]));
}

/** An object without labels and order, which a user of kustomize need not keep. */
function meaning({ kind, metadata: { name, namespace }, ...rest }: Manifest): readonly [string, unknown] {
  const { metadata: _metadata, data, ...others } = { metadata: undefined, data: undefined, ...rest };
  const zones = (data as Readonly<Record<string, string>> | undefined)?.['zones.yaml'];
  const said = { ...others, ...(zones === undefined ? { data } : { zones: parse(zones) as unknown }) };
  const sorted = JSON.parse(JSON.stringify(said), (key, value: unknown) =>
    key === 'volumes' || key === 'volumeMounts'
      ? (value as readonly object[]).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
      : value,
  ) as unknown;
  return [`${kind} ${namespace ?? ''}/${name}`, sorted];
}

describe('installations', () => {
  test.each(['netbox', 'remote'])(
    'examples/cdk8s/%s is taken as it is synthesized, and changes nothing the second time',
    async (name) => {
      const stored = await appliedTwice(oslo(), ['-f', await synthesizedExample(oslo(), name)]);
      expect(stored.length).toBeGreaterThan(20);
      await withoutPools(oslo());
    },
    MINUTE,
  );

  test(
    'lib/manifests/install.yaml is taken as it is rendered, and changes nothing the second time',
    async () => {
      const stored = await appliedTwice(oslo(), renderedExamples(oslo()).install);
      expect(stored.join()).toContain('IPAddressPool example');
      await withoutPools(oslo());
    },
    MINUTE,
  );

  test(
    'examples/manifests/ha-postgres means what examples/cdk8s/ha-postgres does, and changes nothing the second time',
    async () => {
      const { overlay } = renderedExamples(oslo());
      const file = join(await synthesizedExample(oslo(), 'ha-postgres'), 'ipam.k8s.yaml');
      const watches = /monitoring|dashboard/u;
      const synthesized = objectsIn(readFileSync(file, 'utf8')).filter(
        ({ apiVersion, metadata }) => !watches.test(apiVersion + metadata.name),
      );
      const built = await builtOf(oslo(), overlay);
      expect(Object.fromEntries(built.map(meaning))).toEqual(Object.fromEntries(synthesized.map(meaning)));
      expect(built.at(-1)?.kind).toBe('ValidatingWebhookConfiguration');
      await appliedTwice(oslo(), overlay);
      await withoutPools(oslo());
    },
    MINUTE,
  );
});

describe('the smallest examples', () => {
  let operator: RunningOperator | undefined;

  afterAll(async () => {
    await operator?.stop();
    await withoutPools(oslo());
    // a new record begins
    await oslo().kubectl('delete', '-n', 'ipam-system', 'secret', 'ipam-keys');
  });

  test(
    'examples/cdk8s/smallest gives an address to each of its Services',
    async () => {
      const folder = await synthesizedExample(oslo(), 'smallest');
      const installation = join(folder, '0000-ipam.k8s.yaml');
      const web = ['-f', join(folder, '0001-web.k8s.yaml')] as const;
      await appliedTwice(oslo(), ['-f', installation]);
      operator = await startOperator(oslo(), { name: 'smallest', args: { 'shutdown-delay': '0' } });
      await appliedTwice(oslo(), web);
      const given = await addresses(oslo(), 'default', ['intranet', 'shop', 'api']);
      expect(given).toEqual({
        intranet: ['172.16.8.16'],
        shop: [`${PREFIX}1`],
        api: ['2a05:1234::1', `${PREFIX}10`],
      });
      await appliedTwice(oslo(), web);
      expect(await addresses(oslo(), 'default', ['intranet', 'shop', 'api'])).toEqual(given);
      await oslo().kubectl('delete', ...web);
    },
    2 * MINUTE,
  );

  test(
    'examples/manifests/smallest.yaml gets an address of the default zone',
    async () => {
      await appliedTwice(oslo(), manifestExample('smallest.yaml'));
      // the first one rests after its Service is gone
      expect(await addresses(oslo(), 'default', ['shop'])).toEqual({ shop: ['172.16.8.17'] });
      await appliedTwice(oslo(), manifestExample('smallest.yaml'));
      await oslo().kubectl('delete', ...manifestExample('smallest.yaml'));
    },
    MINUTE,
  );
});

describe('the web shop in two clusters, on one database as examples/cdk8s/ha-postgres', () => {
  const NAMES = ['web', 'office', 'nearest'];

  async function secrets(plane: ControlPlane, dsn: string): Promise<void> {
    const { authority } = await servingPair();
    await plane.client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipam-system' } },
      secret('ipam-system', 'ipam-postgres', { dsn }),
      secret('ipam-system', 'ipam-postgres-ca', { 'ca.crt': authority }),
    ]);
  }

  /** Copies the key by which secrets are known, as the example says. */
  async function copyKey(): Promise<void> {
    const path = '/api/v1/namespaces/ipam-system/secrets/ipam-keys';
    const { data = {} } = await oslo().client.request('GET', path);
    const { metadata, ...rest } = secret('ipam-system', 'ipam-keys', {});
    await bergen().client.apply([{ ...rest, metadata, stringData: undefined, data }]);
  }

  beforeAll(async () => {
    const database = await PostgresServer.start();
    oslo().onStop(() => database.remove());
    const dsn = await database.newDatabase();
    for (const plane of [oslo(), bergen()]) {
      await secrets(plane, dsn);
      await appliedTwice(plane, ['-f', await synthesizedExample(plane, 'ha-postgres')]);
      if (plane === bergen()) await copyKey();
      await startOperator(plane, { name: 'ha', args: { 'shutdown-delay': '0' } });
    }
  }, 3 * MINUTE);

  test(
    'examples/cdk8s/application gets private, dual-stack, fixed and anycast addresses',
    async () => {
      const folder = await synthesizedExample(oslo(), 'application');
      const shop = { name: 'shop', labels: { 'example.com/public': 'true' } };
      for (const plane of [oslo(), bergen()]) {
        await plane.client.apply([
          { apiVersion: 'v1', kind: 'Namespace', metadata: shop },
          secret('shop', 'addresses', { secret: SHOP_SECRET }),
        ]);
      }
      const file = (cluster: string) => ['-f', join(folder, `${cluster}.k8s.yaml`)] as const;
      await appliedTwice(oslo(), file('oslo'));
      await appliedTwice(bergen(), file('bergen'));
      const [here, there] = [
        await addresses(oslo(), 'shop', [...NAMES, 'payments']),
        await addresses(bergen(), 'shop', NAMES),
      ];
      expect(here).toMatchObject({ nearest: [`${PREFIX}53`], payments: [`${PREFIX}25`] });
      expect(there).toMatchObject({ nearest: [`${PREFIX}53`] });
      expect([here['web'], there['web']].map((both) => both?.length)).toEqual([2, 2]);
      // nothing but the anycast address is in both
      const all = [here, there].flatMap((each) => Object.values(each).flat());
      expect(all.filter((address, i) => all.indexOf(address) !== i)).toEqual([`${PREFIX}53`]);
      await appliedTwice(oslo(), file('oslo'));
      expect(await addresses(oslo(), 'shop', [...NAMES, 'payments'])).toEqual(here);
    },
    2 * MINUTE,
  );

  test(
    'examples/manifests/application.yaml gets them by the same secret after the shop was deleted',
    async () => {
      for (const plane of [oslo(), bergen()]) await plane.kubectl('delete', 'namespace', 'shop');
      const source = manifestExample('application.yaml');
      await appliedTwice(oslo(), source);
      const given = await addresses(oslo(), 'shop', [...NAMES, 'payments']);
      expect(given).toMatchObject({ nearest: [`${PREFIX}53`], payments: [`${PREFIX}25`] });
      expect(given['web']).toHaveLength(2);
      const nearest = objectsIn(readFileSync(source[1], 'utf8')).filter(
        ({ kind, metadata }) => kind !== 'Service' || metadata.name === 'nearest',
      );
      await bergen().client.apply(nearest);
      expect(await addresses(bergen(), 'shop', ['nearest'])).toEqual({ nearest: [`${PREFIX}53`] });
      const { metadata } = await serviceOf(bergen(), 'shop', 'nearest');
      expect(metadata.annotations?.[IPAM.secret]).toBe('addresses');
    },
    2 * MINUTE,
  );
});
