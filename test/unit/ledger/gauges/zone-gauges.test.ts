import { setZoneGauges, withDefaultZone } from '../../../../operator/ledger/gauges/zone-gauges';
import { ask, LedgerWorld } from '../../../support/ledger-world';
import { RecordedMeter } from '../../../support/recorded-telemetry';

describe('setZoneGauges', () => {
  test('counts held, quarantined and free addresses of each zone and family', async () => {
    const world = new LedgerWorld([
      { name: 'z', prefixes: ['192.0.2.0/29', '2001:db8::/126'], excluded: ['192.0.2.0'] },
    ]);
    await world.owns(ask('a/web'), 'u1');
    await world.owns(ask('a/db'), 'u2');
    await world.book.releaseByUid({ serviceUid: 'u2' });
    const meter = new RecordedMeter();
    await setZoneGauges({ meter, store: world.store, zones: world.zones });
    const found = Object.fromEntries(
      meter
        .of('zone_addresses')
        .map(({ labels, value }) => [`${labels['family'] ?? ''} ${labels['state'] ?? ''}`, value]),
    );
    expect(found).toEqual({
      'ipv4 held': 1,
      'ipv4 quarantined': 1,
      'ipv4 foreign': 0,
      'ipv4 free': 5,
      'ipv6 held': 0,
      'ipv6 quarantined': 0,
      'ipv6 foreign': 0,
      'ipv6 free': 4,
    });
  });

  test('never shows less than zero free addresses after a zone shrank below its holders', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    for (const name of ['a', 'b', 'c']) await world.has(ask(`n/${name}`));
    world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/31'] }]);
    const meter = new RecordedMeter();
    await setZoneGauges({ meter, store: world.store, zones: world.zones });
    expect(meter.of('zone_addresses').map(({ value }) => value)).toEqual([3, 0, 0, 0]);
  });

  const told = async (world: LedgerWorld, meter = new RecordedMeter()) => {
    await setZoneGauges({ meter, store: world.store, zones: world.zones });
    return meter
      .of('zone_addresses')
      .map(({ labels, value }) => `${labels['zone'] ?? ''} ${labels['state'] ?? ''} ${value}`);
  };

  test('takes what lies outside of a shrunk zone from nothing that is free in it', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/28'] }]);
    for (const name of ['a', 'b', 'c']) await world.has(ask(`n/${name}`));
    world.zones.become([{ name: 'z', prefixes: ['192.0.2.8/29'] }]);

    expect(await told(world)).toEqual(['z held 3', 'z quarantined 0', 'z foreign 0', 'z free 8']);
  });

  test('tells of a renamed zone what its addresses leave free, and of the former name who holds there', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    const meter = new RecordedMeter();
    for (const name of ['a', 'b', 'c']) await world.has(ask(`n/${name}`));
    await told(world, meter);
    world.zones.become([{ name: 'new', prefixes: ['192.0.2.0/29'] }]);

    expect(await told(world, meter)).toEqual([
      ...['new held 0', 'new quarantined 0', 'new foreign 0', 'new free 5'],
      ...['z held 3', 'z quarantined 0', 'z foreign 0', 'z free 0'],
    ]);
  });

  test('takes what somebody else has outside from the free addresses', async () => {
    const { zones } = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    const counts = {
      reserved: 0,
      bound: 1,
      retained: 0,
      contested: 0,
      quarantined: 0,
      outside: 0,
      occupied: 1,
      foreign: 3n,
    };
    const store = { usage: () => Promise.resolve([{ network: 'default', pool: 'z', family: 4 as const, ...counts }]) };
    const meter = new RecordedMeter();
    await setZoneGauges({ meter, store, zones });

    expect(meter.of('zone_addresses').map(({ value }) => value)).toEqual([1, 0, 3, 4]);
  });

  test('has no sample of a state that the record does not count', async () => {
    const { zones } = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    const row = { network: 'default', pool: 'z', family: 4 as const, reserved: 1, bound: 2, outside: 0, occupied: 3 };
    const meter = new RecordedMeter();
    await setZoneGauges({ meter, store: { usage: () => Promise.resolve([row]) }, zones });
    expect(meter.of('zone_addresses').map(({ labels, value }) => [labels['state'], value])).toEqual([
      ['held', 3],
      ['foreign', 0],
      ['free', 5],
    ]);
  });

  test('tells nothing of a zone that is gone without a holder', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    const meter = new RecordedMeter();
    await told(world, meter);
    world.zones.become([{ name: 'new', prefixes: ['198.51.100.0/29'] }]);

    expect((await told(world, meter)).filter((line) => !line.startsWith('new'))).toEqual([]);
  });
});

describe('withDefaultZone', () => {
  const { zones } = new LedgerWorld();

  test('puts its zone over that of the document', () => {
    expect(withDefaultZone(zones, 'z').current()).toMatchObject({ defaultZone: 'z', names: ['z'] });
    expect(withDefaultZone(zones, 'z').current().zone('z')?.name).toBe('z');
  });

  test('leaves the document alone where no zone is given', () => {
    expect(withDefaultZone(zones, '')).toBe(zones);
  });
});
