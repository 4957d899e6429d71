import { usageOfZones } from '../../../../../operator/ledger/views/count-zones';
import { IPAM, METALLB } from '../../../../../operator/contract/group';
import { DoorWorld } from '../../../../support/door-world';
import { ask, claimant, granted } from '../../../../support/ledger-world';
import { inet, RemoteWorld, REMOTE_ZONES } from '../../../../support/remote-world';
import { service } from '../../../../support/review-builder';

const CAVEAT =
  'zone "inet": its record has no preview; only the real call shows whether an address is given, and which';

describe('claims of version 2, which tells nothing before it is asked', () => {
  let world: RemoteWorld;
  beforeEach(async () => {
    world = new RemoteWorld();
    await world.api.start();
  });
  afterEach(() => world.dispose());

  test('a preview shows no address that the IPAM-API chooses, says why, and calls nothing', async () => {
    const { book, store } = world.process();
    expect(store).not.toHaveProperty('peek');
    expect(granted(await book.preview(ask('a/web', { zone: 'inet' })))).toEqual({
      zone: 'inet',
      family: 4,
      certain: false,
      caveat: CAVEAT,
    });
    const wish = ask('a/web', { zone: 'inet', at: '83.118.168.9' });
    expect(granted(await book.preview(wish))).toEqual({
      zone: 'inet',
      family: 4,
      address: inet(9),
      certain: true,
      caveat: CAVEAT,
    });
    expect(world.api.seen).toEqual([]);
  });

  test('a preview shows what the claimant holds already, with nothing left open', async () => {
    const { book } = world.process();
    const grant = granted(await book.reserve(ask('a/web', { zone: 'inet' })));
    granted(await book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u1' }, grant }));
    expect(granted(await book.preview(ask('a/web', { zone: 'inet' })))).toEqual({
      zone: 'inet',
      family: 4,
      address: grant.address,
      certain: true,
    });
  });

  test('a dry run is allowed where the real call is, and warns that nothing was looked up', async () => {
    const { book } = world.process();
    const door = new DoorWorld({ zones: { version: 1, zones: REMOTE_ZONES }, wrapBook: () => book });
    const object = service({ [IPAM.zone]: 'inet' });
    const dry = await door.dryRun({ operation: 'CREATE', object });
    const annotations = dry.stored?.metadata.annotations ?? {};
    expect(dry).toMatchObject({ warnings: [CAVEAT] });
    expect([annotations[METALLB.pool], annotations[METALLB.addresses]]).toEqual(['inet', undefined]);
    expect(world.api.seen).toEqual([]);
    const real = await door.really({ operation: 'CREATE', object });
    expect(real.stored?.metadata.annotations).toMatchObject({ [METALLB.addresses]: '83.118.168.0' });
    expect(real.warnings).toBeUndefined();
  });

  test('counts nothing that the IPAM-API alone knows', async () => {
    const { book, store } = world.process();
    granted(await book.reserve(ask('a/web', { zone: 'inet' })));
    const row = { network: 'default', pool: 'inet', family: 4, reserved: 1, bound: 0, outside: 1, occupied: 0 };
    expect(await usageOfZones(store, { zones: [] })).toEqual([row]);
    expect(await store.tally()).toEqual([{ network: 'default', pool: 'inet', family: 4, held: 1 }]);
  });
});
