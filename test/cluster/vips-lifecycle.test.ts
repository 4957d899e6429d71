import { CutScene } from './support/cut-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { clearVips, VipScene, vipCondition } from './support/vip-scene';

const OLD_FINALIZER = 'ips.paas.org/finalizer';
const P1 = { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] };

let cuts: CutScene;
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, {
      services: { enabled: false },
      vips: { enabled: true, orphanGraceSeconds: 3 },
    });
    cuts = await CutScene.start(control, { awaitWebhooks: false });
    await scene.open();
  },
});
const scene = new VipScene(plane, 'test');
beforeEach(async () => {
  await scene.group('ipgroup-1', P1);
  await scene.groupReady('ipgroup-1');
});
afterEach(() => clearVips(plane(), scene));

async function served(name: string, address: string): Promise<void> {
  await scene.create(name);
  await scene.shows(name, address);
}

/** Services `a` and `b` share 1.1.1.1. */
async function sharedByTwo(): Promise<void> {
  const shared = { annotations: { 'paas.org/sharing-key': 'k' } };
  await scene.create('a', shared);
  await scene.shows('a', '1.1.1.1');
  await scene.create('b', { ...shared, spec: { ports: [{ port: 81 }] } });
  await scene.shows('b', '1.1.1.1');
}

/** Long before a look at everything, on a busy machine too. */
const AT_ONCE_MS = 30_000;

/** Lets what is under way come to its end: nothing of it is to be seen. */
const quiet = (ms = 1_500): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('VIP-T25 gives the address back when its Service is deleted', async () => {
  await served('a', '1.1.1.1');
  const from = performance.now();
  await scene.remove('a');
  await scene.ipGone('1.1.1.1');
  expect(performance.now() - from).toBeLessThan(AT_ONCE_MS);
});

test('R11 VIP-T26 VIP-T27 SVC-01 gives it back when the type changes, and serves again when it changes back', async () => {
  await served('a', '1.1.1.1');
  await scene.patch('a', { spec: { type: 'ClusterIP', loadBalancerClass: null } });
  await scene.ipGone('1.1.1.1');
  const after = await scene.when('a', (each) => vipCondition(each) === undefined);
  expect([ingressOf(after), after.metadata.finalizers ?? []]).toEqual([[], []]);
  await scene.patch('a', { spec: { type: 'LoadBalancer', loadBalancerClass: 'paas.org/vip' } });
  await scene.shows('a', '1.1.1.1');
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a']);
});

test('R13 VIP-T28 VIP-T29 VIP-T30 keeps the working address until the wished one is there', async () => {
  await served('a', '1.1.1.1');
  const seen: string[] = [];
  const followed = plane().client.watchUntil(scene.path('a'), ([each]) => {
    const shown = each === undefined ? '' : ingressOf(each).join();
    if (seen.at(-1) !== shown) seen.push(shown);
    return shown === '1.1.1.5';
  });
  await eventually(() => seen.length > 0);
  await scene.patch('a', { spec: { loadBalancerIP: '1.1.1.5' } });
  await followed;
  expect(seen).toEqual(['1.1.1.1', '1.1.1.5']);
  await scene.ipGone('1.1.1.1');
  await scene.patch('a', { spec: { loadBalancerIP: '1.1.1.2' } });
  expect(ingressOf(await scene.waits('a', 'RequestedAddressExcluded'))).toEqual(['1.1.1.5']);
  await scene.patch('a', { spec: { loadBalancerIP: null } });
  await scene.shows('a', '1.1.1.5');
  expect(await scene.holders()).toEqual(['1.1.1.5=test/a']);
});

test('R9 R10 VIP-T31 VIP-T32 W2 makes no second entry when the answer to the first is lost and the Service changes meanwhile', async () => {
  cuts.proxy.cutAt(1, 'after', async () => {
    await scene.patch('a', { metadata: { labels: { touched: 'yes' } } });
  });
  await served('a', '1.1.1.1');
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a']);
  cuts.proxy.cutAt(1, 'after', async () => {
    await scene.patch('b', { metadata: { labels: { touched: 'yes' } } });
  });
  await scene.create('b', { spec: { loadBalancerIP: '1.1.1.4' } });
  await scene.shows('b', '1.1.1.4');
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a', '1.1.1.4=test/b']);
});

test.each([
  ['VIP-T31', '1.1.1.1', {}],
  ['VIP-T32', '1.1.1.4', { spec: { loadBalancerIP: '1.1.1.4' } }],
])(
  '%s makes no second entry when the API server answers the write of the status with a conflict',
  async (_id, address, wish) => {
    const { length: before } = cuts.proxy.writes;
    cuts.proxy.overtakeAtFirst('/services/a/status', async () => {
      expect(await scene.holders()).toEqual([`${address}=test/a`]);
      await scene.patch('a', { metadata: { labels: { touched: 'yes' } } });
    });
    await scene.create('a', wish);
    await scene.shows('a', address);
    expect(await scene.holders()).toEqual([`${address}=test/a`]);
    const writes = cuts.proxy.writes.slice(before);
    // the first one meets the conflict; until the feed has the other version, further ones do
    expect(writes.filter((each) => each.includes('/services/a/status')).length).toBeGreaterThanOrEqual(2);
    expect(writes.filter((each) => each.startsWith('POST') && each.includes('/ips'))).toHaveLength(1);
  },
);

test('VIP-T34 puts an address that two Services share back on record for both', async () => {
  await sharedByTwo();
  await scene.breakGlass('delete', 'ips.paas.org', '1.1.1.1');
  const { spec } = await scene.ipWhen('1.1.1.1', (ip) => Number(ip.spec?.['holders']?.length) === 2);
  const names = (spec?.['holders'] as unknown as readonly { readonly name: string }[]).map(({ name }) => name);
  expect(names.sort()).toEqual(['a', 'b']);
  for (const name of ['a', 'b']) await scene.shows(name, '1.1.1.1');
});

test('R4 VIP-T33 takes the finalizer of the older operator off, and leaves others', async () => {
  await scene.create('a', { metadata: { finalizers: [OLD_FINALIZER, 'other.example.com/hold'] } });
  await scene.shows('a', '1.1.1.1');
  const after = await scene.when('a', ({ metadata }) => !(metadata.finalizers ?? []).includes(OLD_FINALIZER));
  expect(after.metadata.finalizers).toEqual(['other.example.com/hold']);
  await plane().client.request('DELETE', scene.path('a'));
  await quiet();
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a']);
  await scene.patch('a', { metadata: { finalizers: [] } });
  await scene.ipGone('1.1.1.1');
});

test('VIP-T33 ends a Service although the API server answers the removal of the finalizer with a conflict', async () => {
  await served('a', '1.1.1.1');
  const { length: before } = cuts.proxy.writes;
  cuts.proxy.overtakeAtFirst('/services/a/status', async () => {
    await plane().client.request('DELETE', scene.path('a'));
  });
  await scene.patch('a', { metadata: { finalizers: [OLD_FINALIZER] } });
  await plane().client.watchUntilEmpty(scene.path('a'));
  await scene.ipGone('1.1.1.1');
  const writes = cuts.proxy.writes.slice(before).filter((each) => each.includes('/services/a/status'));
  expect([cuts.proxy.isUncut, writes.length >= 2]).toEqual([true, true]);
});

test('VIP-T34 puts an entry back that was taken away while its Service shows the address', async () => {
  await served('a', '1.1.1.1');
  await scene.breakGlass('delete', 'ips.paas.org', '1.1.1.1');
  await served('b', '1.1.1.3');
  await eventually(async () => (await scene.holders()).includes('1.1.1.1=test/a'));
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a', '1.1.1.3=test/b']);
});

test('R8 R9 VIP-T34 puts an entry back that was taken away before the status told its address', async () => {
  cuts.proxy.overtakeAtFirst('/services/a/status', async () => {
    await scene.breakGlass('delete', 'ips.paas.org', '1.1.1.1');
    await served('b', '1.1.1.3');
    await scene.create('wishes', { spec: { loadBalancerIP: '1.1.1.1' } });
    expect(vipCondition(await scene.waits('wishes', 'RequestedAddressInUse'))?.message).toContain('test/a');
  });
  await served('a', '1.1.1.1');
  await eventually(async () => (await scene.holders()).join() === '1.1.1.1=test/a,1.1.1.3=test/b');
  expect(ingressOf(await scene.get('wishes'))).toEqual([]);
});

test('R8 REQ-03 puts an entry of Services that share against the rules back for the first one, then for the next', async () => {
  await sharedByTwo();
  await scene.patch('a', { metadata: { annotations: { 'paas.org/sharing-key': null } } });
  await scene.waits('b', 'Conflict');
  await scene.breakGlass('delete', 'ips.paas.org', '1.1.1.1');
  await scene.when('b', (each) => vipCondition(each)?.message.includes('is shown, but test/a has it') === true);
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a']);
  for (const name of ['a', 'b']) expect(ingressOf(await scene.get(name))).toEqual(['1.1.1.1']);
  expect(vipCondition(await scene.get('a'))?.status).toBe('True');
  await scene.remove('a');
  await scene.shows('b', '1.1.1.1');
  expect(await scene.holders()).toEqual(['1.1.1.1=test/b']);
});

test('R9 VIP-T35 ends a Service whose entry was taken away', async () => {
  await served('a', '1.1.1.1');
  await scene.breakGlass('delete', 'ips.paas.org', '1.1.1.1');
  await plane().client.request('DELETE', scene.path('a'));
  await plane().client.watchUntilEmpty(scene.path('a'));
  await scene.ipGone('1.1.1.1');
  expect(await scene.holders()).toEqual([]);
});

test('VIP-T36 shows the address again after its status was emptied', async () => {
  await served('a', '1.1.1.1');
  await scene.patchStatus('a', { loadBalancer: null });
  await scene.shows('a', '1.1.1.1');
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a']);
});

test('VIP-T39 hands the address on to a Service that is made anew under its name', async () => {
  await served('a', '1.1.1.1');
  await plane().client.request('DELETE', scene.path('a'));
  const { metadata } = await scene.create('a');
  await scene.shows('a', '1.1.1.1');
  const ip = await scene.ipWhen('1.1.1.1', ({ spec }) => spec?.['owner']?.['uid'] === metadata.uid);
  expect(ip.spec?.['holders']?.['length']).toBe(1);
  expect(await scene.holders()).toEqual(['1.1.1.1=test/a']);
});

test('R14 VIP-T40 SVC-03 leaves Services of other classes, and those without a class, as they are', async () => {
  const other = await scene.create('other', { spec: { loadBalancerClass: 'other/lb' } });
  const plain = await scene.create('plain', { spec: { loadBalancerClass: undefined } });
  await served('a', '1.1.1.1');
  await quiet();
  expect([await scene.get('other'), await scene.get('plain')]).toEqual([other, plain]);
});

test('R14 VIP-T41 leaves a status alone that another controller wrote, with a warning', async () => {
  await cuts.operator.kill('SIGKILL');
  await scene.create('named');
  await scene.create('foreign');
  await scene.patchStatus('named', { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } });
  await scene.patchStatus('foreign', { loadBalancer: { ingress: [{ ip: '9.9.9.9' }] } });
  const before = await Promise.all(['named', 'foreign'].map((name) => scene.get(name)));
  await cuts.operator.restart();
  await Promise.all(['named', 'foreign'].map((name) => scene.event(name, 'Conflict')));
  await quiet();
  expect(await Promise.all(['named', 'foreign'].map((name) => scene.get(name)))).toEqual(before);
  for (const name of ['named', 'foreign']) expect(await scene.eventsOf(name)).toEqual(['Conflict']);
  expect(await scene.ips()).toEqual([]);
  await scene.group('nine', { segment: '9.9.9.0/29', explicitOnly: true });
  await scene.groupReady('nine');
  await scene.patchStatus('foreign', { loadBalancer: null });
  await scene.shows('foreign', '1.1.1.1');
  await scene.remove('named');
});

test('R4 R6 VIP-T37 VIP-T42 VIP-T43 takes a cluster over as the older operator left it', async () => {
  await cuts.operator.kill('SIGKILL');
  // the older operator writes no status of groups
  await plane().client.request('PATCH', '/apis/paas.org/v1/ipgroups/ipgroup-1/status', { status: null }, 'merge');
  const old = { metadata: { finalizers: [OLD_FINALIZER] } };
  for (const name of ['kept', 'lost', 'dying']) await scene.create(name, old);
  await scene.patchStatus('kept', { loadBalancer: { ingress: [{ ip: '1.1.1.4' }] } });
  await scene.oldIp('1.1.1.4', 'test/kept');
  await scene.patchStatus('lost', { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } });
  await scene.oldIp('1.1.1.5', 'test/dying');
  await scene.oldIp('1.1.1.6', 'test/gone');
  await plane().client.request('DELETE', scene.path('dying'));
  await scene.create('new');
  await cuts.operator.restart();
  await scene.shows('new', '1.1.1.3');
  await scene.shows('kept', '1.1.1.4');
  await scene.shows('lost', '1.1.1.1');
  await plane().client.watchUntilEmpty(scene.path('dying'));
  await scene.ipGone('1.1.1.5');
  await scene.ipGone('1.1.1.6');
  expect(await scene.holders()).toEqual(['1.1.1.1=test/lost', '1.1.1.3=test/new', '1.1.1.4=test/kept']);
  const { spec } = await scene.ipWhen('1.1.1.4', (ip) => ip.spec?.['ipGroup'] === 'ipgroup-1');
  expect(spec?.['owner']).toMatchObject({ kind: 'Service', namespace: 'test', name: 'kept' });
});

test('VIP-T43 reports an entry without a Service, and gives its address to none before the grace is over', async () => {
  await cuts.operator.kill('SIGKILL');
  await scene.oldIp('1.1.1.1', 'test/leaked');
  await scene.create('early');
  await cuts.operator.restart();
  await scene.shows('early', '1.1.1.3');
  expect(cuts.operator.log()).toContain('"missingServices":"test/leaked=1.1.1.1"');
  await scene.ipGone('1.1.1.1');
  await served('late', '1.1.1.1');
});

describe('VIP-T38 killed at each of its writes', () => {
  const round = (verb: string, side: string, write: number): string => `${verb}-${side}-${String(write)}`;

  test.each(['before', 'after'] as const)('%s it, it serves and releases all the same', async (side) => {
    const served = await cuts.walk('api', side, (write) => {
      const name = round('c', side, write);
      return Promise.resolve({
        send: async () => {
          await scene.create(name);
          return true;
        },
        isDone: async () => ingressOf(await scene.get(name)).length === 1 && (await held(name)) === 1,
      });
    });
    const released = await cuts.walk('api', side, (write) => {
      const name = round('c', side, write);
      return Promise.resolve({
        send: async () => {
          await plane().client.attempt('DELETE', scene.path(name));
          return true;
        },
        isDone: async () => (await held(name)) === 0,
      });
    });
    expect([served >= 2, released >= 1]).toEqual([true, true]);
    const all = await scene.holders();
    expect(new Set(all.map((each) => each.split('=')[1])).size).toBe(all.length);
  });

  async function held(name: string): Promise<number> {
    return (await scene.holders()).filter((each) => each.endsWith(`=test/${name}`)).length;
  }
});
