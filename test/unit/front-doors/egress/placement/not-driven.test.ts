import { EGRESS_DATAPLANE_GONE } from '../../../../../operator/contract/egress';
import { listOf, mapOf, metadataOf, textOf } from '../../../../../operator/contract/loose-json';
import { conditionOf } from '../../../../../operator/contract/stored-status';
import { egressSpec } from '../../../../support/egress-kind-samples';
import { egressPage, egressSentences } from '../../../../support/egress-pages';
import { MemoryDataplane } from '../../../../support/memory-dataplane';
import { CIDR_A, CIDR_B, PlacementWorld } from '../../../../support/placement-world';

let world: PlacementWorld;
beforeEach(() => {
  world = new PlacementWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.dataplane.faults).toEqual([]);
});

/** Serves `a` and `b` by a dataplane whose driver is switched off then. */
async function switchedOff(): Promise<void> {
  const end = await world.servesTwo();
  await end();
  world.dataplanes.set();
  await world.open();
}

const CLAIMS = '/apis/ipam.vitistack.io/v1alpha1/addressclaims';
const SENTENCE =
  '10.0.0.1 is not released while memory, which is not driven, may have it: name it in egress.dataplanes, or annotate the AddressClaim with ipam.vitistack.io/dataplane-gone=true once its objects are gone';

test('EG-22 what a dataplane without its driver may have is given to no other namespace, and everything tells why', async () => {
  await switchedOff();
  world.annotate('a', { egressIpam: undefined });

  await world.told('a', 'DataplaneNotDriven');
  world.namespace('c', 'bm', '10.0.0.1');
  await world.told('c', 'AddressInUse');
  expect([world.list('a'), world.record()]).toEqual([undefined, ['10.0.0.1=a', '10.0.0.2=b']]);
  const status = await world.status(
    'bm',
    'tells what is held',
    () => world.condition('bm', 'ReleaseHeld')[0] === 'True',
  );
  expect(conditionOf(status, 'ReleaseHeld')).toMatchObject({
    reason: 'DataplaneNotDriven',
    message: `addresses that are to be released and are not: 1; ${SENTENCE} (Namespace a)`,
  });
  expect(await egressSentences(world, '/addresses/10.0.0.1')).toContain(SENTENCE);
  const { findings } = await egressPage(world, '/findings');
  expect(listOf(findings).map((each) => textOf(mapOf(each)['finding']))).toContain(
    `may have 2 of the addresses on record, and is not driven; ${SENTENCE}`,
  );
  expect(world.meter.of('egress_refusals_total').map(({ labels }) => labels['reason'])).toContain('DataplaneNotDriven');
});

test('it is released once the driver is back and has cleaned', async () => {
  await switchedOff();
  world.annotate('a', { egressIpam: undefined });
  await world.told('a', 'DataplaneNotDriven');

  world.dataplanes.set(world.dataplane);

  await world.sends('a', undefined);
  await world.recorded('10.0.0.2=b');
  expect(world.placed()).toEqual(['10.0.0.2@n2']);
  await world.status('bm', 'tells nothing', () => world.condition('bm', 'ReleaseHeld')[0] === undefined);
});

test('it is released once an administrator says that the dataplane has it no more', async () => {
  await switchedOff();
  world.annotate('a', { egressIpam: undefined });
  await world.told('a', 'DataplaneNotDriven');
  // the dataplane is not looked at any more
  world.dataplane.watchman = () => undefined;

  world.sayGone('10.0.0.1');

  await world.recorded('10.0.0.2=b');
  expect(world.dataplane.namespaces.has('a')).toBe(true);
});

test('a namespace that goes while the driver is off gives nothing to a new one', async () => {
  await switchedOff();

  world.removeNamespace('a');

  await world.told('a', 'DataplaneNotDriven');
  world.namespace('c', 'bm');
  await world.has('c', '10.0.0.3');
  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b', '10.0.0.3=c']);
  await world.close();
  const { latest } = world;
  const { findings } = await egressPage(world, '/findings');
  expect(latest).toBeDefined();
  expect(listOf(findings).map((each) => textOf(mapOf(each)['finding']))).toContain(
    'is on record for Namespace a, which is not stored, and stays so',
  );
});

test('what an EgressIPAM with another dataplane gives anew keeps the name of the former one until that has let go', async () => {
  for (const name of ['n1', 'n3']) world.node(name, { labels: { egressGateway: name === 'n1' ? 'a' : 'b' } });
  world.namespace('a', 'bm');
  world.bm();
  world.ipam('none', { ...egressSpec(CIDR_B), dataplane: 'none' });
  await world.open();
  await world.sends('a', '10.0.0.1@n1');
  world.dataplane.away('namespace/a');

  world.annotate('a', { egressIpam: 'none' });

  await world.has('a', '10.1.0.1');
  expect([world.marks('10.0.0.1'), world.marks('10.1.0.1')]).toEqual([['memory'], []]);
  world.dataplane.away('namespace/a', false);
  await world.recorded('10.1.0.1=a');
});

test('a dataplane that has let go is taken off the record, and the next one comes on before it is told', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  world.namespace('a', 'bm');
  world.bm();
  const end = await world.open();
  await world.sends('a', '10.0.0.1@n1');
  expect(world.marks('10.0.0.1')).toEqual(['memory']);
  const other = new MemoryDataplane({ name: 'openshift-sdn' });
  const early: string[] = [];
  other.watchman = (addresses) => {
    for (const each of addresses.map(String)) if (!world.marks(each).includes('openshift-sdn')) early.push(each);
  };
  world.dataplanes.set(world.dataplane, other);
  const stored = world.storedIpam('bm');
  world.server.put('/apis/redhatcop.redhat.io/v1alpha1/egressipams/bm', {
    ...stored,
    spec: { ...egressSpec(CIDR_A), dataplane: 'openshift-sdn' },
    metadata: { ...metadataOf(stored), generation: 2 },
  });
  await world.until('the other one serves', () => other.namespaces.size === 1 && world.dataplane.nodes.size === 0);
  await end();
  await world.open();
  await world.until('the record names the other one alone', () => world.marks('10.0.0.1').join() === 'openshift-sdn');
  await world.close();

  world.dataplanes.set(other);
  await world.open();
  world.annotate('a', { egressIpam: undefined });

  await world.recorded();
  expect([early, other.faults]).toEqual([[], []]);
});

test('a claim from before dataplanes were on record names the one that carries it, and the word of an administrator ends with that', async () => {
  world.node('n1');
  world.namespace('a', 'bm');
  world.bm();
  const end = await world.open();
  await world.sends('a', '10.0.0.1@n1');
  await end();
  // reads as one that names no dataplane
  world.sayGone('10.0.0.1');

  await world.open();

  await world.until('the claim is written', () => {
    const { annotations } = metadataOf(world.server.get(`${CLAIMS}/default.10.0.0.1`));
    return !Object.hasOwn(mapOf(annotations), EGRESS_DATAPLANE_GONE);
  });
  expect([world.marks('10.0.0.1'), world.sent('a')]).toEqual([['memory'], '10.0.0.1@n1']);
});
