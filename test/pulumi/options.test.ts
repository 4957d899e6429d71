import { readFileSync } from 'node:fs';
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { parse } from 'yaml';
import { IpamOperator, IpamService, type IpamOperatorArgs, type IpamServiceArgs } from '../../infra';
import type { EngineStack, Run } from './support/pulumi-engine';
import { useBareEngine } from './support/use-bare-engine';

const ZONES = [{ name: 'inet', prefixes: ['83.118.168.0/28'] }];
const SHOP = { zone: 'inet', ports: [{ port: 80 }], name: 'web' };
const DEPLOYMENT = '/apis/apps/v1/namespaces/ipam-system/deployments/ipam-controller-manager';
const WEBHOOKS =
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/ipam-mutating-webhook-configuration';
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/addressclaims.ipam.vitistack.io';
const DATA = [
  '/api/v1/namespaces/ipam-system',
  DEFINITION,
  '/api/v1/namespaces/ipam-system/persistentvolumeclaims/ipam-data',
] as const;

const { plane, stackOf } = useBareEngine();

const ofKubernetes = ({ steps }: Run) => steps.filter(({ type }) => type.startsWith('kubernetes:'));
const told = (run: Run): readonly string[] => ofKubernetes(run).map(({ op, name }) => `${op} ${name}`);

const labelled =
  (team: string): pulumi.ResourceTransform =>
  ({ type, props, opts }) => {
    if (!type.startsWith('kubernetes:')) return undefined;
    const metadata = props['metadata'] as { readonly labels?: object };
    return { props: { ...props, metadata: { ...metadata, labels: { ...metadata.labels, team } } }, opts };
  };

describe('an IpamOperator of a program', () => {
  const installed = (
    name: string,
    opts: pulumi.ComponentResourceOptions,
    args: Partial<IpamOperatorArgs> = {},
  ): Promise<EngineStack> =>
    stackOf('installation', () => {
      const source = new kubernetes.core.v1.ConfigMap('source', { metadata: { name: 'source', namespace: 'default' } });
      const podAnnotations = { 'example.com/source': source.metadata.uid };
      new IpamOperator(name, { zones: ZONES, dataProtection: 'none', podAnnotations, ...args }, opts);
    });

  test('shows every object in a preview with a leaf that is not known, and its transforms reach each of them', async () => {
    const stack = await installed('ipam', { transforms: [labelled('net')] });
    const preview = await stack.preview();
    const made = await stack.up();
    const changed = await (await installed('ipam', { transforms: [labelled('lan')] })).preview();
    const children = told(made).filter((step) => step.includes('ipam/'));

    expect(told(preview).toSorted()).toEqual(told(made).toSorted());
    expect(children.length).toBeGreaterThan(15);
    expect(ofKubernetes(changed).map(({ op, diff }) => [op, diff])).toEqual(
      children.map(() => ['update', ['metadata.labels.team']]),
    );
    const { metadata, spec } = await plane().client.request('GET', DEPLOYMENT);
    expect(metadata.labels).toMatchObject({ team: 'net' });
    expect(spec?.['template']?.['metadata']?.['annotations']?.['example.com/source']).toMatch(/^[0-9a-f-]{36}$/u);
  }, 300_000);

  test('gets another name and another parent by aliases, and no object is touched', async () => {
    const opts = { transforms: [labelled('net')] };
    const renamed = await installed('addresses', { ...opts, aliases: [{ name: 'ipam' }] });
    expect(told(await renamed.preview())).toEqual([]);

    class Platform extends pulumi.ComponentResource {
      constructor() {
        super('example:index:Platform', 'platform');
      }
    }
    const moved = await stackOf('installation', () => {
      const source = new kubernetes.core.v1.ConfigMap('source', { metadata: { name: 'source', namespace: 'default' } });
      const podAnnotations = { 'example.com/source': source.metadata.uid };
      new IpamOperator(
        'ipam',
        { zones: ZONES, dataProtection: 'none', podAnnotations },
        { ...opts, parent: new Platform(), aliases: [{ parent: pulumi.rootStackResource }] },
      );
    });
    expect(told(await moved.up())).toEqual([]);
    expect(told(await moved.preview())).toEqual([]);
    await moved.destroy();
  }, 300_000);

  const statusOf = (paths: readonly string[]): Promise<readonly number[]> =>
    Promise.all(paths.map(async (path) => (await plane().client.attempt('GET', path)).status));

  test('keeps its data alone when it is destroyed: protected, by an error, and retained', async () => {
    const protect = await installed('ipam', {}, { dataProtection: 'protect' });
    await protect.up();
    expect(await statusOf([DEPLOYMENT, WEBHOOKS])).toEqual([200, 200]);
    await expect(protect.destroy()).rejects.toThrow(/protect/u);
    expect(await statusOf([DEPLOYMENT, WEBHOOKS])).toEqual([404, 404]);
    expect(await statusOf(DATA)).toEqual([200, 200, 200]);

    const retain = await installed('ipam', {}, { dataProtection: 'retain' });
    await retain.up();
    await retain.destroy();
    expect(await statusOf([DEPLOYMENT, WEBHOOKS])).toEqual([404, 404]);
    expect(await statusOf(DATA)).toEqual([200, 200, 200]);
  }, 300_000);

  test('takes the data over that a destroyed one left, which says something else of them', async () => {
    // what another version of the package may say
    const versioned =
      (version: string): pulumi.ResourceTransform =>
      ({ type, props, opts }) => {
        const { spec, metadata } = props as { spec?: { names?: object }; metadata?: { labels?: object } };
        if (type.endsWith(':CustomResourceDefinition'))
          return { props: { ...props, spec: { ...spec, names: { ...spec?.names, shortNames: [version] } } }, opts };
        if (!type.endsWith(':Namespace') && !type.endsWith(':PersistentVolumeClaim')) return undefined;
        const labels = { ...metadata?.labels, 'example.com/version': version };
        return { props: { ...props, metadata: { ...metadata, labels } }, opts };
      };
    const ofVersion = (stack: string, version: string): Promise<EngineStack> =>
      stackOf(stack, () => {
        new IpamOperator('ipam', { zones: ZONES }, { transforms: [versioned(version)] });
      });
    const uids = (): Promise<readonly unknown[]> =>
      Promise.all(DATA.map(async (path) => (await plane().client.request('GET', path)).metadata.uid));
    const before = await ofVersion('before', 'vone');
    await before.up();
    const made = await uids();
    await before.destroy();

    const after = await ofVersion('after', 'vtwo');
    await after.up();

    expect(await uids()).toEqual(made);
    expect((await plane().client.request('GET', DEFINITION)).spec?.['names']).toMatchObject({ shortNames: ['vtwo'] });
    const labels = { 'example.com/version': 'vtwo' };
    expect(await plane().client.request('GET', DATA[0])).toMatchObject({ metadata: { labels } });
    expect(await plane().client.request('GET', DATA[2])).toMatchObject({ metadata: { labels } });
    expect(told(await after.preview())).toEqual([]);
    await after.destroy();
  }, 300_000);
});

describe('an IpamService of a program', () => {
  /** The control plane under a context that has a namespace of its own; the current context leads nowhere. */
  const contexts = (): string => {
    const file = parse(readFileSync(plane().kubeconfig, 'utf8')) as {
      clusters: { name: string; cluster: object }[];
      contexts: { name: string; context: { cluster: string; user: string } }[];
    };
    const [real] = file.contexts;
    const nowhere = { name: 'nowhere', cluster: { server: 'https://127.0.0.1:1' } };
    return JSON.stringify({
      ...file,
      'current-context': 'west',
      clusters: [...file.clusters, nowhere],
      contexts: [
        { name: 'east', context: { ...real?.context, namespace: 'east' } },
        { name: 'west', context: { ...real?.context, cluster: 'nowhere' } },
      ],
    });
  };

  test('is made on the cluster of the provider that it is given', async () => {
    await plane().client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'east' } }]);
    const program = (): void => {
      const provider = new kubernetes.Provider('east', { kubeconfig: contexts(), context: 'east' });
      new IpamService('shop', SHOP, { provider });
      new IpamService('admin', { ...SHOP, name: 'admin' }, { providers: { kubernetes: provider } });
    };
    const stack = await stackOf('elsewhere', program);
    await stack.up();
    const paths = ['web', 'admin'].map((name) => `/api/v1/namespaces/east/services/${name}`);
    const status = await Promise.all(paths.map(async (path) => (await plane().client.attempt('GET', path)).status));

    expect(status).toEqual([200, 200]);
    expect(told(await (await stackOf('elsewhere', program)).preview())).toEqual([]);
    await stack.destroy();
  }, 300_000);

  test('has one name with others whose parents are of another type, and is made after one of its name was refused', async () => {
    class Team extends pulumi.ComponentResource {
      constructor(team: string) {
        super(`example:${team}:Team`, team);
        const shop = (args: Partial<IpamServiceArgs>) =>
          new IpamService('shop', { ...SHOP, name: `shop-of-${team}`, ...args }, { parent: this });
        expect(() => shop({ addresses: ['nonsense'] })).toThrow(/nonsense/u);
        shop({});
      }
    }
    const teams = (): Promise<EngineStack> =>
      stackOf('teams', () => {
        ['web', 'mail'].forEach((team) => new Team(team));
      });
    const stack = await teams();
    expect(told(await stack.up())).toEqual(['create shop/Service/Resource', 'create shop/Service/Resource']);
    expect(told(await (await teams()).preview())).toEqual([]);
    await stack.destroy();
  }, 300_000);

  test('gets another name by an alias, and stays what it is', async () => {
    const named = (name: string, opts: pulumi.ComponentResourceOptions = {}): Promise<EngineStack> =>
      stackOf('shop', () => {
        new IpamService(name, { ...SHOP, addresses: ['83.118.168.9'] }, opts);
      });
    await (await named('web')).up();
    const { uid } = (await plane().client.request('GET', '/api/v1/namespaces/default/services/web')).metadata;
    const renamed = await named('front', { aliases: [{ name: 'web' }] });
    const made = await renamed.up();

    expect(told(made)).toEqual([]);
    expect((await plane().client.request('GET', '/api/v1/namespaces/default/services/web')).metadata.uid).toBe(uid);
    await renamed.destroy();
  }, 300_000);
});
