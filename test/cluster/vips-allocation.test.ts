import { followIngress } from './support/follow-ingress';
import { applyInstallation } from './support/installation';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { clearVips, VipScene, vipCondition } from './support/vip-scene';

// The Services door is closed, so neither MetalLB nor cert-manager is there.
let operator: RunningOperator;
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, { services: { enabled: false }, vips: { enabled: true } });
    operator = await startOperator(control, { awaitWebhooks: false });
    await scene.open();
  },
});
const scene = new VipScene(plane, 'test');
afterEach(() => clearVips(plane(), scene));

/** The sample pools of the older operator. */
const P1 = { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] };
const P2 = { segment: '1.1.2.0/29', excludedIPs: ['1.1.2.0', '1.1.2.1', '1.1.2.5', '1.1.2.7'] };
const P3 = { segment: '1.1.3.0/29', excludedIPs: ['0', '1', '2', '5', '6', '7'].map((each) => `1.1.3.${each}`) };
/** Longer wait of a waiting Service on a busy machine; that no pause is part of it is shown beside the controller. */
const SECONDS = 30_000;

async function within(ms: number, action: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  await action();
  expect(performance.now() - from).toBeLessThan(ms);
}

const wishing = (address: string) => ({ spec: { loadBalancerIP: address } });

test('R5 R22 VIP-T01 VIP-T02 VIP-T03 VIP-T04 VIP-T05 gives the lowest free addresses, and the freed one to the one that waits', async () => {
  await scene.group('ipgroup-1', P1);
  await scene.create('a');
  await scene.shows('a', '1.1.1.1');
  const [ip] = await scene.ips();
  expect(ip?.metadata).toMatchObject({
    name: '1.1.1.1',
    labels: { ipgroup: 'ipgroup-1' },
    annotations: { 'virtualips.paas.il/owner': 'test/a' },
  });
  expect((await scene.get('a')).metadata.finalizers ?? []).not.toContain('ips.paas.org/finalizer');
  for (const [name, address] of [
    ['b', '1.1.1.3'],
    ['c', '1.1.1.4'],
    ['d', '1.1.1.5'],
    ['e', '1.1.1.6'],
  ] as const) {
    await scene.create(name);
    await scene.shows(name, address);
  }
  await scene.create('f');
  expect(ingressOf(await scene.waits('f', 'NoFreeAddress'))).toEqual([]);
  await scene.event('f', 'NoFreeAddress');
  await scene.groupWhen('ipgroup-1', ({ status }) => status?.['total'] === '5' && status['free'] === '0');
  await within(SECONDS, async () => {
    await scene.remove('c');
    await scene.shows('f', '1.1.1.4');
  });
  expect(operator.running()).toBe(true);
});

test('R19 VIP-T06 serves from the groups in the order of their names', async () => {
  await Promise.all([scene.group('ipgroup-3', P3), scene.group('ipgroup-1', P1), scene.group('ipgroup-2', P2)]);
  for (const name of ['ipgroup-1', 'ipgroup-2', 'ipgroup-3']) await scene.groupReady(name);
  const given: string[] = [];
  for (let index = 0; index < 11; index++) {
    await scene.create(`s${String(index)}`);
    given.push(await scene.address(`s${String(index)}`));
  }
  expect(given.join(' ')).toBe(
    '1.1.1.1 1.1.1.3 1.1.1.4 1.1.1.5 1.1.1.6 1.1.2.2 1.1.2.3 1.1.2.4 1.1.2.6 1.1.3.3 1.1.3.4',
  );
  await scene.create('s11');
  await scene.waits('s11', 'NoFreeAddress');
});

test('R12 R16 R20 VIP-T07 VIP-T08 VIP-T09 VIP-T10 VIP-T11 VIP-T13 gives a wished address exactly or not at all', async () => {
  await scene.group('ipgroup-2', P2);
  await scene.create('excluded', wishing('1.1.2.1'));
  await scene.create('outside', wishing('1.1.2.40'));
  await scene.create('broken', wishing('1.1.2'));
  await scene.create('broken-key', { annotations: { 'paas.org/addresses': '1.1.2' } });
  await scene.waits('excluded', 'RequestedAddressExcluded');
  await scene.waits('outside', 'RequestedAddressNotInAnyGroup');
  for (const name of ['broken', 'broken-key']) await scene.waits(name, 'RequestedAddressInvalid');
  expect(await scene.ips()).toEqual([]);
  await scene.create('x', wishing('1.1.2.6'));
  await scene.shows('x', '1.1.2.6');
  await scene.create('mapped', wishing('::ffff:1.1.2.4'));
  await scene.shows('mapped', '1.1.2.4');
  await scene.create('mapped-key', { annotations: { 'paas.org/addresses': '::ffff:1.1.2.3' } });
  await scene.shows('mapped-key', '1.1.2.3');
  await scene.create('y', wishing('1.1.2.6'));
  expect(vipCondition(await scene.waits('y', 'RequestedAddressInUse'))?.message).toContain('test/x');
  await within(SECONDS, async () => {
    await scene.remove('x');
    await scene.shows('y', '1.1.2.6');
  });
});

/** Addresses that two Services each race for at once, and how often: 100 races. */
const RACES = 20;
const ROUNDS = 5;

test('R8 R12 VIP-T12 gives an address that two Services wish at once to one of them, and nothing else to the other, 100 times', async () => {
  await scene.group('ipgroup-2', { segment: '1.1.2.0/24' });
  await scene.groupReady('ipgroup-2');
  const followed = followIngress(plane());
  for (let round = 0; round < ROUNDS; round++) {
    const pairs = Array.from({ length: RACES }, (_, index) => ({
      address: `1.1.2.${String(index)}`,
      names: ['x', 'y'].map((each) => `${each}-${String(round)}-${String(index)}`),
    }));
    await Promise.all(pairs.flatMap(({ address, names }) => names.map((name) => scene.create(name, wishing(address)))));
    const all = await plane().client.watchUntil(
      scene.path(),
      (each) => each.length === 2 * RACES && each.every((one) => vipCondition(one) !== undefined),
    );
    const shown = new Map(all.map((each) => [each.metadata.name, ingressOf(each).join()]));
    for (const { address, names } of pairs) expect(names.map((name) => shown.get(name)).sort()).toEqual(['', address]);
    expect(await scene.holders()).toHaveLength(RACES);
    await Promise.all(
      pairs.flatMap(({ names }) => names.map((name) => plane().client.request('DELETE', scene.path(name)))),
    );
    await plane().client.watchUntil('/apis/paas.org/v1/ips', (each) => each.length === 0);
    for (const { address, names } of pairs)
      for (const name of names)
        expect((await followed.statesOf('test', name)).filter((state) => !['', address].includes(state))).toEqual([]);
  }
});

test.each([
  ['VIP-T14', { segment: '1.1.1.5/29', excludedIPs: [] }, ['1.1.1.0']],
  ['VIP-T15', { segment: '1.1.1.0/24', excludedIPs: ['1.1.1.0', '1.1.1.255'] }, ['1.1.1.1']],
  ['VIP-T16', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0-1.1.1.3'] }, ['1.1.1.4']],
  ['VIP-T17', { segment: '10.9.0.0/32' }, ['10.9.0.0', '']],
  [
    'VIP-T18',
    { segment: '255.255.255.248/29' },
    ['248', '249', '250', '251', '252', '253', '254', '255', ''].map((last) =>
      last === '' ? '' : `255.255.255.${last}`,
    ),
  ],
])('%s gives what the segment has, without wrap-around', async (_id, spec, wanted) => {
  await scene.group('pool', spec);
  for (const [index, address] of wanted.entries()) {
    const name = `s${String(index)}`;
    await scene.create(name);
    if (address === '') await scene.waits(name, 'NoFreeAddress');
    else await scene.shows(name, address);
  }
  expect((await scene.ips()).length).toBe(wanted.filter((each) => each !== '').length);
});

test('VIP-T15 counts', async () => {
  await scene.group('pool', { segment: '1.1.1.0/24', excludedIPs: ['1.1.1.0', '1.1.1.255'] });
  const { status } = await scene.groupWhen('pool', (group) => group.status?.['total'] === '254');
  expect(status).toMatchObject({ free: '254', excluded: '2', allocated: '0' });
});

test('VIP-T20 serves IPv6, and both families from one group', async () => {
  await scene.group('six', { segment: 'fd00::/64', segments: ['1.1.1.0/30'], excludedIPs: ['fd00::'] });
  await scene.create('six', { spec: { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' } });
  await scene.shows('six', 'fd00::1');
  expect((await scene.ips()).map(({ metadata }) => metadata.name)).toEqual(['fd00-0000-0000-0000-0000-0000-0000-0001']);
  await scene.create('both', { spec: { ipFamilyPolicy: 'RequireDualStack' } });
  const shown = ingressOf(await scene.when('both', (each) => ingressOf(each).length === 2));
  expect([...shown].sort()).toEqual(['1.1.1.0', 'fd00::2']);
});

test('R15 VIP-T21 VIP-T22 VIP-T23 serves a Service that waits once a group is there, beside a group with a long name', async () => {
  await scene.create('a');
  await scene.waits('a', 'NoMatchingGroup');
  const long = 'g'.repeat(70);
  await within(SECONDS, async () => {
    await scene.group(long, { segment: '1.1.9.0/29' });
    await scene.shows('a', '1.1.9.0');
  });
  await scene.group('ipgroup-1', { ...P1, priority: 1 });
  await scene.groupReady('ipgroup-1');
  await scene.create('b');
  await scene.shows('b', '1.1.1.1');
  expect(await scene.holders()).toEqual(['1.1.1.1=test/b', '1.1.9.0=test/a']);
});

test('R17 VIP-T24 gives nothing from a group that overlaps an older one, and says so', async () => {
  await scene.group('ipgroup-1', P1);
  await scene.groupReady('ipgroup-1');
  await scene.group('a-overlap', { segment: '1.1.1.0/30' });
  const overlap = await scene.groupWhen('a-overlap', (group) => scene.readyOf(group)?.status === 'False');
  expect(scene.readyOf(overlap)).toMatchObject({ reason: 'Conflict' });
  await scene.create('a');
  await scene.shows('a', '1.1.1.1');
  expect((await scene.ips())[0]?.metadata.labels).toEqual({ ipgroup: 'ipgroup-1' });
});

test('VIP-T44 gives two hundred Services that come at once all addresses of a group of two hundred', async () => {
  await scene.group('many', {
    segment: '10.44.0.0/24',
    excludedIPs: ['10.44.0.0-10.44.0.27', '10.44.0.228/30', '10.44.0.232/29', '10.44.0.240/28'],
  });
  await scene.groupReady('many');
  const names = Array.from({ length: 200 }, (_, index) => `n${String(index)}`);
  await Promise.all(names.map((name) => scene.create(name)));
  const given = await Promise.all(names.map((name) => scene.address(name)));
  expect(new Set(given).size).toBe(200);
  const last = given.map((address) => Number(address.split('.')[3])).sort((a, b) => a - b);
  expect(last).toEqual(Array.from({ length: 200 }, (_, index) => 28 + index));
});

test('never gives what a Service of another controller, or a Node, shows', async () => {
  await scene.create('other', { spec: { loadBalancerClass: undefined } });
  await scene.patchStatus('other', { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } });
  await plane().client.request('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  const status = { addresses: [{ type: 'InternalIP', address: '1.1.1.3' }] };
  await plane().client.request('PATCH', '/api/v1/nodes/n1/status', { status }, 'merge');
  await scene.group('ipgroup-1', P1);
  await scene.groupWhen('ipgroup-1', (group) => group.status?.['foreign'] === '2');
  await scene.create('a');
  await scene.shows('a', '1.1.1.4');
  await scene.create('b', wishing('1.1.1.3'));
  expect(vipCondition(await scene.waits('b', 'RequestedAddressInUse'))?.message).toContain('Node/n1');
  await plane().client.request('DELETE', '/api/v1/nodes/n1');
  await scene.shows('b', '1.1.1.3');
});

const sharing = (port: number, more: Readonly<Record<string, unknown>> = {}) => ({
  annotations: { 'paas.org/sharing-key': 'web' },
  spec: { ports: [{ port }], ...more },
});

test('REQ-03 lets Services of one key share an address, and keeps it until the last one leaves', async () => {
  await scene.group('g', { segment: '1.1.1.0/29' });
  await scene.create('a', sharing(80));
  await scene.shows('a', '1.1.1.0');
  await scene.create('b', sharing(443));
  await scene.shows('b', '1.1.1.0');
  await scene.create('c', sharing(80));
  await scene.shows('c', '1.1.1.1');
  const { spec } = await scene.ipWhen('1.1.1.0', (ip) => ip.spec?.['holders']?.['length'] === 2);
  expect(spec?.['holders']).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  await scene.remove('a');
  await scene.ipWhen('1.1.1.0', (ip) => ip.spec?.['holders']?.['length'] === 1);
  await scene.shows('b', '1.1.1.0');
  await scene.remove('b');
  await scene.ipGone('1.1.1.0');
});

test('REQ-03 gives Services of one key one address when they are made at the same moment', async () => {
  await scene.group('g', { segment: '1.1.1.0/26' });
  await scene.groupReady('g');
  const keys = Array.from({ length: 8 }, (_, i) => `key-${String(i)}`);
  const namesOf = (key: string) => ['http', 'https', 'dns'].map((name) => `${key}-${name}`);
  const made = keys.flatMap((key) =>
    namesOf(key).map((name, i) =>
      scene.create(name, { annotations: { 'paas.org/sharing-key': key }, spec: { ports: [{ port: 80 + i }] } }),
    ),
  );
  await Promise.all(made);
  for (const key of keys) {
    const addresses = await Promise.all(namesOf(key).map((name) => scene.address(name)));
    expect([key, new Set(addresses).size]).toEqual([key, 1]);
  }
});

test('REQ-05 serves a namespace once its labels fit the group', async () => {
  await scene.group('team', { segment: '1.1.1.0/29', namespaces: { matchLabels: { team: 'x' } } });
  await scene.groupReady('team');
  await scene.create('a');
  await scene.waits('a', 'NoMatchingGroup');
  await plane().client.request('PATCH', '/api/v1/namespaces/test', { metadata: { labels: { team: 'x' } } }, 'merge');
  await scene.shows('a', '1.1.1.0');
  await plane().client.request('PATCH', '/api/v1/namespaces/test', { metadata: { labels: { team: null } } }, 'merge');
  expect(ingressOf(await scene.get('a'))).toEqual(['1.1.1.0']);
});
