import { setTimeout } from 'node:timers/promises';
import * as kubernetes from '@pulumi/kubernetes';
import { IpamService, program, type IpamServiceArgs } from '../../infra';
import { IPAM } from '../../operator/contract/group';
import { parseZones, type ZoneCatalogue } from '../../operator/contract/zones';
import type { ControlPlane } from '../cluster/support/control-plane';
import { synthesizedYaml } from '../cluster/support/installation';
import { startCertManager, startMetalLb } from '../cluster/support/neighbours';
import { startOperator, type RunningOperator } from '../cluster/support/operator-process';
import { PulumiEngine, withoutKubelet, type EngineStack, type Run } from './support/pulumi-engine';
import { useControlPlane } from '../cluster/support/use-control-plane';

const ZONES = [{ name: 'inet', prefixes: ['83.118.168.0/28', '2a05:1234::/112'] }];
const CONFIG = { zones: ZONES, imageTag: '1.0.0', dataProtection: 'none' };

const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager', 'pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
  },
});

const SERVICES = '/api/v1/namespaces/default/services';
/** Between two Services: twelve addresses last for as long as `pulumi up` takes. */
const EVERY_MS = 1_000;

let engine: PulumiEngine;
let operator: RunningOperator | undefined;
const configured = (config: Readonly<Record<string, unknown>>): Promise<EngineStack> =>
  engine.stack(
    'installation',
    withoutKubelet(() => Promise.resolve({ ...program() })),
    { ...CONFIG, ...config },
  );

/** Services that are made one after the other, and keep the addresses that admission gave them. */
class ServicesUnderWay {
  readonly #plane: ControlPlane;
  readonly #given = new Map<string, string>();
  readonly #answers: number[] = [];
  #ends = false;
  #work: Promise<void> = Promise.resolve();

  constructor(control: ControlPlane) {
    this.#plane = control;
  }

  begin(): void {
    this.#work = this.#go();
  }

  /** Waits for the last one, and takes all of them away. */
  async end(): Promise<{ readonly answers: readonly number[]; readonly moved: readonly string[] }> {
    this.#ends = true;
    await this.#work;
    const moved: string[] = [];
    for (const [name, address] of this.#given) {
      const { metadata } = await this.#plane.client.request('GET', `${SERVICES}/${name}`);
      if (metadata.annotations?.[IPAM.addresses] !== address) moved.push(name);
      await this.#plane.client.request('DELETE', `${SERVICES}/${name}`);
    }
    return { answers: this.#answers, moved };
  }

  async #go(): Promise<void> {
    for (let turn = 1; !this.#ends; turn++) {
      const metadata = {
        name: `under-way-${String(turn)}`,
        namespace: 'default',
        annotations: { [IPAM.zone]: 'inet' },
      };
      const service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
      };
      const { status, body } = await this.#plane.client.attempt('POST', SERVICES, service);
      this.#answers.push(status);
      this.#given.set(metadata.name, body.metadata.annotations?.[IPAM.addresses] ?? '');
      await setTimeout(EVERY_MS);
    }
  }
}

const told = ({ steps }: Run): readonly string[] => steps.map(({ op, type, name }) => `${op} ${type} ${name}`);
const changed = ({ steps }: Run) => steps.filter(({ op }) => op !== 'refresh');

beforeAll(() => {
  engine = new PulumiEngine(plane());
});

describe('the program on the real engine', () => {
  test('names every missing value of the configuration before it runs', async () => {
    const stack = await engine.stack('empty', () => Promise.resolve({}), {});
    await expect(stack.preview()).rejects.toThrow(/ipam:zones/u);
  });

  test('shows every object in the first preview, and makes them with the webhook configurations last', async () => {
    const stack = await configured({});
    const preview = await stack.preview();
    const { steps } = await stack.up();
    const created = steps.filter(({ op, type }) => op === 'create' && type.startsWith('kubernetes:'));

    const { objects } = synthesizedYaml(plane().folder, { zones: ZONES });
    // one more: the object by which the stack claims the cluster comes first
    expect(preview.steps.filter(({ type }) => type.startsWith('kubernetes:'))).toHaveLength(objects.length + 1);
    expect(created).toHaveLength(objects.length + 1);
    expect(created[0]?.name).toBe('ipam/Installation');
    expect(
      created
        .slice(-2)
        .map(({ type }) => type.split(':').at(-1))
        .toSorted(),
    ).toEqual(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
    expect(await (await configured({})).preview()).toMatchObject({ steps: [] });
  });

  test('changes nothing although cert-manager injected its CA', async () => {
    // ready means that the API server calls it, with the CA that cert-manager put there
    operator = await startOperator(plane());
    const stack = await configured({});
    const refreshed = await stack.refresh();

    expect(changed(refreshed)).toEqual([]);
    expect(await stack.preview()).toMatchObject({ steps: [] });
    expect(await stack.up()).toMatchObject({ steps: [] });
    const webhooks = await plane().client.request(
      'GET',
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/ipam-mutating-webhook-configuration',
    );
    expect(webhooks.webhooks?.[0]?.['clientConfig']?.['caBundle']).toEqual(expect.stringMatching(/^LS0t/u));
  });

  test('changes one leaf for another image', async () => {
    const preview = await (await configured({ imageTag: '1.1.0' })).preview();

    expect(changed(preview)).toEqual([
      {
        op: 'update',
        type: 'kubernetes:apps/v1:Deployment',
        name: 'ipam/Operator/Deployment/Resource',
        diff: ['spec.template.spec.containers[0].image'],
      },
    ]);
  });
});

describe('a Service of a program', () => {
  const zones = (): ZoneCatalogue => {
    const parsed = parseZones({ version: 1, zones: ZONES });
    if (!parsed.ok) throw new RangeError('the zones of the test are wrong');
    return parsed.value;
  };
  const shop = (args: Partial<IpamServiceArgs> = {}) => {
    const run = (): Promise<Record<string, unknown>> => {
      const web = new IpamService('web', { zone: 'inet', zones: zones(), ports: [{ port: 80 }], ...args });
      const record = new kubernetes.core.v1.ConfigMap('record', {
        metadata: { name: 'dns-record', namespace: 'default' },
        data: { A: web.address },
      });
      return Promise.resolve({ address: web.address, addresses: web.addresses, record: record.data });
    };
    return engine.stack('shop', withoutKubelet(run));
  };

  test('reserves nothing in a preview, and has its address as an Output afterwards', async () => {
    const stack = await shop();
    const preview = await stack.preview();
    expect(told(preview)).toContain('create kubernetes:core/v1:Service web/Service/Resource');
    expect(await plane().client.attempt('GET', `${SERVICES}/web`)).toMatchObject({ status: 404 });
    expect(await operator?.metrics()).not.toMatch(
      /ipam_zone_addresses\{[^}]*state="(?:held|reserved|bound)"[^}]*\} [1-9]/u,
    );

    const { outputs } = await stack.up();
    expect(outputs['address']?.value).toMatch(/^83\.118\.168\.\d+$/u);
    const address = outputs['address']?.value as string;
    expect(outputs['addresses']?.value).toEqual([address]);
    expect(outputs['record']?.value).toEqual({ A: address });
    expect(await (await shop()).preview()).toMatchObject({ steps: [] });
    expect(changed(await stack.refresh())).toEqual([]);
  });

  test('keeps its address while the zones change', async () => {
    const before = (await (await shop()).up()).outputs['address']?.value as string;
    const wider = [{ ...ZONES[0], prefixes: ['83.118.168.0/27', '2a05:1234::/112'] }];
    const installed = await (await configured({ zones: wider })).up();
    const after = await (await shop()).up();

    expect(installed.steps.map(({ op, type }) => `${op} ${type.split(':').at(-1) ?? ''}`).toSorted()).toEqual([
      'update ConfigMap',
      'update IPAddressPool',
    ]);
    expect(after.outputs['address']?.value).toBe(before);
  });

  test('keeps its address, and others get theirs, while the ConfigMap of the zones is deleted and made again', async () => {
    const before = (await (await shop()).up()).outputs['address']?.value as string;
    const load = new ServicesUnderWay(plane());
    load.begin();
    const wider = [{ ...ZONES[0], prefixes: ['83.118.168.0/26', '2a05:1234::/112'] }];
    // a provider that is not told otherwise takes a ConfigMap for immutable
    const installed = await (await configured({ zones: wider, 'kubernetes:enableConfigMapMutable': 'false' })).up();
    const { answers, moved } = await load.end();
    const after = await (await shop()).up();
    const ofConfigMap = installed.steps.filter(({ type }) => type.endsWith(':ConfigMap')).map(({ op }) => op);

    expect(ofConfigMap.indexOf('delete-replaced')).toBeLessThan(ofConfigMap.indexOf('create-replacement'));
    expect(ofConfigMap).toContain('create-replacement');
    expect([...new Set(answers)]).toEqual([201]);
    expect(moved).toEqual([]);
    expect(after.outputs['address']?.value).toBe(before);
    expect(operator?.log()).not.toMatch(/"level":"(?:error|fatal)"/u);
  });

  test('is replaced delete-first where it needs another name, with the same fixed address again (CDK-03)', async () => {
    const fixed = { addresses: ['83.118.168.9'], name: 'fixed-a' };
    const first = await (await shop(fixed)).up();
    const replaced = await (await shop({ ...fixed, name: 'fixed-b' })).up();
    const ofService = replaced.steps.filter(({ type }) => type === 'kubernetes:core/v1:Service').map(({ op }) => op);

    expect(first.outputs['address']?.value).toBe('83.118.168.9');
    expect(replaced.outputs['address']?.value).toBe('83.118.168.9');
    expect(ofService.indexOf('delete-replaced')).toBeLessThan(ofService.indexOf('create-replacement'));
    expect(await plane().client.attempt('GET', `${SERVICES}/fixed-a`)).toMatchObject({ status: 404 });
  });

  test('joins another one and is replaced delete-first, for both have their own ports', async () => {
    const joined = (name: string): Promise<EngineStack> =>
      engine.stack(
        'dns',
        withoutKubelet(() => {
          const shared = { zone: 'inet', addresses: ['83.118.168.13'], allowLocalSharedIp: 'dns' };
          const udp = new IpamService('udp', { ...shared, ports: [{ port: 53, protocol: 'UDP' }] });
          const tcp = new IpamService('tcp', { joins: udp, name, ports: [{ port: 53 }] });
          return Promise.resolve({ address: tcp.address });
        }),
      );
    await (await joined('tcp-a')).up();
    const replaced = await (await joined('tcp-b')).up();
    await (await joined('tcp-b')).destroy();

    expect(replaced.steps.map(({ op }) => op)).toEqual(
      expect.arrayContaining(['delete-replaced', 'create-replacement']),
    );
    expect(replaced.outputs['address']?.value).toBe('83.118.168.13');
  });

  test('fails with the reason of the webhook where another namespace holds the address', async () => {
    const namespace = 'rivals';
    const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await plane().client.request('POST', '/api/v1/namespaces', made);
    const taken = await engine.stack(
      'rival',
      withoutKubelet(() => {
        new IpamService('rival', { namespace, zone: 'inet', ports: [{ port: 80 }], addresses: ['83.118.168.9'] });
        return Promise.resolve({});
      }),
    );
    await expect(taken.up()).rejects.toThrow(/83\.118\.168\.9.*fixed-b/su);
  });

  test('has as an Output the address that a change in place gave it, and the primary family first', async () => {
    const web = { name: 'changed' };
    const first = await (await shop({ ...web, addresses: ['83.118.168.11'] })).up();
    const moved = await (await shop({ ...web, addresses: ['83.118.168.12'] })).up();
    const dual = await (await shop({ ...web, addresses: ['83.118.168.12'], ipFamily: 'dual' })).up();

    expect([first, moved].map(({ outputs }) => outputs['record']?.value as unknown)).toEqual([
      { A: '83.118.168.11' },
      { A: '83.118.168.12' },
    ]);
    expect(moved.steps.filter(({ type }) => type.endsWith(':Service')).map(({ op }) => op)).toEqual(['update']);
    expect(dual.outputs['addresses']?.value).toEqual(['83.118.168.12', expect.stringMatching(/^2a05:1234::/u)]);
    expect(dual.outputs['address']?.value).toBe('83.118.168.12');
  });

  test('says after the time-out what was said of the Service meanwhile', async () => {
    const stack = await engine.stack(
      'foreign',
      withoutKubelet(() => {
        // a class that nobody serves
        const args = { ports: [{ port: 80 }], loadBalancerClass: 'nobody.example/lb', timeoutSeconds: 5 };
        new IpamService('foreign', args);
        return Promise.resolve({});
      }),
    );
    const tell = async (): Promise<void> => {
      const { client } = plane();
      const { metadata } = await client.objectWhen(`${SERVICES}/foreign`, () => true);
      // as the operator tells a Service that waits
      await client.request('POST', '/api/v1/namespaces/default/events', {
        apiVersion: 'v1',
        kind: 'Event',
        type: 'Warning',
        reason: 'NoAddress',
        message: 'zone "inet" is full',
        metadata: { name: 'foreign-waits', namespace: 'default' },
        involvedObject: { apiVersion: 'v1', kind: 'Service', name: 'foreign', namespace: 'default', uid: metadata.uid },
      });
    };
    await Promise.all([
      expect(stack.up()).rejects.toThrow(/NoAddress: zone "inet" is full.*timed out waiting for the condition/su),
      tell(),
    ]);
    await stack.destroy();
  });
});

describe('destroy', () => {
  test('leaves nothing', async () => {
    await (await engine.stack('shop', () => Promise.resolve({}))).destroy();
    await (await configured({})).destroy();
    const { client } = plane();
    await client.watchUntil(
      '/api/v1/namespaces',
      (all) => !all.some(({ metadata }) => metadata.name === 'ipam-system'),
    );

    for (const path of [
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      '/apis/metallb.io/v1beta1/ipaddresspools',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    ]) {
      const { items } = (await client.request('GET', path)) as unknown as { items: { metadata: { name: string } }[] };
      expect(
        items
          .map(({ metadata }) => metadata.name)
          .filter((name) => /ipam(?!\.[a-z]+\.io$)|vitistack|^inet$/u.test(name)),
      ).toEqual([]);
    }
  });
});
