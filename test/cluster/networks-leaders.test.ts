import { join } from 'node:path';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { NetworkScene, shownIn } from './support/network-scene';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

// Each has a store of its own, so that both lead: nothing but the record of the networks keeps them apart.
const plane = useControlPlane({
  prepare: async (control) => {
    // with a zone, so that its claims have a store of their own
    const zones = [{ name: 'lan', prefixes: ['10.80.0.0/24'] }];
    await applyInstallation(control, { zones, services: { enabled: false }, networks: { enabled: true } });
    const start = (name: string) => {
      const store = { store: 'memory', 'sqlite-file': undefined };
      const key = { 'hash-key-secret-name': undefined, 'hash-key-file': join(control.folder, `${name}-key`) };
      return startOperator(control, { name, awaitWebhooks: false, args: { ...store, ...key } });
    };
    await Promise.all([start('one'), start('two')]);
    await scene.open(control);
  },
});
const scene = new NetworkScene(plane, 'test');
afterEach(() => scene.clear(), 120_000);

const COUNT = 48;

test('NET-T100 CONC-02 two leaders at once give no address twice, and every allocation comes to rest with one', async () => {
  await scene.f2();
  const names = Array.from({ length: COUNT }, (_, index) => `n${String(index)}`);
  await Promise.all(names.map((name) => scene.allocation(name)));
  for (const name of names) await scene.ready('allocation', name);
  // what both gave at first is given back by one of them
  await eventually(async () => (await scene.record()).length === COUNT + 3);
  const shown = await Promise.all(names.map(async (name) => shownIn(await scene.get('allocation', name))));
  expect(new Set(shown).size).toBe(COUNT);
  const onRecord = (await scene.record()).filter((each) => /=n\d/u.test(each));
  expect(onRecord.toSorted()).toEqual(
    shown.map((prefix, index) => `${prefix.replace('/32', '')}=${String(names[index])}`).toSorted(),
  );
}, 300_000);

test('two leaders at once nest pools and prefixes, of which none overlaps another one', async () => {
  await scene.instance();
  await scene.prefix('agg0', '10.0.0.0/16', { kind: 'aggregate' });
  await scene.ready('prefix', 'agg0');
  const pools = Array.from({ length: 12 }, (_, index) => `p${String(index)}`);
  await Promise.all([
    ...pools.map((name, index) =>
      scene.allocation(name, { kind: 'pool', prefixLength: 20 + (index % 4), selector: scene.selecting() }),
    ),
    scene.prefix('declared', '10.0.16.0/20', { kind: 'pool' }),
  ]);
  for (const name of pools) await scene.ready('allocation', name);
  await eventually(async () => (await scene.record()).length <= pools.length + 2);
  const blocks = (await scene.record()).filter((each) => /=p\d/u.test(each)).map((each) => spanOf(each));
  const sorted = blocks.toSorted((a, b) => a.first - b.first);
  const overlaps = sorted.filter((each, index) => each.first <= (sorted[index - 1]?.last ?? -1));
  expect([sorted.length, overlaps]).toEqual([pools.length, []]);
}, 300_000);

test('NET-T72 NET-T34 two leaders at once move and release an address once', async () => {
  await scene.f2();
  await scene.allocation('a');
  await scene.ready('allocation', 'a');
  await scene.patch('allocation', 'a', { spec: { prefix: '10.0.1.77/24' } });
  await scene.ready('allocation', 'a', '10.0.1.77/24');
  const kept = ['10.0.0.0/8=agg0', '10.0.1.0/24=vpc-1', '10.0.1.1=net1-p1'];
  await eventually(async () => (await scene.record()).join() === [...kept, '10.0.1.77=a'].join());
  await scene.remove('allocation', 'a');
  await scene.gone('allocation', 'a');
  expect(await scene.record()).toEqual(kept);
}, 300_000);

/** Numbers of the addresses of an entry in 10.0.0.0/16. */
function spanOf(entry: string): { readonly first: number; readonly last: number } {
  const [, third = '0', fourth = '0', length = '32'] = /^10\.0\.(\d+)\.(\d+)\/(\d+)=/u.exec(entry) ?? [];
  const first = 256 * Number(third) + Number(fourth);
  return { first, last: first + 2 ** (32 - Number(length)) - 1 };
}
