import { NEPHIO } from '../../../../operator/contract/nephio';
import { mapOf, metadataOf } from '../../../../operator/contract/loose-json';
import { statusIn } from '../../../../operator/contract/stored-status';
import { MortalClient } from '../../../support/claim-objects-scene';
import { CutClient } from '../../../support/cut-client';
import { NetworksWorld, selecting, type WorldKind } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
});

afterEach(() => world.close());

const GIVEN = { a1: '10.0.1.2/32', a2: '10.0.1.3/32', a3: '10.0.1.4/32' } as const;

async function served(): Promise<() => Promise<void>> {
  const close = await world.open();
  world.f2();
  await world.ready('prefix', 'net1-p1');
  for (const [name, prefix] of Object.entries(GIVEN)) {
    world.allocation(name);
    await world.ready('allocation', name, prefix);
  }
  return close;
}

/** Takes every object away without the operator, and stores it again in some order under other UIDs, as a restore does. */
function restored(order: readonly (readonly [WorldKind, string])[], statuses: boolean): void {
  const kept = order.map(([kind, name]) => [kind, name, world.stored(kind, name)] as const);
  for (const [kind, name] of kept) world.server.remove(world.path(kind, name));
  for (const [kind, name, object] of kept) {
    const { uid: _uid, ...metadata } = metadataOf(object);
    const { status, ...rest } = object;
    world.server.put(world.path(kind, name), { ...rest, metadata, ...(statuses ? { status } : {}) });
  }
}

const EVERYTHING = [
  ['instance', 'vpc-1'],
  ['prefix', 'agg0'],
  ['prefix', 'net1-p1'],
  ['allocation', 'a1'],
  ['allocation', 'a2'],
  ['allocation', 'a3'],
] as const;

async function expectUnchanged(before: readonly string[]): Promise<void> {
  for (const [name, prefix] of Object.entries(GIVEN)) await world.ready('allocation', name, prefix);
  expect(world.record()).toEqual(before);
}

test('NET-T96 NET-E8 a restart moves no address, whatever comes first', async () => {
  const close = await served();
  const before = world.record();
  await close();
  world.prefix('net1-p10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
  await world.open();
  await world.ready('prefix', 'net1-p10');
  await expectUnchanged([...before, '10.0.1.10=net1-p10']);
});

test('CONC-06 what changed while every watch was broken is known afterwards, and no address moves', async () => {
  const first = await served();
  await first();
  const client = new CutClient(world.server);
  const close = await world.open(client);
  await expectUnchanged(world.record());
  client.goAway();
  await world.until('the watches are tried again', () => client.lists > 3);
  await world.remove('allocation', 'a2');
  world.allocation('late');
  expect(world.shown('late')).toBe('');
  client.comeBack();
  await world.gone('allocation', 'a2');
  await world.ready('allocation', 'late');
  await world.ready('allocation', 'a1', GIVEN.a1);
  await world.ready('allocation', 'a3', GIVEN.a3);
  expect(world.record().filter((each) => /=(?:a2|late)$/u.test(each))).toEqual([expect.stringMatching(/=late$/u)]);
  await close();
}, 60_000);

test.each([
  ['as it was', EVERYTHING, true],
  ['in the opposite order', EVERYTHING.toReversed(), true],
  ['without statuses', EVERYTHING.toReversed(), false],
])('NET-T97 DR-02 a restore %s under other UIDs moves no address', async (_how, order, statuses) => {
  const close = await served();
  const before = world.record();
  await close();
  restored(order, statuses);
  await world.open();
  await expectUnchanged(before);
  await world.remove('allocation', 'a2');
  await world.gone('allocation', 'a2');
  expect(world.record()).toEqual(before.filter((each) => !each.endsWith('=a2')));
});

test('CONC-01 DEL-02 what was deleted while no process ran is released by the finalizer that held it', async () => {
  const close = await served();
  await close();
  await world.remove('allocation', 'a2');
  await world.open();
  await world.gone('allocation', 'a2');
  await world.until('it is free', () => !world.record().some((each) => each.endsWith('=a2')));
  expect(world.record()).toContain('10.0.1.4=a3');
});

test('DR-02 an object that is missing without a seen deletion keeps its address for the grace', async () => {
  const close = await served();
  await close();
  world.server.remove(world.path('allocation', 'a2'));
  await world.open();
  await world.logger.heard('an entry is on record for an object that is not stored');
  expect(world.record().some((each) => each.endsWith('=a2'))).toBe(true);
  world.clock.advance(1_001);
  await world.until('it is free', () => !world.record().some((each) => each.endsWith('=a2')));
});

test('DR-03 a paused allocation that goes leaves its address on record for the grace, and has it back', async () => {
  await served();
  const annotations = { 'ipam.vitistack.io/paused': 'true' };
  world.change('allocation', 'a2', { metadata: { annotations } });
  await world.remove('allocation', 'a2');
  await world.gone('allocation', 'a2');
  expect(world.record().some((each) => each.endsWith('=a2'))).toBe(true);
  await world.logger.heard('an entry is on record for an object that is not stored');
  world.clock.advance(1_001);
  await world.until('it is free', () => !world.record().some((each) => each.endsWith('=a2')));
});

test('NET-T108 CONC-08 conflicts of the API server lose nothing', async () => {
  let left = 20;
  world.server.intercept = (request) => {
    const isWrite = request.method === 'PATCH' || request.method === 'PUT';
    if (!isWrite || left === 0 || left-- % 2 === 0) return undefined;
    return { ok: false, status: 409, reason: 'Conflict', message: 'by the test', body: {} };
  };
  await served();
  expect(left).toBe(0);
  expect(world.record()).toHaveLength(6);
});

/** Lets a process die before its nth write, and another one go on until all is done; tells whether it died. */
async function crashesBefore(write: number): Promise<boolean> {
  const client = new MortalClient(world.server);
  let [left, died] = [write, false];
  client.dieBefore(({ method }) => {
    died ||= method !== 'GET' && (left -= 1) === 0;
    return died;
  });
  const dying = await world.open(client);
  await world.until('it is dead, or done', () => died || isWorkDone());
  await dying();
  // what it decided is carried out by the next one after a time
  world.clock.advance(100);
  await world.open();
  await world.until('all is done', isWorkDone);
  return died;
}

test('NET-T96 NET-T98 what an older operator gave is taken over, from the status or from its table', async () => {
  const close = await served();
  const before = world.record();
  await close();
  for (const path of world.server.allPaths('addressclaims')) world.server.remove(path);
  for (const path of world.server.allPaths('addresstables')) world.server.remove(path);
  const instance = world.stored('instance', 'vpc-1');
  const { allocations } = statusIn(instance);
  const dump = { ...mapOf(allocations), '10.0.1.77/32': clientLabels('g1') };
  world.server.put(world.path('instance', 'vpc-1'), { ...instance, status: { allocations: dump } });
  world.server.put(world.path('allocation', 'a2'), { ...world.stored('allocation', 'a2'), status: {} });
  world.allocation('young');
  await world.open();
  await world.ready('allocation', 'young', '10.0.1.5/32');
  for (const [name, prefix] of Object.entries(GIVEN)) await world.ready('allocation', name, prefix);
  expect(world.record()).toEqual([...before, '10.0.1.5=young', '10.0.1.77=g1']);
});

/** Labels of an address that a client of the gRPC API had from the older operator. */
const clientLabels = (name: string) => ({
  [NEPHIO.allocationName]: name,
  [NEPHIO.networkName]: 'net1',
  [NEPHIO.origin]: 'allocation',
  [NEPHIO.prefixKind]: 'network',
});

const END = [
  '10.0.0.0/8=agg0',
  '10.0.1.0/24=vpc-1',
  '10.0.1.1=net1-p1',
  ...Object.entries(GIVEN).map(([name, prefix]) => `${prefix.replace('/32', '')}=${name}`),
  '10.0.5.0/24=vpc-1',
  '10.0.5.1=net2-p1',
  '10.0.5.9=moved',
  '10.0.5.50=adopted',
  '10.0.8.0/24=vpc-1',
  '10.0.8.1=net3-p1',
];

function isWorkDone(): boolean {
  const isShown = Object.entries({ ...GIVEN, moved: '10.0.5.9/24', adopted: '10.0.5.50/24' }).every(
    ([name, prefix]) => world.shown(name) === prefix,
  );
  const isMoved = world.shown('net3-p1', 'prefix') === '10.0.8.1/24';
  return isShown && isMoved && world.record().join() === END.join();
}

test('NET-T97 CONC-01 a crash before any write loses nothing, and gives nothing twice', async () => {
  let writes = 0;
  for (let isDone = false; !isDone;) {
    world = new NetworksWorld();
    await prepared();
    isDone = !(await crashesBefore((writes += 1)));
    expect(world.record()).toEqual(END);
    await world.close();
  }
  expect(writes).toBeGreaterThan(10);
}, 120_000);

/**
 * The state in which the dying process starts: two to give, one to move, one to release, one whose claim was lost, and a prefix to move.
 */
async function prepared(): Promise<void> {
  const close = await world.open();
  world.f2();
  world.prefix('net2-p1', '10.0.5.1/24', { network: 'net2' });
  await world.ready('prefix', 'net1-p1');
  await world.ready('prefix', 'net2-p1');
  world.allocation('a1');
  await world.ready('allocation', 'a1', GIVEN.a1);
  for (const name of ['moved', 'going']) {
    world.allocation(name, { selector: selecting('net2') });
    await world.ready('allocation', name);
  }
  world.allocation('adopted', { prefix: '10.0.5.50/24', selector: selecting('net2') });
  await world.ready('allocation', 'adopted');
  world.prefix('net3-p1', '10.0.7.1/24', { network: 'net3' });
  await world.ready('prefix', 'net3-p1');
  await close();
  const [lost = ''] = world.server.allPaths('addressclaims').filter((path) => path.endsWith('.10.0.5.50'));
  world.server.remove(lost);
  world.change('prefix', 'net3-p1', { spec: { prefix: '10.0.8.1/24' } });
  world.change('allocation', 'moved', { spec: { prefix: '10.0.5.9/24' } });
  await world.remove('allocation', 'going');
  world.allocation('a2');
  world.allocation('a3');
}
