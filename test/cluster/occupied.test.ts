import type { IpamOperatorProps } from '../../constructs';
import { POOL_WITHDRAW } from '../../operator/contract/address-pool';
import { IPAM, METALLB } from '../../operator/contract/group';
import { deleteKept } from './support/delete-kept';
import { eventually, shortestMs } from './support/eventually';
import { conditionOf, ingressOf } from './support/services';
import { letUnseenPass, UNSEEN } from './support/unseen';
import { useInstallation } from './support/use-installation';

const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'nodes', prefixes: ['10.86.0.0/24'], quarantineSeconds: 1, edgeAddresses: 'use' },
  { name: 'neighbours', prefixes: ['10.86.1.0/24'], quarantineSeconds: 1, edgeAddresses: 'use' },
  { name: 'classes', prefixes: ['10.86.2.0/24'], quarantineSeconds: 1, edgeAddresses: 'use' },
  { name: 'full', prefixes: ['10.86.3.0/32'], quarantineSeconds: 1, edgeAddresses: 'use' },
  { name: 'late', prefixes: ['10.86.4.0/24'], quarantineSeconds: 1, edgeAddresses: 'use' },
  { name: 'external', prefixes: ['10.86.5.0/30'], quarantineSeconds: 1, edgeAddresses: 'use' },
  { name: 'quiet', prefixes: ['10.86.6.0/24'], quarantineSeconds: 1, edgeAddresses: 'use' },
  { name: 'again', prefixes: ['10.86.7.0/24'], quarantineSeconds: 1, edgeAddresses: 'use' },
];
/** Left out always, so its Services never reach us. */
const EXCLUDED = 'kube-public';
const CLASS = 'example.com/lb';

const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: { zones: ZONES, services: { occupiedClasses: [CLASS] } },
  prepare: async (control) => {
    await control.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: EXCLUDED } }]);
    await scene.open(control);
    await neighbours.open(control);
  },
});
const scene = sceneIn('team');
const neighbours = sceneIn(EXCLUDED);

async function addNode(name: string, address: string): Promise<void> {
  const { client } = plane();
  await client.apply([{ apiVersion: 'v1', kind: 'Node', metadata: { name } }]);
  const status = { status: { addresses: [{ type: 'InternalIP', address }] } };
  await client.request('PATCH', `/api/v1/nodes/${name}/status`, status, 'merge');
}

const inZone = (zone: string, more: Readonly<Record<string, string>> = {}) => ({
  annotations: { [IPAM.zone]: zone, ...more },
});
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nobody refused',
    (thrown: unknown) => String(thrown),
  );

/** Waits until the operator counts so many addresses in use in a zone. */
async function counted(zone: string, count: number): Promise<void> {
  await eventually(async () => {
    const wanted = `ipam_zone_addresses{zone="${zone}",family="ipv4",state="foreign"} ${count}`;
    const text = await operator().metrics();
    if (!text.includes(wanted)) throw new TypeError(`not yet: ${wanted}`);
    return true;
  });
}

test('FU-02: the address of a Node is not given out, refused by name, and free when the Node goes', async () => {
  await addNode('worker-1', '10.86.0.0');
  await counted('nodes', 1);
  await scene.create('first', inZone('nodes'));
  await scene.shows('first', '10.86.0.1');
  const denied = await refusal(scene.create('wish', inZone('nodes', { [IPAM.addresses]: '10.86.0.0' })));
  expect(denied).toContain('is in use by Node/worker-1 of cluster');
  await plane().client.request('DELETE', '/api/v1/nodes/worker-1');
  await counted('nodes', 0);
  await scene.create('wish', inZone('nodes', { [IPAM.addresses]: '10.86.0.0' }));
  await scene.shows('wish', '10.86.0.0');
});

test('FU-02: the address behind default/kubernetes is not given out', async () => {
  const labels = { 'kubernetes.io/service-name': 'kubernetes' };
  await plane().client.request('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: 'kubernetes', labels },
    endpoints: [{ addresses: ['10.86.0.200'] }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
  await counted('nodes', 1);
  const wish = inZone('nodes', { [IPAM.addresses]: '10.86.0.200' });
  expect(await refusal(scene.create('master', wish))).toContain('is in use by kubernetes API server of cluster');
});

test('FU-02: what MetalLB gave to a Service of an excluded namespace is not given out again', async () => {
  const annotations = { [METALLB.pool]: 'neighbours', [METALLB.addresses]: '10.86.1.0' };
  await neighbours.create('db', { annotations });
  await neighbours.when('db', (object) => ingressOf(object).length > 0);
  await counted('neighbours', 1);
  await scene.create('beside', inZone('neighbours'));
  await scene.shows('beside', '10.86.1.1');
  const wish = inZone('neighbours', { [IPAM.addresses]: '10.86.1.0' });
  expect(await refusal(scene.create('theirs', wish))).toContain(`is in use by Service/${EXCLUDED}/db of cluster`);
  await neighbours.remove('db');
  await counted('neighbours', 0);
  await scene.create('theirs', wish);
  await scene.shows('theirs', '10.86.1.0');
});

test('FU-02: an ingress counts only where an announcer serves the class', async () => {
  const { client } = plane();
  const show = async (name: string, loadBalancerClass: string, ip: string): Promise<void> => {
    await neighbours.create(name, { spec: { loadBalancerClass } });
    const status = { status: { loadBalancer: { ingress: [{ ip }] } } };
    await client.request('PATCH', `${neighbours.path(name)}/status`, status, 'merge');
  };
  await show('forged', 'example.com/none', '10.86.2.0');
  await show('other', CLASS, '10.86.2.1');
  await counted('classes', 1);
  await scene.create('one', inZone('classes'));
  await scene.shows('one', '10.86.2.0');
  await scene.create('two', inZone('classes'));
  expect(ingressOf(await scene.shows('two', '10.86.2.2'))).toEqual(['10.86.2.2']);
});

test('FU-02: who waits is served within a second after what showed the address is gone', async () => {
  await letUnseenPass(plane());
  const tookMs = await shortestMs(3_000, async (round) => {
    const waiter = `waiter-${String(round)}`;
    await addNode('worker-3', '10.86.3.0');
    await counted('full', 1);
    await scene.create(waiter, { ...inZone('full'), labels: UNSEEN });
    await scene.waits(waiter, 'PoolExhausted');
    await plane().client.request('DELETE', '/api/v1/nodes/worker-3');
    const goneMs = performance.now();
    await scene.when(waiter, (object) => object.metadata.annotations?.[METALLB.addresses] === '10.86.3.0');
    const took = performance.now() - goneMs;
    await scene.remove(waiter);
    return took;
  });
  expect(tookMs).toBeLessThan(3_000);
});

test('FU-02: a claim that was never announced leaves an address that something else shows; an announced one stays', async () => {
  await scene.create('loud', inZone('late'));
  await scene.shows('loud', '10.86.4.0');
  await addNode('worker-4', '10.86.4.0');
  // without its pool MetalLB announces nothing of a zone
  await deleteKept(plane().client, '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/quiet');
  await scene.create('quiet', inZone('quiet'));
  await scene.when('quiet', (object) => object.metadata.annotations?.[METALLB.addresses] === '10.86.6.0');
  await scene.create('wished', inZone('quiet', { [IPAM.addresses]: '10.86.6.9' }));
  await scene.when('wished', (object) => object.metadata.annotations?.[METALLB.addresses] === '10.86.6.9');
  await addNode('worker-5', '10.86.6.0');
  await addNode('worker-6', '10.86.6.9');
  await scene.when('quiet', (object) => object.metadata.annotations?.[METALLB.addresses] === '10.86.6.1');
  const waiting = await scene.when('wished', (object) => conditionOf(object)?.status === 'False');
  expect(conditionOf(waiting)?.message).toContain('is in use by Node/worker-6 of cluster');
  const events = await scene.kubectl(
    'get',
    'events',
    '-o',
    'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
  );
  expect(events).toContain('AddressInUse address "10.86.6.0" was given up before it was announced');
  expect(ingressOf(await scene.get('loud'))).toEqual(['10.86.4.0']);
  expect(conditionOf(await scene.get('loud'))?.status).toBe('True');
});

test('FU-02: what a Service showed once stays with it, also after a restart while nothing shows it and a Node has it', async () => {
  await scene.create('once', inZone('again'));
  const shown = ingressOf(await scene.ready('once'))[0] ?? '';
  const pool = '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/again';
  const { client } = plane();
  await client.request('PATCH', pool, { metadata: { annotations: { [POOL_WITHDRAW]: '10.86.7.0/24' } } }, 'merge');
  await client.request('DELETE', pool);
  const isLost = (object: Parameters<typeof conditionOf>[0]) =>
    conditionOf(object)?.message.includes(`does not show "${shown}" any more`) === true;
  await scene.when('once', isLost);
  const occupied = async (): Promise<number> =>
    Number(/^ipam_occupied_addresses\{weight="occupied"\} (\d+)/mu.exec(await operator().metrics())?.[1] ?? Number.NaN);
  const before = await eventually(async () => (Number.isNaN(await occupied()) ? false : { count: await occupied() }));
  await operator().kill('SIGKILL');
  await operator().restart();
  await eventually(async () => (await occupied()) === before.count);
  await addNode('worker-7', shown);
  await eventually(async () => (await occupied()) === before.count + 1);
  // the record is looked at for claims that are met a moment after that
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const after = await scene.get('once');
  expect(after.metadata.annotations?.[METALLB.addresses]).toBe(shown);
  expect(conditionOf(after)?.status).toBe('Unknown');
});

test('FU-02: spec.externalIPs are given out last, and may be wished for', async () => {
  await scene.create('claims', { spec: { type: 'ClusterIP', externalIPs: ['10.86.5.0', '10.86.5.1', '192.0.2.9'] } });
  await eventually(async () => {
    const text = await operator().metrics();
    if (!text.includes('ipam_occupied_addresses{weight="avoided"} 2')) throw new TypeError('not yet');
    return true;
  });
  for (const [name, address] of [
    ['e1', '10.86.5.2'],
    ['e2', '10.86.5.3'],
    ['e3', '10.86.5.0'],
    ['e4', '10.86.5.1'],
  ] as const) {
    await scene.create(name, inZone('external'));
    expect(ingressOf(await scene.shows(name, address))).toEqual([address]);
  }
});

test('FU-02: a LoadBalancer is refused spec.externalIPs that another Service holds, and other types are not asked', async () => {
  await scene.create('owner', inZone('neighbours', { [IPAM.addresses]: '10.86.1.77' }));
  await scene.shows('owner', '10.86.1.77');
  const spec = { externalIPs: ['10.86.1.77'] };
  const denied = await refusal(scene.create('thief', { ...inZone('neighbours'), spec }));
  expect(denied).toContain('spec.externalIPs names address "10.86.1.77", which is held by "team/owner"');
  await scene.create('plain', { spec: { ...spec, type: 'ClusterIP' } });
  await scene.create('late', inZone('neighbours'));
  expect(await refusal(scene.patch('late', { spec }))).toContain('is held by "team/owner"');
});
