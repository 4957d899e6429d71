import { IPAM, METALLB, WAITING_POOL } from '../../operator/contract/group';
import type { IpamOperatorProps } from '../../constructs';
import type { KubeObject } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { conditionOf, ingressOf, isReady, unhurried } from './support/services';
import { letUnseenPass, UNSEEN } from './support/unseen';
import { useControlPlane } from './support/use-control-plane';

/** One zone for each test, so that none depends on another. */
const NAMES = [
  'flips',
  'moves',
  'dual',
  'unnamed',
  'stripped',
  'fought',
  'missed',
  'gone',
  'many',
  'killed',
  'dying',
  'old',
];
const ZONES: NonNullable<IpamOperatorProps['zones']> = [
  ...NAMES.map((name, i) => ({
    name,
    prefixes: [`10.80.${String(i)}.0/24`, `fd00:80:${String(i)}::/112`],
    quarantineSeconds: 1,
  })),
  { name: 'full', prefixes: ['10.81.0.0/32'], quarantineSeconds: 1 },
  { name: 'tenant-b', prefixes: ['10.0.10.24/29'], namespaces: { matchLabels: { tenant: 'b' } } },
  { name: 'tries', prefixes: ['10.82.0.0/24'] },
];
/** Note of MetalLB for itself, which it takes away when it hears of the change. */
const OF_METALLB = 'metallb.io/ip-allocated-from-pool';
let operator: RunningOperator;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await applyInstallation(control, { zones: ZONES });
    await letUnseenPass(control);
    operator = await startOperator(control, { args: { 'reservation-lease': '30' } });
    await control.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }]);
  },
});

interface Wanted {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const pathOf = (name: string, namespace = 'a'): string => `/api/v1/namespaces/${namespace}/services/${name}`;

function manifest(name: string, { annotations = {}, labels = {}, spec = {}, metadata = {} }: Wanted) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, annotations, labels, ...metadata },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
  };
}

async function create(name: string, zone: string, wanted: Wanted = {}): Promise<void> {
  const { namespace = 'a' } = wanted;
  const annotations = { [IPAM.zone]: zone, ...wanted.annotations };
  const body = manifest(name, { ...wanted, annotations });
  await plane().client.request('POST', `/api/v1/namespaces/${namespace}/services`, body);
}

function patch(name: string, change: unknown, namespace = 'a'): Promise<KubeObject> {
  return plane().client.request('PATCH', pathOf(name, namespace), change, 'merge');
}

const when = (name: string, predicate: (object: KubeObject) => boolean, namespace = 'a'): Promise<KubeObject> =>
  plane().client.objectWhen(pathOf(name, namespace), predicate);

const ready = (name: string, namespace = 'a'): Promise<KubeObject> => when(name, isReady, namespace);

const shows = (name: string, ...addresses: string[]): Promise<KubeObject> =>
  when(name, (object) => isReady(object) && ingressOf(object).join() === addresses.join());

async function held(zone: string): Promise<number> {
  const lines = (await operator.metrics()).split('\n');
  const ours = lines.filter((line) => line.startsWith('ipam_zone_addresses{') && line.includes(`zone="${zone}"`));
  return ours
    .filter((line) => line.includes('state="held"'))
    .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
}

const holds = (zone: string, count: number, timeoutMs?: number): Promise<boolean> =>
  eventually(async () => (await held(zone)) === count, timeoutMs);

describe('a stored Service', () => {
  test('SVC-01 is released when it leaves the type, keeps what is not ours, and begins anew on the way back', async () => {
    await create('flips', 'flips', { annotations: { team: 'x' } });
    await ready('flips');
    await patch('flips', { spec: { type: 'ClusterIP' } });
    const left = await when(
      'flips',
      (object) => conditionOf(object) === undefined && object.metadata.annotations?.[OF_METALLB] === undefined,
    );
    await holds('flips', 0);
    expect(left.metadata.annotations).toEqual({ team: 'x', [IPAM.zone]: 'flips' });
    await patch('flips', { spec: { type: 'LoadBalancer' } });
    await ready('flips');
    expect(await held('flips')).toBe(1);
  });

  test('SVC-06 moves for nobody but its own wish, and never without an address', async () => {
    await create('s1', 'moves');
    await create('s2', 'moves');
    await create('s3', 'moves');
    for (const [i, name] of ['s1', 's2', 's3'].entries()) await shows(name, `10.80.1.${String(i)}`);
    await plane().client.request('DELETE', pathOf('s1'));
    await operator.restart();
    await shows('s2', '10.80.1.1');
    await shows('s3', '10.80.1.2');
    await patch('s3', { metadata: { annotations: { [IPAM.addresses]: '10.80.1.7' } } });
    await shows('s3', '10.80.1.7');
    await holds('moves', 2);
    await patch('s3', { metadata: { annotations: { [IPAM.addresses]: '10.80.1.1' } } });
    const waiting = await when('s3', (object) => conditionOf(object)?.reason === 'AddressInUse');
    expect(conditionOf(waiting)?.message).toContain('"a/s2"');
    expect(ingressOf(waiting)).toEqual(['10.80.1.7']);
    expect(waiting.metadata.annotations).toMatchObject({ [METALLB.pool]: 'moves', [METALLB.addresses]: '10.80.1.7' });
    await shows('s2', '10.80.1.1');
    await patch('s3', { metadata: { annotations: { [IPAM.addresses]: '10.80.1.7' } } });
    await shows('s3', '10.80.1.7');
    await holds('moves', 2);
  });

  test('of two families has an address of each, and one after it became single', async () => {
    await create('two', 'dual', { annotations: { [IPAM.ipFamily]: 'dual' } });
    const two = await ready('two');
    expect(ingressOf(two)).toHaveLength(2);
    expect(conditionOf(two)?.message).toContain('are bound to this Service');
    const v4 = ingressOf(two).filter((address) => !address.includes(':'));
    await patch('two', {
      metadata: { annotations: { [IPAM.ipFamily]: 'ipv4', [IPAM.addresses]: v4[0] } },
      spec: { ipFamilyPolicy: 'SingleStack' },
    });
    await shows('two', ...v4);
    await holds('dual', 1);
  });

  test('DUAL-03 without a name is bound by its reservation, two at once', async () => {
    const ipv6 = { ipFamilies: ['IPv6'] };
    const metadata = { name: undefined, generateName: 'gw-', annotations: { [IPAM.zone]: 'unnamed' } };
    const body = manifest('', { metadata, spec: ipv6 });
    const made = await Promise.all(
      [1, 2].map(() => plane().client.request('POST', '/api/v1/namespaces/a/services', body)),
    );
    const done = await Promise.all(
      made.map(({ metadata: { name } }) =>
        when(name, (object) => isReady(object) && object.metadata.annotations?.[IPAM.reservation] === undefined),
      ),
    );
    expect(new Set(done.flatMap(ingressOf)).size).toBe(2);
    expect(done.flatMap(ingressOf).every((address) => address.startsWith('fd00:80:3::'))).toBe(true);
    expect(await held('unnamed')).toBe(2);
  });

  test('GO-01 gets stripped keys back at the same address, at a falling price', async () => {
    await create('stripped', 'stripped');
    const before = ingressOf(await ready('stripped'));
    const keys = [...Object.values(IPAM), METALLB.pool, METALLB.addresses];
    const nothing = { metadata: { annotations: Object.fromEntries(keys.map((key) => [key, null])) } };
    const status = `${pathOf('stripped')}/status`;
    let versions = 0;
    for (let second = 0; second < 10; second += 1) {
      await plane().client.request('PATCH', status, nothing, 'merge');
      versions += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    const repaired = await when('stripped', ({ metadata }) => metadata.annotations?.[METALLB.addresses] !== undefined);
    expect(versions).toBe(10);
    expect(ingressOf(repaired)).toEqual(before);
    expect(repaired.metadata.annotations?.[IPAM.zone]).toBe('stripped');
    expect(await held('stripped')).toBe(1);
    const repairs = /ipam_service_repairs_total (\d+)/u.exec(await operator.metrics())?.[1];
    expect(Number(repairs)).toBeLessThanOrEqual(5);
  });

  test('SVC-04 keeps its claim and names the foreign address that somebody else shows', async () => {
    await create('fought', 'fought');
    await ready('fought');
    const status = `${pathOf('fought')}/status`;
    const foreign = { status: { loadBalancer: { ingress: [{ ip: '198.51.100.9' }] } } };
    const end = Date.now() + 15_000;
    const named = when('fought', (object) => conditionOf(object)?.reason === 'ForeignAddress');
    while (Date.now() < end) {
      await plane().client.request('PATCH', status, foreign, 'merge');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(conditionOf(await named)?.message).toContain('198.51.100.9');
    expect(await held('fought')).toBe(1);
  });
});

describe('a Service that no webhook saw', () => {
  test('WH-01 is served all the same', async () => {
    await create('missed', 'missed', { labels: UNSEEN });
    const done = await ready('missed');
    expect(done.metadata.annotations).toMatchObject({ [METALLB.pool]: 'missed', [METALLB.addresses]: '10.80.6.0' });
  });

  test('REQ-05 is granted nothing of the zone of another tenant', async () => {
    await create('thief', 'tenant-b', { labels: UNSEEN, annotations: { [IPAM.addresses]: '10.0.10.26' } });
    const refused = await when('thief', (object) => conditionOf(object)?.reason === 'ZoneForbidden');
    expect(ingressOf(refused)).toEqual([]);
    expect(refused.metadata.annotations?.[METALLB.pool]).toBe(WAITING_POOL);
    expect(await held('tenant-b')).toBe(0);
    await expect(create('open', 'tenant-b')).rejects.toThrow('tenant-b');
  });

  test('REQ-05 FU-04 keeps what MetalLB shows of the zone of another tenant as contested, and is granted nothing', async () => {
    await plane().client.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b', labels: { tenant: 'b' } } },
    ]);
    // its owner knows how MetalLB is asked, the webhook did not see it, and MetalLB is quicker than the operator
    const keys = { [METALLB.pool]: 'tenant-b', [METALLB.addresses]: '10.0.10.27' };
    operator.signal('SIGSTOP');
    await create('bypass', 'tenant-b', { labels: UNSEEN, annotations: keys });
    await when('bypass', (object) => ingressOf(object).length > 0);
    operator.signal('SIGCONT');
    const contested = await when('bypass', (object) => conditionOf(object)?.reason === 'AddressContested');
    expect(conditionOf(contested)).toMatchObject({
      status: 'False',
      message: expect.stringContaining('zone "tenant-b" is not open to namespace "a"') as string,
    });
    expect(ingressOf(contested)).toEqual(['10.0.10.27']);
    expect(contested.metadata.annotations).toMatchObject(keys);
    await eventually(async () => /^ipam_services_contested 1$/mu.test(await operator.metrics()));
    const wish = { namespace: 'b', annotations: { [IPAM.addresses]: '10.0.10.27' } };
    await expect(create('mine', 'tenant-b', wish)).rejects.toThrow('a/bypass');
    await plane().client.request('DELETE', pathOf('bypass'));
    await holds('tenant-b', 0);
  });

  test('waits in an exhausted zone, and has the address once its holder is gone', async () => {
    await create('first', 'full');
    await ready('first');
    await create('second', 'full', { labels: UNSEEN });
    const waiting = await when('second', (object) => conditionOf(object)?.reason === 'PoolExhausted');
    expect(ingressOf(waiting)).toEqual([]);
    await plane().client.request('DELETE', pathOf('first'));
    await shows('second', '10.81.0.0');
  });
});

describe('the end of a Service', () => {
  test('frees the addresses of a namespace whose Secret is gone first', async () => {
    const { client } = plane();
    const data = Buffer.from('my-own-secret').toString('base64');
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'mine' },
      type: 'Opaque',
      data: { secret: data },
    };
    await client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'short' } }]);
    await client.request('POST', '/api/v1/namespaces/short/secrets', secret);
    await create('one', 'gone', { annotations: { [IPAM.secret]: 'mine' }, namespace: 'short' });
    await ready('one', 'short');
    await client.request('DELETE', '/api/v1/namespaces/short/secrets/mine');
    await client.request('DELETE', '/api/v1/namespaces/short');
    await holds('gone', 0);
    expect(operator.log()).not.toContain('my-own-secret');
  });

  test('waits for foreign finalizers, also while no webhook answers', async () => {
    await create('dying', 'dying', { metadata: { finalizers: ['example.com/other'] } });
    const { metadata } = await ready('dying');
    await operator.kill('SIGKILL');
    await plane().client.request('DELETE', pathOf('dying'));
    await operator.restart();
    expect(await held('dying')).toBe(1);
    const gone = plane().client.watchUntil(pathOf('dying'), (all) =>
      all.every(({ metadata: { uid } }) => uid !== metadata.uid),
    );
    await operator.kill('SIGKILL');
    await patch('dying', { metadata: { finalizers: null } });
    await gone;
    await operator.restart();
    await holds('dying', 0);
  });
});

describe('many Services', () => {
  test('of one zone at once have an address each', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `m${String(i)}`);
    await Promise.all(names.map((name) => unhurried(() => create(name, 'many'))));
    const all = await plane().client.watchUntil('/api/v1/namespaces/a/services', (items) =>
      items.filter(({ metadata: { name } }) => names.includes(name)).every(isReady),
    );
    const ours = all.filter(({ metadata: { name } }) => names.includes(name));
    expect(new Set(ours.flatMap(ingressOf)).size).toBe(200);
    expect(await held('many')).toBe(200);
  });

  test('survive SIGKILL in the middle of creates, moves and releases', async () => {
    const names = Array.from({ length: 24 }, (_, i) => `k${String(i)}`);
    const { client } = plane();
    const tries = names.map((name) => create(name, 'killed').catch(() => undefined));
    await client.watchUntil('/api/v1/namespaces/a/services', (all) =>
      all.some(({ metadata }) => metadata.name.startsWith('k')),
    );
    await operator.kill('SIGKILL');
    await Promise.all(tries);
    await operator.restart();
    for (const name of names) {
      if ((await client.attempt('GET', pathOf(name))).status === 404) await create(name, 'killed');
    }
    const first = new Map<string, string>();
    for (const name of names) first.set(name, ingressOf(await ready(name)).join());
    const moves = names
      .slice(0, 8)
      .map((name, i) =>
        patch(name, { metadata: { annotations: { [IPAM.addresses]: `10.80.9.${String(100 + i)}` } } }).catch(
          () => undefined,
        ),
      );
    const ends = names.slice(16).map((name) => client.request('DELETE', pathOf(name)));
    await Promise.all(moves.slice(0, 3));
    await operator.kill('SIGKILL');
    await Promise.all([...moves, ...ends]);
    await operator.restart();
    await holds('killed', 16, 150_000); // what was reserved and not stored ends with its lease
    for (const name of names.slice(8, 16)) await shows(name, first.get(name) ?? '');
    const addresses = await Promise.all(names.slice(0, 16).map(async (name) => ingressOf(await ready(name)).join()));
    expect(new Set(addresses).size).toBe(16);
  });

  test('WH-07 that a quota refuses give everything back and never empty the zone', async () => {
    const { client } = plane();
    const hard = { 'services.loadbalancers': '0' };
    await client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poor' } }]);
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard } };
    await client.request('POST', '/api/v1/namespaces/poor/resourcequotas', quota);
    await client.objectWhen(
      '/api/v1/namespaces/poor/resourcequotas/none',
      ({ status }) => status?.['hard'] !== undefined,
    );
    const tries = Array.from({ length: 300 }, (_, i) =>
      create(`t${String(i)}`, 'tries', { namespace: 'poor' }).catch(String),
    );
    const refused = await Promise.all(tries);
    expect(refused.filter((text) => text === undefined)).toEqual([]);
    expect(await held('tries')).toBeGreaterThan(0);
    expect(await held('tries')).toBeLessThanOrEqual(64);
    await holds('tries', 0, 150_000);
  });
});

test('an installation of the original is taken over without moving an address', async () => {
  await operator.stop();
  const annotations = {
    [IPAM.addresses]: '10.80.11.40',
    [METALLB.addresses]: '10.80.11.40',
    [METALLB.pool]: 'old',
    [IPAM.ipFamily]: 'ipv4',
    [IPAM.secret]: 'default',
    [IPAM.retentionPeriodDays]: '0',
    [IPAM.denyExternalCleanup]: 'false',
    [METALLB.sharing]: 'pre-shared-key-x',
    [IPAM.allowLocalSharedIp]: 'pre-shared-key-x',
  };
  await create('old', 'old', { labels: UNSEEN, annotations });
  await create('stripped-old', 'old', {
    labels: UNSEEN,
    annotations: { [METALLB.addresses]: '10.80.11.0', [METALLB.pool]: 'old' },
  });
  for (const name of ['old', 'stripped-old']) await when(name, (object) => ingressOf(object).length > 0);
  await create('fresh', 'old', { labels: UNSEEN });
  await operator.restart();
  await shows('old', '10.80.11.40');
  await shows('stripped-old', '10.80.11.0');
  await shows('fresh', '10.80.11.1');
  expect(await held('old')).toBe(3);
});
