import { addressOf } from '../../../../operator/addressing/address';
import { AddressTurns } from '../../../../operator/ledger/records/address-turns';
import { refuse } from '../../../../operator/errors/outcome';
import { ask, askByApi, claimant, CountingStore, granted, LedgerWorld, refusal } from '../../../support/ledger-world';

const at = '192.0.2.77';
const clusters = Array.from({ length: 64 }, (_, i) => claimant('n/any', { cluster: `k${i}` }));

describe('AddressTurns', () => {
  test('runs one work of an address at a time, in the order of the calls, also after a failure', async () => {
    const turns = new AddressTurns();
    const told: string[] = [];
    const work = (name: string) => async () => {
      told.push(`${name} begins`);
      await new Promise(setImmediate);
      told.push(`${name} ends`);
      if (name === 'a') throw new TypeError('broken world');
    };
    const done = await Promise.allSettled(['a', 'b', 'c'].map((name) => turns.run(addressOf(at), work(name))));
    expect(done.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('lets nobody wait for another address, nor while the address is not known', async () => {
    const turns = new AddressTurns();
    let open = (): void => undefined;
    const blocked = turns.run(addressOf(at), () => new Promise<void>((resolve) => (open = resolve)));
    expect(await turns.run(addressOf('192.0.2.78'), () => Promise.resolve('other'))).toBe('other');
    expect(await turns.run(undefined, () => Promise.resolve('unknown'))).toBe('unknown');
    open();
    await blocked;
  });
});

describe('64 clusters at once', () => {
  test('join, change, and leave one address, and nobody is told of a conflict', async () => {
    const world = new LedgerWorld();
    const joined = await Promise.all(clusters.map((who) => world.book.reserve(askByApi(who, { at }))));
    expect(new Set(joined.map((each) => granted(each).address.toString()))).toEqual(new Set([at]));
    expect((await world.record(at))?.holders).toHaveLength(64);

    // without a wish: the address is found by what each of them holds
    const options = { retentionPeriodDays: 3, denyExternalCleanup: true };
    const changed = await Promise.all(clusters.map((who) => world.book.reserve(askByApi(who, { options }))));
    expect(new Set(changed.map((each) => granted(each).address.toString()))).toEqual(new Set([at]));
    expect((await world.record(at))?.holders.every((holder) => holder.options?.denyExternalCleanup)).toBe(true);

    const request = { zone: 'z', family: 4, address: addressOf(at), secret: 'custom-secret-of-a' } as const;
    const none = { retentionPeriodDays: 0, denyExternalCleanup: false };
    const left = await Promise.all(
      clusters.map(({ service }) => world.book.releaseByService({ ...request, service, options: none })),
    );
    expect(left.every(({ ok }) => ok)).toBe(true);
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
  });

  test('are told when to come back where another process wins every round', async () => {
    const conflict = () => Promise.resolve(refuse('store/conflict', 'injected by the test'));
    const world = new LedgerWorld(undefined, (store) => Object.assign(new CountingStore(store), { bind: conflict }));
    const grant = await world.has(ask('a/web'));
    const refused = await world.book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u1' }, grant });
    expect(refusal(refused)).toMatchObject({ code: 'store/conflict', retryAfterSeconds: 1 });
  });
});
