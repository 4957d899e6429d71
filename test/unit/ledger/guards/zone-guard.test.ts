import type { ZoneProps } from '../../../../operator/contract/zones';
import { networkGuard } from '../../../../operator/ledger/guards/zone-guard';
import { ask, LedgerWorld, TestZones } from '../../../support/ledger-world';

const zone = (network?: string, name = 'z'): ZoneProps[] => [
  { name, prefixes: ['192.0.2.0/29'], ...(network === undefined ? {} : { network }) },
];
const catalogue = (zones: ZoneProps[]): ReturnType<TestZones['current']> => new TestZones(zones).current();

describe('networkGuard', () => {
  let world: LedgerWorld;

  beforeEach(() => {
    world = new LedgerWorld(zone());
  });

  test('lets a zone move while nobody holds an address of it', async () => {
    expect(await networkGuard(world.store)(catalogue(zone('other')), catalogue(zone()))).toEqual([]);
  });

  test('objects to the move of a zone with holders, at a reload and at a start', async () => {
    await world.owns(ask('a/web'), 'u1');
    await world.owns(ask('a/db'), 'u2');
    const message =
      'zone "z" cannot move from network "default" to network "other" while 2 of its addresses are held, since it would give them again; keep the network, or make a zone of another name for the new one';
    for (const before of [catalogue(zone()), undefined]) {
      expect(await networkGuard(world.store)(catalogue(zone('other')), before)).toMatchObject([
        { code: 'zone/invalid', message },
      ]);
    }
  });

  test('lets other edits of a zone with holders pass', async () => {
    await world.owns(ask('a/web'), 'u1');
    const next = [{ name: 'z', prefixes: ['192.0.2.0/30'] }, ...zone('other', 'y')];
    expect(await networkGuard(world.store)(catalogue(next), catalogue(zone()))).toEqual([]);
    expect(await networkGuard(world.store)(catalogue(next))).toEqual([]);
  });

  test('ends no start of a zone that has holders in both networks, but objects to a move back', async () => {
    await world.owns(ask('a/web'), 'u1');
    world.zones.become(zone('other'));
    await world.owns(ask('a/db'), 'u2');
    const guard = networkGuard(world.store);
    expect(await guard(catalogue(zone('other')))).toEqual([]);
    expect(await guard(catalogue(zone()), catalogue(zone('other')))).toHaveLength(1);
  });
});
