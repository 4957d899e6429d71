import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { AddressClaim, IpamOperator, IpamService, MetalLbPool } from '../../infra';
import { startCertManager, startMetalLb } from '../cluster/support/neighbours';
import { startOperator } from '../cluster/support/operator-process';
import { PulumiEngine, withoutKubelet, type EngineStack, type Run } from './support/pulumi-engine';
import { installPlugin, RemoteComponent } from './support/pulumi-plugin';
import { ingressOf } from '../cluster/support/services';
import { useControlPlane } from '../cluster/support/use-control-plane';

const SECRET = 'correct horse battery';
const ZONES = [{ name: 'inet', prefixes: ['83.118.168.0/28'], advertise: 'l2' }];
const OPERATOR = { zones: ZONES, dataProtection: 'none' as const };
const SHOP = { zone: 'inet', ports: [{ port: 80 }], selector: { app: 'shop' } };
const POOL = { addresses: ['198.51.100.0/28'] };
const CLAIM = {
  spec: { network: 'default', address: '83.118.168.9', door: 'grpc', state: 'bound', key: 'router' },
} as const;

const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager', 'pulumi', 'pulumi-resource-kubernetes', 'pulumi-language-yaml'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
  },
});

let engine: PulumiEngine;
beforeAll(() => {
  engine = new PulumiEngine(plane());
  installPlugin(join(plane().folder, 'plugin'), engine.home);
}, 300_000);

type Program = () => Record<string, unknown>;
const stackOf = (name: string, program: Program): Promise<EngineStack> =>
  engine.stack(
    name,
    withoutKubelet(() => Promise.resolve(program())),
  );

/** Something of which the name is known in a preview, and the UID after it was made. */
const source = (): kubernetes.core.v1.ConfigMap =>
  new kubernetes.core.v1.ConfigMap('source', { metadata: { name: 'source', namespace: 'default' } });

const installation: Program = () => {
  const uid = source().metadata.uid;
  const image = { tag: pulumi.interpolate`1-${uid}` };
  const operator = new RemoteComponent('IpamOperator', 'ipam', {
    ...OPERATOR,
    image,
    namespace: undefined,
  });
  const pool = new RemoteComponent('MetalLbPool', 'lan', { ...POOL, poolName: undefined });
  return { namespace: operator.output('namespace'), pool: pool.output('poolName') };
};

const shop: Program = () => {
  const uid = source().metadata.uid;
  const service = new RemoteComponent('IpamService', 'web', {
    ...SHOP,
    annotations: { 'example.com/source': uid },
    generatedSecret: { value: pulumi.secret(SECRET) },
    address: undefined,
    addresses: undefined,
  });
  return { address: service.output('address'), addresses: service.output('addresses') };
};

const ours = ({ steps }: Run): readonly string[] =>
  steps
    .filter(({ op, type }) => op !== 'refresh' && !type.startsWith('pulumi:'))
    .map(({ op, type, name }) => `${op} ${type} ${name}`)
    .toSorted();

describe('components of the plugin on the real engine', () => {
  test('are shown with all of their objects in the first preview, with a leaf that is not known', async () => {
    const preview = await (await stackOf('installation', installation)).preview();
    const made = await (await stackOf('installation', installation)).up();

    expect(ours(preview)).toEqual(
      expect.arrayContaining([
        'create cdk8s-ipam:index:IpamOperator ipam',
        'create kubernetes:apps/v1:Deployment ipam/Operator/Deployment/Resource',
        'create kubernetes:metallb.io/v1beta1:IPAddressPool lan/Pool/Pool',
      ]),
    );
    expect(ours(made)).toEqual(ours(preview));
    expect(made.outputs).toMatchObject({ namespace: { value: 'ipam-system' }, pool: { value: 'lan' } });
    expect(await (await stackOf('installation', installation)).preview()).toMatchObject({ steps: [] });
  }, 480_000);

  test('have an address as an Output, and keep a secret one', async () => {
    await startOperator(plane());
    const preview = await (await stackOf('shop', shop)).preview();
    const made = await (await stackOf('shop', shop)).up();

    expect(ours(preview)).toContain('create kubernetes:core/v1:Service web/Service/Resource');
    expect(made.outputs['address']?.value).toMatch(/^83\.118\.168\.\d+$/u);
    expect(made.outputs['addresses']?.value).toEqual([made.outputs['address']?.value]);

    const state = readFileSync(join(engine.state, '.pulumi/stacks/shop/shop.json'), 'utf8');
    expect(state).toContain('web-ipam');
    for (const form of [SECRET, Buffer.from(SECRET).toString('base64')]) expect(state).not.toContain(form);
    const stored = await plane().client.request('GET', '/api/v1/namespaces/default/secrets/web-ipam');
    expect(stored.data?.['secret']).toBe(Buffer.from(SECRET).toString('base64'));
  }, 480_000);

  test('show a claim, which the API server takes from administrators alone, as a program in TypeScript does', async () => {
    const claimed = (program: () => unknown): Promise<EngineStack> =>
      stackOf('claim', () => {
        program();
        return {};
      });
    const remote = await claimed(
      () => new RemoteComponent('AddressClaim', 'router', { ...CLAIM, claimName: undefined }),
    );
    const told = ours(await remote.preview());
    const local = await claimed(() => new AddressClaim('router', CLAIM));

    expect(told).toContain('create kubernetes:ipam.vitistack.io/v1alpha1:AddressClaim router/Claim/Resource');
    expect(ours(await local.preview())).toEqual(told);
  }, 300_000);

  test('refuse by its path an Output whose value has to be read', async () => {
    const late: Program = () => {
      const prefix = source().metadata.uid;
      new RemoteComponent('IpamOperator', 'late', { zones: [{ name: 'inet', prefixes: [prefix] }] });
      return {};
    };
    const stack = await stackOf('late', late);
    await expect(stack.preview()).rejects.toThrow(
      /IpamOperator "late": zones\[0\]\.prefixes\[0\]: an Output was given/u,
    );
  });

  test('are those of a program in TypeScript: it takes a stack over without a change', async () => {
    const local: Program = () => {
      const image = { tag: pulumi.interpolate`1-${source().metadata.uid}` };
      new IpamOperator('ipam', { ...OPERATOR, image, zones: [{ ...ZONES[0]!, advertise: 'l2' }] });
      new MetalLbPool('lan', POOL);
      return {};
    };
    expect(ours(await (await stackOf('installation', local)).preview())).toEqual([]);
    const service: Program = () => {
      new IpamService('web', {
        ...SHOP,
        annotations: { 'example.com/source': source().metadata.uid },
        generatedSecret: { value: pulumi.secret(SECRET) },
      });
      return {};
    };
    expect(ours(await (await stackOf('shop', service)).preview())).toEqual([]);
  }, 300_000);

  test('are shown in the preview of a program in YAML, as in that of any other', async () => {
    const yaml = `
resources:
  ipam:
    type: cdk8s-ipam:IpamOperator
    properties: ${JSON.stringify(OPERATOR)}
  lan:
    type: cdk8s-ipam:MetalLbPool
    properties: ${JSON.stringify(POOL)}
outputs: { namespace: '\${ipam.namespace}', pool: '\${lan.poolName}' }
`;
    const local: Program = () => {
      new IpamOperator('ipam', { ...OPERATOR, zones: [{ ...ZONES[0]!, advertise: 'l2' }] });
      new MetalLbPool('lan', POOL);
      return {};
    };
    const preview = await (await engine.yamlStack('yaml-installation', yaml)).preview();

    expect(ours(preview).length).toBeGreaterThan(15);
    expect(ours(preview)).toEqual(ours(await (await stackOf('local-installation', local)).preview()));
  }, 480_000);

  test('give a program in YAML an address, which goes on in TypeScript without a change', async () => {
    const yaml = `
resources:
  web:
    type: cdk8s-ipam:IpamService
    properties:
      name: yaml-web
      generatedSecret: { value: { 'fn::secret': ${SECRET} } }
      zone: inet
      ports: ${JSON.stringify(SHOP.ports)}
      selector: ${JSON.stringify(SHOP.selector)}
outputs: { address: '\${web.address}' }
`;
    const service =
      (port: number): Program =>
      () => {
        new IpamService('web', {
          ...SHOP,
          ports: [{ port }],
          name: 'yaml-web',
          generatedSecret: { value: pulumi.secret(SECRET) },
        });
        return {};
      };
    const stack = await engine.yamlStack('yaml-shop', yaml);
    const preview = await stack.preview();
    const made = await stack.up();
    const stored = await plane().client.request('GET', '/api/v1/namespaces/default/services/yaml-web');

    expect(ours(preview)).toEqual(ours(made));
    expect(ours(preview)).toContain('create kubernetes:core/v1:Service web/Service/Resource');
    expect(ingressOf(stored)).toEqual([made.outputs['address']?.value]);
    expect(await stack.preview()).toMatchObject({ steps: [] });
    expect(ours(await (await stackOf('yaml-shop', service(80))).preview())).toEqual([]);
    expect(ours(await (await stackOf('yaml-shop', service(81))).preview())).toEqual([
      'update kubernetes:core/v1:Service web/Service/Resource',
    ]);
    await stack.destroy();
  }, 480_000);

  test('leave nothing when they are destroyed', async () => {
    await (await stackOf('shop', shop)).destroy();
    await (await stackOf('installation', installation)).destroy();
    const { client } = plane();
    const gone = await Promise.all(
      [
        '/api/v1/namespaces/default/services/web',
        '/api/v1/namespaces/default/secrets/web-ipam',
        '/apis/apps/v1/namespaces/ipam-system/deployments/ipam-controller-manager',
        '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/lan',
        '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/ipam-mutating-webhook-configuration',
      ].map(async (path) => (await client.attempt('GET', path)).status),
    );
    expect(gone).toEqual([404, 404, 404, 404, 404]);
  }, 480_000);
});
