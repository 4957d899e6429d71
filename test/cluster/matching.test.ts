import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB } from '../../operator/contract/group';
import { addressesReadByMetalLb } from '../../operator/contract/read-by-metallb';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import type { OwnProcess } from './support/own-process';
import { ServiceScene, type Wanted } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';

const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'open', prefixes: ['10.70.0.0/24'], quarantineSeconds: 1 },
  { name: 'closed', prefixes: ['10.70.1.0/24'], namespaces: { matchLabels: { tenant: 'b' } } },
];
/** A pool of the administrator's, which no zone has anything to do with. */
const ADMIN_POOL = {
  apiVersion: 'metallb.io/v1beta1',
  kind: 'IPAddressPool',
  metadata: { name: 'admin', namespace: 'metallb-system' },
  spec: { addresses: ['10.79.0.0/24'], autoAssign: true },
} as const;
const FINALIZER = 'example.com/held';
/** Each of the shortest keys that there are, up to what an object may have. */
const QUARTER_MIB = 256 * 1024 - 2_048;

let operator: RunningOperator;
let metallb: OwnProcess;
const plane = useControlPlane({
  programs: ['metallb-controller'],
  prepare: async (control) => {
    metallb = await startMetalLb(control);
    await applyInstallation(control, { zones: ZONES, certificates: 'self-managed' });
    await control.client.apply([ADMIN_POOL]);
    operator = await startOperator(control);
    await control.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }]);
    await control.client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b', labels: { tenant: 'b' } } },
    ]);
  },
});
const at = (namespace: string): ServiceScene => new ServiceScene({ plane, operator: () => operator, namespace });
const scene = at('a');

function manyAnnotations(): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  let size = 0;
  for (let i = 0; size < QUARTER_MIB; i++) {
    const key = i.toString(36);
    all[key] = '';
    size += key.length;
  }
  return all;
}

/** Makes a Service of another type that is being deleted and stays. */
async function dying(name: string, wanted: Wanted = {}): Promise<void> {
  const spec = { type: 'ClusterIP', ...wanted.spec };
  await scene.create(name, { ...wanted, spec, metadata: { finalizers: [FINALIZER], ...wanted.metadata } });
  await plane().client.request('DELETE', scene.path(name));
}

const isGone = (name: string): Promise<boolean> =>
  eventually(async () => (await plane().client.attempt('GET', scene.path(name))).status === 404);

describe('FU-03 what names a zone is ours without a default zone', () => {
  test.each<[string, Wanted, string]>([
    ['pool', { annotations: { [METALLB.pool]: 'open' } }, '10.70.0.'],
    ['old-pool', { annotations: { [METALLB.legacyPool]: 'open' } }, '10.70.0.'],
    ['address', { annotations: { [METALLB.addresses]: '10.70.0.33' } }, '10.70.0.33'],
    ['old-address', { annotations: { [METALLB.legacyAddresses]: '10.70.0.34' } }, '10.70.0.34'],
    ['in-spec', { spec: { loadBalancerIP: '10.70.0.35' } }, '10.70.0.35'],
  ])('by %s', async (name, wanted, address) => {
    await scene.create(name, wanted);
    const object = await scene.ready(name);

    expect(ingressOf(object).join()).toContain(address);
    expect(object.metadata.annotations?.[IPAM.zone]).toBe('open');
    await scene.remove(name);
  });

  test.each<[string, Wanted]>([
    ['pool', { annotations: { [METALLB.pool]: 'closed' } }],
    ['address', { annotations: { [METALLB.addresses]: '10.70.1.5' } }],
    ['old-address', { annotations: { [METALLB.legacyAddresses]: '10.70.1.5' } }],
    ['in-spec', { spec: { loadBalancerIP: '10.70.1.5' } }],
  ])('so a closed zone is refused by %s', async (name, wanted) => {
    await expect(scene.create(`closed-${name}`, wanted)).rejects.toThrow('zone "closed" is not open to namespace "a"');
  });

  test('so an address that another namespace holds is refused', async () => {
    await at('b').create('holder', { annotations: { [IPAM.addresses]: '10.70.0.50', [IPAM.zone]: 'open' } });
    await at('b').ready('holder');

    await expect(scene.create('thief', { annotations: { [METALLB.addresses]: '10.70.0.50' } })).rejects.toThrow(
      '10.70.0.50',
    );
    await at('b').remove('holder');
  });

  test("and what names the administrator's own pool is left alone", async () => {
    await scene.create('own-pool', { annotations: { [METALLB.pool]: 'admin', [METALLB.addresses]: '10.79.0.9' } });
    const object = await scene.when('own-pool', (each) => ingressOf(each).length > 0);

    expect(conditionOf(object)).toBeUndefined();
    expect(Object.keys(object.metadata.annotations ?? {}).filter((key) => key.startsWith('ipam.'))).toEqual([]);
  });
});

describe('an address in a text that MetalLB cannot read', () => {
  test.each([
    ['with-comma', '10.70.0.90', '10.70.0.90,'],
    ['with-length', '10.70.0.91', '10.70.0.91/32'],
  ])('reaches MetalLB all the same: %s', async (name, address, text) => {
    await scene.create(name, { annotations: { [IPAM.zone]: 'open', [METALLB.addresses]: text } });
    expect(ingressOf(await scene.shows(name, address))).toEqual([address]);
  });
});

describe("MetalLB's own reading of its keys, in a namespace that the webhooks leave out", () => {
  const ADMIN = { [METALLB.pool]: ADMIN_POOL.metadata.name };
  const OLDER = { [METALLB.legacyAddresses]: '10.79.0.201' };
  const CHOSEN = /^10\.79\.0\.(?!20)/u;
  const outside = at('kube-public');

  test.each<[string, Wanted, RegExp, readonly string[]]>([
    ['hidden-by-empty', { annotations: { ...ADMIN, ...OLDER, [METALLB.addresses]: '' } }, CHOSEN, []],
    ['pool-hidden-by-empty', { annotations: { [METALLB.pool]: '', [METALLB.legacyPool]: 'nothing' } }, CHOSEN, []],
    ['older-key', { annotations: { ...ADMIN, ...OLDER } }, /^10\.79\.0\.201$/u, ['10.79.0.201']],
    [
      'spec-beside-empty',
      { annotations: { ...ADMIN, [METALLB.addresses]: '' }, spec: { loadBalancerIP: '10.79.0.202' } },
      /^10\.79\.0\.202$/u,
      ['10.79.0.202'],
    ],
  ])('is what we take it for: %s', async (name, wanted, ...[address, read]) => {
    await outside.create(name, wanted);
    const served = await outside.when(name, (each) => ingressOf(each).length > 0);
    expect(ingressOf(served)).toEqual([expect.stringMatching(address)]);
    const { annotations = {}, spec } = wanted;
    expect(addressesReadByMetalLb({ annotations, ...spec }).map(String)).toEqual(read);
  });
});

describe('FU-01 a dying Service', () => {
  const annotations = { [METALLB.addresses]: '10.70.1.9', [METALLB.pool]: 'closed' };

  test.each<[string, unknown]>([
    ['keys-of-metallb', { metadata: { annotations }, spec: { type: 'LoadBalancer' } }],
    ['address-in-spec', { spec: { type: 'LoadBalancer', loadBalancerIP: '10.70.1.9' } }],
    ['keys-of-ours', { metadata: { annotations: { [IPAM.zone]: 'open' } }, spec: { type: 'LoadBalancer' } }],
  ])('is refused an address that it newly asks for by %s', async (name, change) => {
    await dying(name);
    await expect(scene.patch(name, change)).rejects.toThrow('the Service is being deleted');
    expect((await scene.get(name)).spec?.['type']).toBe('ClusterIP');
    await scene.patch(name, { metadata: { finalizers: null } });
    await isGone(name);
  });

  test('is refused another address, and keeps the one that it has until it is gone', async () => {
    const named = { [IPAM.zone]: 'open', [IPAM.addresses]: '10.70.0.60' };
    await scene.create('served', { annotations: named, metadata: { finalizers: [FINALIZER] } });
    await scene.ready('served');
    await plane().client.request('DELETE', scene.path('served'));

    for (const key of [METALLB.addresses, METALLB.legacyAddresses, IPAM.addresses])
      await expect(scene.annotate('served', { [key]: '10.70.0.61' })).rejects.toThrow('is being deleted');
    await scene.create('next', { annotations: named });
    expect(ingressOf(await scene.waits('next', 'AddressInUse'))).toEqual([]);
    expect(ingressOf(await scene.get('served'))).toEqual(['10.70.0.60']);
    await scene.patch('served', { metadata: { finalizers: null } });
    await isGone('served');
    await scene.shows('next', '10.70.0.60');
  });

  test('that waits beside no pool cannot be let in by taking the pool away', async () => {
    const holder = { annotations: { [METALLB.addresses]: '10.70.0.70' } };
    await scene.create('first', holder);
    await scene.ready('first');
    await dying('parked', { annotations: { [METALLB.addresses]: '10.70.0.71', [METALLB.pool]: 'nothing' } });
    const change = { metadata: { annotations: { [METALLB.pool]: null } }, spec: { type: 'LoadBalancer' } };
    await expect(scene.patch('parked', change)).rejects.toThrow('is being deleted');
    await scene.patch('parked', { metadata: { finalizers: null } });
    await scene.remove('first');
  });
});

describe('FU-01 a dying Service that MetalLB has not served yet', () => {
  beforeAll(() => {
    metallb.kill('SIGSTOP');
  });
  afterAll(() => {
    metallb.kill('SIGCONT');
  });

  test('cannot leave the choice of its address to MetalLB', async () => {
    const named = { [IPAM.zone]: 'open', [IPAM.addresses]: '10.70.0.80' };
    await scene.create('unserved', { annotations: named, metadata: { finalizers: [FINALIZER] } });
    await plane().client.request('DELETE', scene.path('unserved'));

    await expect(scene.annotate('unserved', { [METALLB.addresses]: null })).rejects.toThrow('is being deleted');
    const { annotations } = (await scene.get('unserved')).metadata;
    expect(annotations).toMatchObject({ [METALLB.addresses]: '10.70.0.80', [METALLB.pool]: 'open' });
    await scene.patch('unserved', { metadata: { finalizers: null } });
    expect(await isGone('unserved')).toBe(true);
  });
});

describe('the webhooks while the operator is gone, without a default zone', () => {
  beforeAll(async () => {
    await scene.create('stays', { annotations: { [IPAM.zone]: 'open' }, metadata: { finalizers: [FINALIZER] } });
    await scene.create('crowded', { metadata: { finalizers: [FINALIZER] }, annotations: manyAnnotations() });
    await scene.ready('stays');
    await scene.create('leaves', { annotations: { [IPAM.zone]: 'open' } });
    await scene.ready('leaves');
    await operator.kill('SIGKILL');
  });
  afterAll(() => operator.restart());

  test.each<[string, Wanted]>([
    ['plain', {}],
    ['by-admin-pool', { spec: { externalTrafficPolicy: 'Local' }, annotations: { 'metallb.io/other': 'x' } }],
    ['of-another-class', { spec: { loadBalancerClass: 'example.com/x' }, annotations: { [METALLB.pool]: 'open' } }],
    ['many', { annotations: manyAnnotations() }],
  ])('do not stand in the way of a Service that wants nothing of us: %s', async (name, wanted) => {
    await scene.create(`free-${name}`, wanted);
    await scene.patch(`free-${name}`, { spec: { ports: [{ port: 81 }] } });
    expect((await scene.get(`free-${name}`)).spec?.['ports']?.[0]?.['port']).toBe(81);
    await scene.remove(`free-${name}`);
  });

  test.each<[string, Wanted]>([
    ['zone', { annotations: { [IPAM.zone]: 'open' } }],
    ['misspelt', { annotations: { 'ipam.vitistack.io/zoen': 'open' } }],
    ['pool', { annotations: { [METALLB.legacyPool]: 'open' } }],
    ['in-spec', { spec: { loadBalancerIP: '10.70.0.99' } }],
  ])('refuse one that asks by %s', async (name, wanted) => {
    await expect(scene.create(`asks-${name}`, wanted)).rejects.toThrow('failed calling webhook');
  });

  test('refuse a served one that is stripped of its keys, and let it leave the type', async () => {
    const annotations = Object.fromEntries(
      [...Object.values(IPAM), ...Object.values(METALLB)].map((key) => [key, null]),
    );
    await expect(scene.patch('leaves', { metadata: { annotations } })).rejects.toThrow('failed calling webhook');
    await scene.patch('leaves', { spec: { type: 'ClusterIP' } });
    await scene.remove('leaves');
  });

  test('FU-01 never stand in the way of a deletion, finalizers and 256 KiB of annotations included', async () => {
    for (const name of ['stays', 'crowded']) {
      await plane().client.request('DELETE', scene.path(name));
      await expect(scene.annotate(name, { [METALLB.addresses]: '10.70.0.99' })).rejects.toThrow(
        'failed calling webhook',
      );
      await scene.annotate(name, { 'example.com/note': 'dying' });
      await scene.patch(name, { metadata: { finalizers: null } });
      await isGone(name);
    }
  });

  test('FU-01 let a finalizer be taken off by a PUT that leaves out what the server restores', async () => {
    const wanted = { spec: { type: 'LoadBalancer', ipFamilyPolicy: 'SingleStack' }, annotations: manyAnnotations() };
    await scene.create('replaced', { ...wanted, metadata: { finalizers: [FINALIZER] } });
    await plane().client.request('DELETE', scene.path('replaced'));
    await plane().client.request(
      'PUT',
      scene.path('replaced'),
      scene.manifest('replaced', { annotations: manyAnnotations() }),
    );
    expect(await isGone('replaced')).toBe(true);
  });
});
