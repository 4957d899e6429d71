import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { OlderOperator } from './support/older-operator';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { VipScene } from './support/vip-scene';

const FINALIZER = 'ips.paas.org/finalizer';
const SERVED = Array.from({ length: 40 }, (_, index) => ({
  name: `s${String(index)}`,
  address: `1.1.1.${String(100 + index)}`,
}));

let older: OlderOperator;
let operator: RunningOperator;
const plane = useControlPlane({
  prepare: async (control) => {
    older = await OlderOperator.install(control);
    await scene.open(control);
  },
});
const scene = new VipScene(plane, 'test');
const shown = async () => {
  const { items = [] } = (await plane().client.request('GET', scene.path())) as unknown as {
    items?: readonly Parameters<typeof ingressOf>[0][];
  };
  return Object.fromEntries(items.map((each) => [each.metadata.name, ingressOf(each).join()]));
};

test('R6 VIP-T42 VIP-T43 takes over what version 1.0 left, moves no address, and reports what it put right', async () => {
  await older.group('ipgroup-1', '1.1.1.0/24', ['1.1.1.0', '1.1.1.255']);
  await older.group('broken', 'foo');
  for (const { name, address } of SERVED) await older.service(name, { ingress: [{ ip: address }], ip: address });
  // an address without its IP, one of a class that the older operator did not look at, and what it had no right to
  await older.service('lost', { ingress: [{ ip: '1.1.1.5' }] });
  await older.service('classed', {
    ingress: [{ ip: '1.1.1.6' }],
    ip: '1.1.1.6',
    spec: { loadBalancerClass: 'other/lb' },
  });
  await older.service('named', { ingress: [{ hostname: 'lb.example' }] });
  // what hung or leaked: a changed type, a crash between IP and status, a conflict, a deletion
  await older.service('typed', { spec: { type: 'ClusterIP' }, ip: '1.1.1.7' });
  await older.service('crashed', { ip: '1.1.1.8', finalizers: [] });
  await older.ip('1.1.1.9', 'test/gone', 'ipgroup-1');
  await older.service('stuck', { ingress: [{ ip: '1.1.1.10' }] });
  await plane().client.request('DELETE', scene.path('stuck'));
  await older.service('waiting', { finalizers: [] });
  const before = await shown();

  await applyInstallation(plane(), {
    services: { enabled: false },
    vips: { enabled: true, classless: true, orphanGraceSeconds: 2 },
  });
  const moved: string[] = [];
  const watched = plane().client.watchUntil(scene.path(), (all) => {
    for (const each of all) {
      const { name } = each.metadata;
      const was = before[name] ?? '';
      if (was !== '' && ingressOf(each).join() !== was) moved.push(`${name}: ${ingressOf(each).join()}`);
    }
    return (
      all.every(({ metadata }) => !(metadata.finalizers ?? []).includes(FINALIZER)) &&
      all.some((each) => each.metadata.name === 'waiting' && ingressOf(each).length > 0)
    );
  });
  operator = await startOperator(plane(), { awaitWebhooks: false });
  await watched;
  expect(moved).toEqual([]);
  await scene.shows('crashed', '1.1.1.8');
  await plane().client.watchUntilEmpty(scene.path('stuck'));
  await Promise.all(['1.1.1.7', '1.1.1.9', '1.1.1.10'].map((each) => scene.ipGone(each)));
  await scene.shows('waiting', '1.1.1.1');
  const after = await shown();
  const { stuck: _stuck, ...kept } = before;
  expect(after).toEqual({ ...kept, crashed: '1.1.1.8', waiting: '1.1.1.1' });
  expect(scene.readyOf(await scene.groupWhen('broken', (group) => scene.readyOf(group) !== undefined))?.reason).toBe(
    'InvalidGroup',
  );
});

test('R2 R6 names every Service by UID on record, and keeps what the older operator reads', async () => {
  const services = await Promise.all(SERVED.map(({ name }) => scene.get(name)));
  for (const [index, { metadata }] of services.entries()) {
    const ip = await scene.ipWhen(
      SERVED[index]?.address ?? '',
      ({ spec }) => spec?.['owner']?.['uid'] === metadata.uid,
    );
    expect([ip.metadata.labels?.['ipgroup'], ip.metadata.annotations?.['virtualips.paas.il/owner']]).toEqual([
      'ipgroup-1',
      `test/${metadata.name}`,
    ]);
  }
  const owners = (await scene.holders()).map((each) => each.split('=')[1]);
  expect([owners.length, new Set(owners).size]).toEqual([SERVED.length + 4, SERVED.length + 4]);
});

test('R6 reports counts and names in one line, and finds nothing to do at the next start', async () => {
  const report = lineOf(operator.log());
  expect(report).toMatchObject({
    bound: SERVED.length + 1,
    restored: 1,
    conflicts: 1,
    missing: 1,
    oldFinalizers: SERVED.length + 5,
  });
  expect(report).toMatchObject({
    restoredAddresses: 'test/lost=1.1.1.5',
    conflictingServices: 'test/named',
    missingServices: 'test/gone=1.1.1.9',
  });
  const versions = async () => (await scene.ips()).map(({ metadata }) => metadata.resourceVersion);
  const before = await versions();
  await operator.restart();
  await eventually(() => lineOf(operator.log())['bound'] === 0);
  expect(lineOf(operator.log())).toMatchObject({ bound: 0, restored: 0, conflicts: 1, missing: 0, oldFinalizers: 0 });
  expect(await versions()).toEqual(before);
});

/** The newest report in a log. */
function lineOf(log: string): Readonly<Record<string, unknown>> {
  const lines = log.split('\n').filter((line) => line.includes('services were compared with the record'));
  return JSON.parse(lines.at(-1) ?? '{}') as Readonly<Record<string, unknown>>;
}
