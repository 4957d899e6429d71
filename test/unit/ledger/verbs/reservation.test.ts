import type { Claimant, LiveObject } from '../../../../operator/ports/address-book';
import { ask, claimant, granted, LedgerWorld, live, liveServices, refusal } from '../../../support/ledger-world';

describe('a reservation id', () => {
  const copies = { one: claimant('a/gw-1', { reservation: 'r1' }), two: claimant('a/gw-2', { reservation: 'r1' }) };

  test('is checked without a write', async () => {
    const world = new LedgerWorld();
    const { address } = await world.has(ask(claimant('a/', { reservation: 'r1' })));
    const check = (who: Claimant) => world.book.check({ claimant: who, zone: 'z', address });
    expect(await world.writesOf(() => check(copies.one))).toBe(0);
    expect(granted(await check(copies.one)).state).toBe('reserved');
  });

  test('identifies nobody once its claim is bound', async () => {
    const world = new LedgerWorld();
    const unnamed = claimant('a/', { reservation: 'r1' });
    const grant = await world.has(ask(unnamed));
    granted(await world.book.bind({ claimant: { ...copies.one, serviceUid: 'u1' }, grant }));
    expect(await world.book.holdings(unnamed)).toEqual([]);
    expect(refusal(await world.book.bind({ claimant: { ...copies.two, serviceUid: 'u2' }, grant })).code).toBe(
      'address/held',
    );
    const again = refusal(await world.book.reserve(ask(unnamed)));
    expect(again).toMatchObject({ code: 'reservation/missing', value: '192.0.2.0' });
    const flipped = ask(claimant('a/gw-2', { serviceUid: 'u2', reservation: 'r1' }));
    expect((await world.has(flipped)).address.toString()).toBe('192.0.2.1');
  });

  test('leads a sweep to the object with the address, and only in its namespace', async () => {
    const world = new LedgerWorld();
    await world.has(ask(claimant('a/', { reservation: 'r1' })));
    await world.has(ask(claimant('a/', { reservation: 'r2' })));
    await world.has(ask(claimant('a/', { reservation: 'r3' })));
    world.clock.advance(300_001);
    const services: readonly LiveObject[] = [
      { ...live('a/gw-1', 'u1'), reservation: 'r1' },
      { ...live('a/gw-2', 'u2', ['192.0.2.0']), reservation: 'r1' },
      { ...live('a/gw-3', 'u3', ['192.0.2.1']), reservation: 'r2' },
      { ...live('a/gw-4', 'u4'), reservation: 'r2' },
      { ...live('b/gw-5', 'u5', ['192.0.2.2']), reservation: 'r3' },
    ];
    expect(
      await world.book.sweep({
        clusterUid: 'c1',
        startedMs: world.clock.nowMs(),
        live: liveServices(...services),
      }),
    ).toEqual({
      released: 1,
      bound: 2,
    });
    expect((await world.record('192.0.2.0'))?.holders[0]?.owner.uid).toBe('u2');
    expect((await world.record('192.0.2.1'))?.holders[0]?.owner.uid).toBe('u3');
  });
});
