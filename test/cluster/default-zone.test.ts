import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB } from '../../operator/contract/group';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene, type Wanted } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'usual', prefixes: ['10.71.0.0/24', 'fd00:71::/112'], quarantineSeconds: 0 },
  { name: 'other', prefixes: ['10.71.1.0/24'], quarantineSeconds: 0 },
];
/** A pool of the administrator's, from which MetalLB gives to whatever names none. */
const ADMIN_POOL = {
  apiVersion: 'metallb.io/v1beta1',
  kind: 'IPAddressPool',
  metadata: { name: 'admin', namespace: 'metallb-system' },
  spec: { addresses: ['10.79.0.0/24'], autoAssign: true },
} as const;
const BEFORE = ['one', 'two', 'three'];
const props = { zones: ZONES, certificates: 'self-managed' } as const;

let operator: RunningOperator;
const plane = useControlPlane({
  families: 'dual',
  programs: ['metallb-controller'],
  prepare: async (control) => {
    await startMetalLb(control);
    await applyInstallation(control, props);
    await control.client.apply([ADMIN_POOL]);
    operator = await startOperator(control);
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });
const shown = async (name: string): Promise<string> => ingressOf(await scene.get(name)).join();

async function announcedBy(prefix: string, name: string): Promise<string> {
  const object = await scene.when(name, (each) => ingressOf(each).join().startsWith(prefix));
  return ingressOf(object).join();
}

beforeAll(async () => {
  await scene.open();
  for (const name of BEFORE) await scene.create(name);
  for (const name of BEFORE) await announcedBy('10.79.0.', name);
  await applyInstallation(plane(), { ...props, services: { defaultZone: 'usual' } });
  // the ConfigMap is followed, and the new conditions are in force once a Service that asks for nothing is served
  await eventually(async () => {
    await scene.create('first-of-all');
    const isServed = (await scene.get('first-of-all')).metadata.annotations?.[IPAM.zone] === 'usual';
    await scene.remove('first-of-all');
    return isServed;
  });
});

describe('a new default zone', () => {
  test('FU-67 moves no Service that another pool serves, whatever changes beside its spec', async () => {
    const before = await Promise.all(BEFORE.map(shown));
    await operator.restart();
    await scene.annotate('one', { 'example.com/note': 'changed' });
    await scene.patch('two', { metadata: { labels: { a: 'b' } } });
    await scene.kubectlFile('replace', scene.manifest('three'));
    await scene.create('served');
    await scene.ready('served');

    expect(await Promise.all(BEFORE.map(shown))).toEqual(before);
    for (const name of BEFORE) {
      const object = await scene.get(name);
      expect(conditionOf(object)).toBeUndefined();
      expect(Object.keys(object.metadata.annotations ?? {}).filter((key) => key.startsWith('ipam.'))).toEqual([]);
    }
  });

  test('FU-67 serves such a Service once its spec changes', async () => {
    await scene.patch('one', { spec: { ports: [{ port: 81 }] } });
    expect(await announcedBy('10.71.0.', 'one')).not.toBe('');
    await scene.ready('one');
  });
});

describe('FU-68 an opt-out', () => {
  const optOut = { [IPAM.optOut]: 'true' };

  test('keeps a new Service for the pool of the administrator', async () => {
    await scene.create('opted', { annotations: { ...optOut, [METALLB.pool]: 'admin' } });
    await announcedBy('10.79.0.', 'opted');
    expect(conditionOf(await scene.get('opted'))).toBeUndefined();
  });

  test.each<[string, Wanted]>([
    ['pool', { annotations: { ...optOut, [METALLB.pool]: 'usual' } }],
    ['address', { annotations: { ...optOut, [METALLB.addresses]: '10.71.0.9' } }],
    ['in-spec', { annotations: optOut, spec: { loadBalancerIP: '10.71.0.9' } }],
  ])('is refused beside %s of a zone', async (name, wanted) => {
    await expect(scene.create(`both-${name}`, wanted)).rejects.toThrow(IPAM.optOut);
  });

  test('ends the claim of a served Service only when its address is shown no longer', async () => {
    await scene.create('leaving');
    const held = ingressOf(await scene.ready('leaving')).join();
    const wish = { annotations: { [METALLB.addresses]: held } };
    await scene.annotate('leaving', optOut);
    await scene.when('leaving', (object) => conditionOf(object) === undefined);

    expect(await shown('leaving')).toBe(held);
    expect(
      Object.keys((await scene.get('leaving')).metadata.annotations ?? {}).filter((key) => key.startsWith('ipam.')),
    ).toEqual([IPAM.optOut]);
    await operator.restart();
    await scene.create('greedy', wish);
    expect(ingressOf(await scene.waits('greedy', 'AddressInUse'))).toEqual([]);
    await scene.annotate('leaving', { [METALLB.pool]: 'admin' });
    await announcedBy('10.79.0.', 'leaving');
    await scene.shows('greedy', held);
    expect(ingressOf(await scene.get('greedy'))).toEqual([held]);
  });
});

describe('FU-10 an address is steered as often as its user likes', () => {
  const pools = [1, 2, 3, 4].map((i) => `10.71.0.${String(100 + i)}`);

  const annotated =
    (key: string) =>
    (address: string): Wanted => ({ annotations: { [key]: address } });
  test.each<[string, (address: string) => Wanted]>([
    ['key-of-metallb', annotated(METALLB.addresses)],
    ['older-key', annotated(METALLB.legacyAddresses)],
    ['spec', (address) => ({ spec: { loadBalancerIP: address } })],
  ])('by %s', async (name, wanted) => {
    const [first = '', ...others] = pools;
    await scene.create(`by-${name}`, wanted(first));
    await scene.shows(`by-${name}`, first);
    for (const address of [...others, first, ...others]) {
      const { annotations, spec } = wanted(address);
      await scene.patch(`by-${name}`, { metadata: { annotations }, spec });
      const object = await scene.shows(`by-${name}`, address);
      expect(object.metadata.annotations?.[IPAM.addresses]).toBe(address);
    }
    await scene.remove(`by-${name}`);
    await eventually(async () => (await plane().client.attempt('GET', scene.path(`by-${name}`))).status === 404);
  });

  test.each<[string, Wanted]>([
    ['pair', { annotations: { [METALLB.addresses]: '10.71.0.180' }, spec: { loadBalancerIP: '10.71.0.180' } }],
    [
      'older-pair',
      { annotations: { [METALLB.legacyAddresses]: '10.71.0.180' }, spec: { loadBalancerIP: '10.71.0.180' } },
    ],
    ['length', { spec: { loadBalancerIP: '10.71.0.180/32' } }],
  ])('is told of a wish that MetalLB never serves: %s', async (name, wanted) => {
    await expect(scene.create(`unread-${name}`, wanted)).rejects.toThrow('MetalLB');
    await scene.create(`unread-${name}`, { spec: { loadBalancerIP: '10.71.0.180' } });
    await scene.shows(`unread-${name}`, '10.71.0.180');
    await expect(
      scene.patch(`unread-${name}`, { metadata: { annotations: wanted.annotations }, spec: wanted.spec }),
    ).rejects.toThrow('MetalLB');
    expect(ingressOf(await scene.get(`unread-${name}`))).toEqual(['10.71.0.180']);
    await scene.remove(`unread-${name}`);
    await eventually(async () => (await plane().client.attempt('GET', scene.path(`unread-${name}`))).status === 404);
  });

  test('by the pool of another zone', async () => {
    const before = { usual: await scene.held('usual'), other: await scene.held('other') };
    await scene.create('by-pool', { annotations: { [METALLB.pool]: 'other' } });
    await announcedBy('10.71.1.', 'by-pool');
    for (const [zone, prefix] of [
      ['usual', '10.71.0.'],
      ['other', '10.71.1.'],
      ['usual', '10.71.0.'],
    ] as const) {
      await scene.ready('by-pool');
      // the address that it left last is given up a moment after the new one is told
      await eventually(async () => (await scene.held(zone)) <= before[zone]);
      await scene.annotate('by-pool', { [METALLB.pool]: zone });
      await announcedBy(prefix, 'by-pool');
      expect((await scene.ready('by-pool')).metadata.annotations?.[IPAM.zone]).toBe(zone);
    }
  });
});

describe('FU-100 a wish by a key of MetalLB that is given up', () => {
  const REFUSED = 'example.com/refused';
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'refuses' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['services'] }],
      },
      validations: [{ expression: `!('${REFUSED}' in object.metadata.?annotations.orValue({}))` }],
    },
  } as const;
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'refuses' },
    spec: { policyName: 'refuses', validationActions: ['Deny'] },
  } as const;
  const wish = { [IPAM.zone]: 'usual', [METALLB.addresses]: '10.71.0.190' };
  const away = { [METALLB.addresses]: null as unknown as string };

  test('stays a wish where a rule behind our webhook refuses the UPDATE', async () => {
    await scene.create('given-up', { annotations: wish });
    await scene.shows('given-up', '10.71.0.190');
    await scene.ready('given-up');
    await plane().client.apply([policy, binding]);
    const isRefused = (name: string, keys: Record<string, string> = {}) =>
      scene.annotate(name, { ...keys, [REFUSED]: String(Math.random()) }).then(
        () => false,
        () => true,
      );
    await scene.create('probe');
    await eventually(() => isRefused('probe'));
    expect(await isRefused('given-up', away)).toBe(true);
    await expect(scene.annotate('given-up', { [IPAM.zone]: 'other' })).rejects.toThrow('10.71.0.190');
    expect(await shown('given-up')).toBe('10.71.0.190');
  });

  test('is a result once it is stored, so that the zone alone moves the Service', async () => {
    await scene.annotate('given-up', away);
    await scene.when('given-up', ({ metadata }) => metadata.annotations?.[IPAM.reservation] === undefined);
    expect((await scene.get('given-up')).metadata.annotations?.[METALLB.addresses]).toBe('10.71.0.190');
    await scene.annotate('given-up', { [IPAM.zone]: 'other' });
    await announcedBy('10.71.1.', 'given-up');
  });
});

describe('FU-11 one manifest gets one answer', () => {
  test('however often it is applied, and no key of its user is rewritten', async () => {
    const annotations = { [IPAM.ipFamily]: 'ipv4' };
    await scene.create('same', { annotations, spec: { ipFamilyPolicy: 'SingleStack' } });
    const address = ingressOf(await scene.ready('same')).join();
    const changed = scene.manifest('same', { annotations, spec: { ipFamilyPolicy: 'PreferDualStack' } });
    for (let i = 0; i < 3; i++) {
      await expect(scene.kubectlFile('apply', changed, '--server-side', '--force-conflicts')).rejects.toThrow(
        IPAM.ipFamily,
      );
      const object = await scene.get('same');
      expect(object.metadata.annotations?.[IPAM.ipFamily]).toBe('ipv4');
      expect(ingressOf(object).join()).toBe(address);
    }
    await expect(
      scene.create('same-new', { annotations, spec: { ipFamilyPolicy: 'PreferDualStack' } }),
    ).rejects.toThrow(IPAM.ipFamily);
  });

  test('PreferDualStack beside a zone of one family says how to have that family', async () => {
    const wanted = { annotations: { [IPAM.zone]: 'other' }, spec: { ipFamilyPolicy: 'PreferDualStack' } };
    await expect(scene.create('prefers', wanted)).rejects.toThrow(
      'set spec.ipFamilyPolicy: SingleStack and spec.ipFamilies: [IPv4]',
    );
    await scene.create('prefers', { ...wanted, spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] } });
    await announcedBy('10.71.1.', 'prefers');
    await expect(scene.patch('prefers', { spec: { ipFamilyPolicy: 'PreferDualStack' } })).rejects.toThrow(
      'SingleStack',
    );
  });
});
