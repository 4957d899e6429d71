import { metadataOf } from '../../../../../operator/contract/loose-json';
import { conditionOf, statusIn } from '../../../../../operator/contract/stored-status';
import { egressSpec } from '../../../../support/egress-kind-samples';
import { CIDR_A, PlacementWorld } from '../../../../support/placement-world';

let world: PlacementWorld;
beforeEach(() => {
  world = new PlacementWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.dataplane.faults).toEqual([]);
});

const BM = '/apis/redhatcop.redhat.io/v1alpha1/egressipams/bm';

/** Lets the time pass in which what failed is tried again. */
const triedAgain = (isSo: () => boolean) =>
  world.until('it was tried again', () => {
    world.clock.advance(10_000);
    return isSo();
  });

test('EG-case-25 an EgressIPAM goes once its namespaces and nodes are clean', async () => {
  await world.servesTwo();
  world.dataplane.away('node/n2');

  await world.removeIpam('bm');

  await world.recorded('10.0.0.2=b');
  expect(metadataOf(world.storedIpam('bm'))['name']).toBe('bm');
  world.dataplane.away('node/n2', false);
  await world.gone('bm');
  expect([world.record(), world.dataplane.nodes.size, world.dataplane.namespaces.size]).toEqual([[], 0, 0]);
  expect(Object.values(world.annotations('a'))).toContain('bm');
});

test('EG-case-26 EG-5 a dataplane that does not answer keeps no EgressIPAM for ever, and an Event names what is left', async () => {
  await world.servesTwo();
  for (const key of ['namespace/a', 'node/n1']) world.dataplane.away(key);
  await world.removeIpam('bm');
  await world.recorded('10.0.0.1=a');

  // the time counts from the first look of the process
  await world.until('bm is gone', () => {
    world.clock.advance(10_000);
    return metadataOf(world.storedIpam('bm'))['name'] === undefined;
  });

  await world.told('bm', 'DataplaneResidue');
  // the dataplane may still send from it, so no other namespace is given it
  expect(world.record()).toEqual(['10.0.0.1=a']);
  expect(world.placed()).toEqual(['10.0.0.1@n1']);

  // without an opt-out, and without a restart
  for (const key of ['namespace/a', 'node/n1']) world.dataplane.away(key, false);
  await triedAgain(() => world.record().length === 0);
  await world.clean();
});

test('EG-case-26 what an EgressIPAM left behind is given back by a process that starts later, too', async () => {
  const end = await world.servesTwo();
  world.dataplane.away('namespace/a');
  await world.removeIpam('bm');
  await triedAgain(() => metadataOf(world.storedIpam('bm'))['name'] === undefined);
  await end();
  world.dataplane.away('namespace/a', false);

  await world.open();

  await world.recorded();
  await world.clean();
  expect(world.list('a')).toBeUndefined();
});

test('EG-case-26 what an EgressIPAM left behind is kept by a namespace for which one of its name is made anew', async () => {
  await world.servesTwo();
  world.dataplane.away('namespace/a');
  await world.removeIpam('bm');
  await triedAgain(() => metadataOf(world.storedIpam('bm'))['name'] === undefined);

  world.bm();

  await world.has('a', '10.0.0.1');
  world.dataplane.away('namespace/a', false);
  await triedAgain(() => world.sent('a') !== undefined && world.sent('b') !== undefined);
  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b']);
});

test.each([
  ['is missing', 'EgressIPAMNotFound'],
  ['is full', 'PoolExhausted'],
])(
  'EG-5 one that is deleted waits while a namespace moves to another that %s, and says how to go on',
  async (how, reason) => {
    await world.servesTwo();
    if (how === 'is full') {
      world.node('n3', { labels: { egressGateway: 'b' } });
      world.ipam('other', egressSpec({ CIDR: '10.1.0.0/32', labelValue: 'b' }));
      world.namespace('c', 'other');
      await world.has('c', '10.1.0.0');
    }
    world.annotate('a', { egressIpam: 'other' });
    await world.told('a', reason);
    await world.removeIpam('bm');
    await world.until('b has let go', () => world.list('b') === undefined);

    for (let round = 0; round < 40; round++) world.clock.advance(10_000);

    const status = await world.status('bm', 'waits', () => world.condition('bm', 'DeletionHeld')[0] === 'True');
    const { message } = conditionOf(status, 'DeletionHeld') ?? {};
    expect(message).toContain('Namespace a keeps 10.0.0.1 and waits for EgressIPAM other: ');
    expect(message).toContain(`(${reason}); take egressip-ipam-operator.redhat-cop.io/egressipam off the namespace`);
    expect([world.list('a'), world.sent('a'), world.record().includes('10.0.0.1=a')]).toEqual([
      '10.0.0.1',
      '10.0.0.1@n1',
      true,
    ]);

    world.annotate('a', { egressIpam: undefined });
    await triedAgain(() => metadataOf(world.storedIpam('bm'))['name'] === undefined);
    await world.recorded(...(how === 'is full' ? ['10.1.0.0=c'] : []));
  },
);

test('EG-case-26 one whose spec became invalid is cleaned as well', async () => {
  await world.servesTwo();
  world.respec('bm', { CIDR: '10.0.0.5/29', labelValue: 'a' });
  await world.status('bm', 'is invalid', () => world.condition('bm', 'Ready')[1] === 'InvalidEgressIPAM');
  // fail-over goes on by what was valid
  world.node('n1', { downForMs: 1 });
  await world.sends('a', '10.0.0.1@n2');

  await world.removeIpam('bm');

  await world.gone('bm');
  await world.clean();
  expect(world.record()).toEqual([]);
});

/** Serves two namespaces, then starts a process that finds the EgressIPAM invalid; without `status` no valid spec is known. */
async function invalidAtStart(isStatusLost = false): Promise<{ readonly writesBefore: number }> {
  const end = await world.servesTwo();
  await world.status('bm', 'keeps the valid spec', ({ lastValidSpec }) => lastValidSpec !== undefined);
  await end();
  world.respec('bm', { CIDR: '10.0.0.5/29', labelValue: 'a' });
  if (isStatusLost) world.server.put(BM, { ...world.storedIpam('bm'), status: {} });
  const writesBefore = world.dataplane.writes.length;
  await world.open();
  await world.status('bm', 'is invalid', () => world.condition('bm', 'Ready')[1] === 'InvalidEgressIPAM');
  return { writesBefore };
}

test('EG-12 the addresses of one that is invalid when a process starts leave a node that fails, and nothing new is given', async () => {
  await invalidAtStart();
  expect(statusIn(world.storedIpam('bm'))['lastValidSpec']).toEqual({
    topologyLabel: 'egressGateway',
    cidrAssignments: [CIDR_A],
  });

  world.node('n1', { downForMs: 1 });
  world.namespace('c', 'bm');

  await world.sends('a', '10.0.0.1@n2');
  await world.told('c', 'InvalidEgressIPAM');
  expect([world.record(), world.placed()]).toEqual([
    ['10.0.0.1=a', '10.0.0.2=b'],
    ['10.0.0.1@n2', '10.0.0.2@n2'],
  ]);
  expect(statusIn(world.storedIpam('bm'))['lastValidSpec']).toMatchObject({ cidrAssignments: [CIDR_A] });
});

test.each(['known', 'lost'])(
  'one that is invalid when a process starts loses nothing, its valid spec %s',
  async (how) => {
    const { writesBefore } = await invalidAtStart(how === 'lost');
    world.node('n3', { labels: {} });
    await world.logger.heard('namespaces were compared');

    expect(world.dataplane.writes.slice(writesBefore)).toEqual([]);
  },
);

test('EG-case-26 EG-5 one that was invalid when the process started is cleaned as well', async () => {
  await invalidAtStart();
  const before = world.dataplane.writes.length;

  await world.removeIpam('bm');

  await world.gone('bm');
  await world.clean();
  expect(world.record()).toEqual([]);
  // no address left a node before its namespace had let go
  const writes = world.dataplane.writes.slice(before);
  for (const [namespace, node] of [
    ['a', 'n1'],
    ['b', 'n2'],
  ] as const)
    expect(writes.indexOf(`namespace/${namespace} -`)).toBeLessThan(writes.indexOf(`node/${node} [] in 0`));
});

test('EG-case-27 with the policy Retain everything stays, and is marked before the EgressIPAM goes', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
  world.ipam('bm', { ...egressSpec(CIDR_A), deletionPolicy: 'Retain' });
  const end = await world.open();
  await world.sends('b', '10.0.0.2@n2');
  await world.sends('a', '10.0.0.1@n1');

  await world.removeIpam('bm');

  await world.gone('bm');
  const orphans = (): readonly boolean[] => [...world.dataplane.namespaces.values()].map(({ isOrphan }) => isOrphan);
  expect([orphans(), world.placed()]).toEqual([
    [true, true],
    ['10.0.0.1@n1', '10.0.0.2@n2'],
  ]);
  await end();
  await world.open();
  await world.logger.heard('namespaces were compared');
  world.node('n3');
  expect([orphans(), world.placed(), world.list('a')]).toEqual([
    [true, true],
    ['10.0.0.1@n1', '10.0.0.2@n2'],
    '10.0.0.1',
  ]);
});
