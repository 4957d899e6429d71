import { addressOf } from '../../../../../operator/addressing/address';
import { sourceOf } from '../../../../../operator/contract/occupied-source';
import { wasShown } from '../../../../../operator/front-doors/services/controller/status';
import { openLedger } from '../../../../../operator/ledger/open-ledger';
import { SharedUses } from '../../../../../operator/ledger/occupied/shared-uses';
import type { OccupiedAddresses } from '../../../../../operator/ports/occupied-addresses';
import { ControllerWorld, withIngress } from '../../../../support/controller-world';
import { testHasher } from '../../../../support/ledger-world';
import { usesOf } from '../../../../support/occupied-suite';
import { ownRecord } from '../../../../support/own-record';
import { service } from '../../../../support/review-builder';

const [ZONE, ADDRESSES] = ['ipam.vitistack.io/zone', 'ipam.vitistack.io/addresses'] as const;
const ALL = Array.from({ length: 256 }, (_, i) => `10.0.0.${i}`);
const inZone = (name: string, more: Readonly<Record<string, string>> = {}) =>
  service({ [ZONE]: 'z', ...more }, {}, { name });

/** A cluster with the controller, and another cluster on the same record. */
async function world() {
  const made = new ControllerWorld({ zones: { version: 1, zones: [{ name: 'z', prefixes: ['10.0.0.0/24'] }] } });
  const { store, zones, clock, cluster } = made.door;
  const uses: OccupiedAddresses = usesOf(store);
  const { book, registry } = openLedger({
    record: { ...ownRecord(store), occupied: uses },
    zones,
    hasher: testHasher,
    clock,
  });
  const shared = new SharedUses({ uses, book, registry, zones });
  const own = await cluster.clusterUid();
  await made.compare();
  const look = async (): Promise<void> => {
    made.controller.meets(await uses.met(own));
    await made.settle();
  };
  return {
    made,
    look,
    /** The operator of the other cluster reports addresses; it is told how many had no room. */
    reports: async (cluster: string, ...addresses: readonly string[]): Promise<number> => {
      const use = { source: 'Service/far/db', weight: 'occupied' } as const;
      const changes = addresses.map((text) => ({ network: 'default', address: addressOf(text), use }));
      const done = await shared.write(cluster, changes, { limits: {}, isLate: () => false });
      await look();
      return done.ok ? done.value.length : -1;
    },
    /** The own leader puts on record that a Node has an address. */
    hasNode: async (text: string): Promise<void> => {
      const source = sourceOf({ kind: 'Node', namespace: '', name: 'worker' });
      const place = { cluster: own, network: 'default', address: addressOf(text) };
      await uses.write({ ...place, use: { source, weight: 'occupied' } });
      await look();
    },
    has: (name: string): string | undefined => made.annotations(name)['metallb.io/loadBalancerIPs'],
    /** MetalLB takes everything away, and does nothing from now on. */
    stopsAnnouncing: async (name: string): Promise<void> => {
      made.announces = false;
      made.services.put(withIngress(made.services.object(name), []));
      await made.pass(20_000);
    },
  };
}

describe('FU-02 a cluster that reports every address of a zone', () => {
  test('moves and takes nothing of another cluster, announced or not, and leaves room for new Services', async () => {
    const { made, reports, has } = await world();
    await made.create(inZone('loud'));
    await made.settle();
    made.announces = false;
    await made.create(inZone('quiet'));
    await made.create(inZone('wished', { [ADDRESSES]: '10.0.0.9' }));
    await made.settle();
    const before = await made.bound();
    expect(before).toEqual(['loud=10.0.0.0', 'quiet=10.0.0.1', 'wished=10.0.0.9']);

    expect(await reports('hostile', ...ALL)).toBe(128);
    await made.pass(60_000);
    made.restart();
    await made.compare();
    expect(await reports('hostile', ...ALL)).toBe(128);
    expect(await made.bound()).toEqual(before);
    expect([has('loud'), has('quiet'), has('wished')]).toEqual(['10.0.0.0', '10.0.0.1', '10.0.0.9']);
    expect(made.announced('loud')).toEqual(['10.0.0.0']);
    expect(
      made.services.writes.filter(({ kind, what }) => kind === 'event' && JSON.stringify(what).includes('given up')),
    ).toEqual([]);

    await made.create(inZone('next'));
    await made.settle();
    expect(has('next')).toBe('10.0.0.128');
  });

  test('is named in the condition of what is bound and not announced, and the reason stays', async () => {
    const { made, reports, has } = await world();
    made.announces = false;
    await made.create(inZone('quiet'));
    await made.settle();
    await made.pass(20_000);
    expect(made.condition('quiet')).toMatchObject({ status: 'Unknown', reason: 'NotAnnounced' });
    expect(made.condition('quiet')?.message).not.toContain('cluster');
    await reports('far', '10.0.0.0');
    await made.settle();
    const words = 'cluster "far" reports "10.0.0.0" as in use there';
    expect(made.condition('quiet')).toMatchObject({ status: 'Unknown', reason: 'NotAnnounced' });
    expect(made.condition('quiet')?.message).toContain(words);
    expect(made.condition('quiet')?.message).not.toContain('db');
    // that is no word of the Service itself
    expect(wasShown(made.condition('quiet'), addressOf('10.0.0.0'))).toBe(false);
    made.restart();
    await made.compare();
    await reports('far');
    await made.pass(600_000, 60_000);
    expect(made.condition('quiet')?.message).toContain(words);
    expect(has('quiet')).toBe('10.0.0.0');
    // it is announced, or the other cluster shows it no more
    made.announces = true;
    made.services.put(withIngress(made.services.object('quiet'), ['10.0.0.0']));
    await made.settle();
    expect(made.condition('quiet')).toMatchObject({ status: 'True' });
    expect(made.condition('quiet')?.message).not.toContain('cluster');
  });

  test('is gone around by what is reserved and not bound yet', async () => {
    const { made, reports, has } = await world();
    await made.create(inZone('web'));
    expect(has('web')).toBe('10.0.0.0');
    await reports('far', '10.0.0.0');
    expect(has('web')).toBe('10.0.0.1');
    expect(await made.bound()).toEqual(['web=10.0.0.1']);
  });
});

describe('FU-02 an address that a Node of the own cluster has as well', () => {
  test('stays with a Service that showed it once, also after a restart while nothing shows it', async () => {
    const { made, hasNode, stopsAnnouncing, has } = await world();
    await made.create(inZone('web'));
    await made.settle();
    await stopsAnnouncing('web');
    expect(made.condition('web')).toMatchObject({ status: 'Unknown', reason: 'NotAnnounced' });
    expect(made.condition('web')?.message).toContain('does not show "10.0.0.0" any more');
    made.restart();
    await made.compare();
    await hasNode('10.0.0.0');
    await made.pass(600_000, 60_000);
    expect(has('web')).toBe('10.0.0.0');
    expect(await made.bound()).toEqual(['web=10.0.0.0']);
    expect(made.condition('web')?.message).toContain('any more');
  });

  test('is left by a Service that never showed it, also after a restart', async () => {
    const { made, hasNode, has } = await world();
    made.announces = false;
    await made.create(inZone('web'));
    await made.create(inZone('wished', { [ADDRESSES]: '10.0.0.9' }));
    await made.settle();
    await made.pass(20_000);
    expect(made.condition('web')).toMatchObject({ status: 'Unknown' });
    made.restart();
    await made.compare();
    await hasNode('10.0.0.0');
    await hasNode('10.0.0.9');
    expect(has('web')).toBe('10.0.0.1');
    expect(await made.bound()).toEqual(['web=10.0.0.1']);
    expect(made.condition('wished')).toMatchObject({ status: 'False' });
  });

  test('stays with a Service of which an older release said no more than that it does not show', async () => {
    const { made, hasNode, stopsAnnouncing, has } = await world();
    await made.create(inZone('web'));
    await made.settle();
    await stopsAnnouncing('web');
    const object = made.services.object('web');
    const condition = made.condition('web');
    expect(condition).toMatchObject({ reason: 'NotAnnounced' });
    const message = condition?.message.replace(' any more', '') ?? '';
    const { status = {} } = object as { readonly status?: Readonly<Record<string, unknown>> };
    made.services.put({ ...object, status: { ...status, conditions: [{ ...condition, message }] } });
    made.restart();
    await hasNode('10.0.0.0');
    await made.compare();
    await made.pass(600_000, 60_000);
    expect(has('web')).toBe('10.0.0.0');
    expect(await made.bound()).toEqual(['web=10.0.0.0']);
  });

  test('stays where the API server shows it and the feed does not yet', async () => {
    const { made, hasNode, has } = await world();
    made.announces = false;
    await made.create(inZone('web'));
    await made.settle();
    made.services.follows = false;
    made.services.put(withIngress(made.services.object('web'), ['10.0.0.0']));
    await hasNode('10.0.0.0');
    expect(has('web')).toBe('10.0.0.0');
    expect(await made.bound()).toEqual(['web=10.0.0.0']);
  });
});

test('a claim is looked at again when another object or cluster shows its address, or it has another holder', async () => {
  const { made } = await world();
  const woken: string[] = [];
  made.controller.onWake(({ name }) => woken.push(name));
  const holder = { cluster: 'c', apiVersion: 'v1', kind: 'Service', namespace: 'a', namespaceUid: '' };
  const met = (name: string, use: { readonly cluster: string; readonly source: string }) => ({
    network: 'default',
    address: addressOf('10.0.0.7'),
    pool: 'z',
    use,
    holder: { ...holder, name, uid: `uid of ${name}` },
  });
  const seen = (...claims: readonly ReturnType<typeof met>[]): readonly string[] => {
    woken.length = 0;
    made.controller.meets(claims);
    return [...woken];
  };
  const [here, far] = [
    { cluster: 'c', source: 'an object' },
    { cluster: 'far', source: 'an object' },
  ];
  expect(seen(met('web', far))).toEqual(['web']);
  expect(seen(met('web', far))).toEqual([]);
  expect(seen(met('web', here))).toEqual(['web']);
  expect(seen(met('web', here), met('web', far))).toEqual(['web']);
  expect(seen(met('web', far), met('db', here))).toEqual(['db']);
  expect(seen(met('web', { cluster: 'far', source: 'Node/a' }))).toEqual(['web']);
});

test.each([
  [undefined, false],
  [{ status: 'True', message: '"10.0.0.1" of zone "z" is bound to this Service' }, true],
  [{ status: 'True', message: '"10.0.0.10" of zone "z" is bound to this Service' }, false],
  [
    {
      status: 'Unknown',
      message: '"10.0.0.1" of zone "z" is bound to this Service; status.loadBalancer does not show "10.0.0.1" yet',
    },
    false,
  ],
  [
    {
      status: 'Unknown',
      message:
        '"10.0.0.1" of zone "z" is bound to this Service; status.loadBalancer does not show "10.0.0.1" any more: no pool',
    },
    true,
  ],
  [
    {
      status: 'Unknown',
      message:
        '"10.0.0.1" and "10.0.0.2" of zone "z" are bound to this Service; status.loadBalancer does not show "10.0.0.2"',
    },
    true,
  ],
  // an older release
  [
    {
      status: 'Unknown',
      message: '"10.0.0.1" of zone "z" is bound to this Service; status.loadBalancer does not show "10.0.0.1": no pool',
    },
    true,
  ],
  [
    {
      status: 'Unknown',
      message:
        '"10.0.0.1" of zone "z" is bound to this Service; status.loadBalancer does not show "10.0.0.1" yet: an Event says any more',
    },
    false,
  ],
  [
    {
      status: 'Unknown',
      message:
        '"10.0.0.1" and "10.0.0.2" of zone "z" are bound to this Service; status.loadBalancer does not show "10.0.0.2" any more; status.loadBalancer does not show "10.0.0.1" yet: no pool',
    },
    false,
  ],
  [{ status: 'False', message: 'zone "z" is full; until then the Service keeps "10.0.0.1"' }, true],
  [{ status: 'False', message: 'address "10.0.0.1" is held by "a/db"' }, false],
  [{ status: 'False', message: 'zone "z" is full, and what else there is to say of it takes …' }, true],
] as const)('FU-02 the condition %j tells whether 10.0.0.1 was shown', (condition, shown) => {
  const saying = condition === undefined ? undefined : { ...condition, reason: 'x' };
  expect(wasShown(saying, addressOf('10.0.0.1'))).toBe(shown);
});
