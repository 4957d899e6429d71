import { NEPHIO } from '../../operator/contract/nephio';
import { shownIn, type NetworkKind } from './support/network-scene';
import { useNetworks } from './support/use-networks';

const { operator, scene } = useNetworks();
afterEach(() => scene.clear(), 60_000);

const GIVEN = { a1: '10.0.1.2/32', a2: '10.0.1.3/32', a3: '10.0.1.4/32' } as const;

async function served(): Promise<readonly string[]> {
  await scene.f2();
  for (const [name, prefix] of Object.entries(GIVEN)) {
    await scene.allocation(name);
    await scene.ready('allocation', name, prefix);
  }
  return scene.record();
}

async function expectUnchanged(before: readonly string[]): Promise<void> {
  for (const [name, prefix] of Object.entries(GIVEN)) await scene.ready('allocation', name, prefix);
  expect(await scene.record()).toEqual(before);
}

test('NET-E8 NET-T96 a restart moves no address, and what comes meanwhile is served after it', async () => {
  const before = await served();
  await operator().kill('SIGTERM');
  await scene.prefix('net1-p10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
  await scene.allocation('late');
  await operator().restart();
  await scene.ready('prefix', 'net1-p10');
  await scene.ready('allocation', 'late');
  const late = shownIn(await scene.get('allocation', 'late')).replace('/32', '=late');
  await expectUnchanged([...before, '10.0.1.10=net1-p10', late].toSorted());
}, 120_000);

test('CONC-01 a process that is killed again and again gives nothing twice, and serves all in the end', async () => {
  await scene.f2();
  const names = Array.from({ length: 60 }, (_, index) => `n${String(index)}`);
  const created = Promise.all(names.map((name) => scene.allocation(name)));
  for (let kills = 0; kills < 3; kills++) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    await operator().kill('SIGKILL');
    await operator().restart();
  }
  await created;
  for (const name of names) await scene.ready('allocation', name);
  const shown = await Promise.all(names.map(async (name) => shownIn(await scene.get('allocation', name))));
  expect(new Set(shown).size).toBe(60);
  const onRecord = (await scene.record()).filter((each) => each.includes('=n') && !each.includes('=net1'));
  expect(onRecord.toSorted()).toEqual(
    shown.map((prefix, index) => `${prefix.replace('/32', '')}=${String(names[index])}`).toSorted(),
  );
}, 180_000);

test('CONC-01 DEL-02 what is deleted while no process runs is released afterwards', async () => {
  const before = await served();
  await operator().kill('SIGTERM');
  await scene.remove('allocation', 'a2');
  await operator().restart();
  await scene.gone('allocation', 'a2');
  expect(await scene.record()).toEqual(before.filter((each) => !each.endsWith('=a2')));
}, 120_000);

/** Takes objects away past their finalizers, and stores them again under other UIDs, as a restore does. */
async function restore(order: readonly (readonly [NetworkKind, string])[]): Promise<void> {
  const kept = await Promise.all(order.map(async ([kind, name]) => [kind, await scene.get(kind, name)] as const));
  for (const [kind, { metadata }] of kept) {
    await scene.patch(kind, metadata.name, { metadata: { finalizers: null } });
    await scene.remove(kind, metadata.name);
  }
  for (const [kind, { metadata, spec = {} }] of kept)
    await scene.create(kind, metadata.name, { labels: metadata.labels ?? {}, ...spec });
}

test('NET-T97 DR-02 objects that are restored in the worst order have what they had', async () => {
  const before = await served();
  await operator().kill('SIGTERM');
  await restore([
    ['allocation', 'a3'],
    ['allocation', 'a2'],
    ['allocation', 'a1'],
    ['prefix', 'net1-p1'],
    ['prefix', 'agg0'],
    ['instance', 'vpc-1'],
  ]);
  await operator().restart();
  await expectUnchanged(before);
  await scene.remove('allocation', 'a2');
  await scene.gone('allocation', 'a2');
  expect(await scene.record()).toEqual(before.filter((each) => !each.endsWith('=a2')));
}, 120_000);
