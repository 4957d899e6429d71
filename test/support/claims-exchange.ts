import { valueOf } from '../../operator/errors/ipam-error';
import type { AddressRecord, Move } from '../../operator/ports/claims';
import { addressText, firstHolder, listed, placeOf, refusalOf, releasing, taken } from './claim-requests';
import type { ClaimStore, Subject } from './store-under-test';

/**
 * Contract of `exchange`.
 *
 * @param subject - the store of the running test
 */
export function describeExchange(subject: Subject<ClaimStore>): void {
  const move = (from: AddressRecord, to: AddressRecord): Move => ({
    from: { ...placeOf(from), version: from.version, holderId: firstHolder(from).id },
    to: placeOf(to),
  });
  const three = async (): Promise<readonly [AddressRecord, AddressRecord, AddressRecord]> => [
    await taken(subject.store, 'a'),
    await taken(subject.store, 'b'),
    await taken(subject.store, 'c'),
  ];
  const names = async (...records: readonly AddressRecord[]) => {
    const now = await Promise.all(records.map((record) => subject.store.get(placeOf(record))));
    return now.map((record) => record?.holders.map(({ owner }) => owner.name).join());
  };

  describe('exchange', () => {
    test('throws after the close', async () => {
      await subject.store.close();
      await expect(subject.store.exchange!([])).rejects.toMatchObject({ code: 'store/closed' });
    });

    test('swaps two holders, which keep everything', async () => {
      const [a, b] = await three();
      await subject.clock.advance(5);
      const [atB, atA] = valueOf(await subject.store.exchange!([move(a, b), move(b, a)]));
      expect([atB!, atA!].map(addressText)).toEqual([b, a].map(addressText));
      expect([atB!.holders, atA!.holders]).toEqual([a.holders, b.holders]);
      expect(atB!.version).toBeGreaterThan(b.version);
      expect(atA!.version).toBeGreaterThan(a.version);
      expect(await subject.store.get(placeOf(b))).toEqual(atB);
      expect(await listed(subject.store, { by: 'key', key: 'key of a' })).toEqual([addressText(b)]);
      expect(await listed(subject.store, { by: 'uid', uid: 'uid of b' })).toEqual([addressText(a)]);
      expect(subject.changes.slice(3).map(({ kind, address }) => `${kind} ${address.toString()}`)).toEqual([
        `changed ${addressText(b)}`,
        `changed ${addressText(a)}`,
      ]);
    });

    test('moves a circle of three', async () => {
      const [a, b, c] = await three();
      const moved = valueOf(await subject.store.exchange!([move(a, b), move(b, c), move(c, a)]));
      expect(moved.map(addressText)).toEqual([b, c, a].map(addressText));
      expect(await names(a, b, c)).toEqual(['c', 'a', 'b']);
      for (const record of moved) expect(valueOf(await subject.store.release(releasing(record)))).toBeUndefined();
    });

    test('changes nothing where one version is outdated', async () => {
      const [a, b, c] = await three();
      const outdated = { ...move(b, c), from: { ...move(b, c).from, version: b.version - 1 } };
      const outcome = await subject.store.exchange!([move(a, b), outdated, move(c, a)]);
      expect(refusalOf(outcome)).toMatchObject({ code: 'store/conflict', value: addressText(b) });
      expect(await names(a, b, c)).toEqual(['a', 'b', 'c']);
      expect(subject.changes).toHaveLength(3);
    });

    test('changes nothing where one holder or space is not there', async () => {
      const [a, b, c] = await three();
      const stranger = { ...move(b, a), from: { ...move(b, a).from, holderId: '999999' } };
      const outcomes = [await subject.store.exchange!([move(a, b), stranger])];
      await subject.store.release(releasing(c));
      outcomes.push(await subject.store.exchange!([move(a, c), move(c, a)]));
      expect(outcomes.map((outcome) => refusalOf(outcome).code)).toEqual(['claim/not-found', 'claim/not-found']);
      expect(await names(a, b)).toEqual(['a', 'b']);
    });

    test('refuses what is no circle', async () => {
      const [a, b, c] = await three();
      const outcomes = [
        await subject.store.exchange!([move(a, b)]),
        await subject.store.exchange!([move(a, c), move(b, c)]),
      ];
      expect(outcomes.map((outcome) => refusalOf(outcome).code)).toEqual(['store/conflict', 'store/conflict']);
      expect(await names(a, b, c)).toEqual(['a', 'b', 'c']);
    });

    test('is decided once where two ask for it at the same time', async () => {
      const [a, b] = await three();
      const outcomes = await Promise.all([1, 2].map(() => subject.store.exchange!([move(a, b), move(b, a)])));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await names(a, b)).toEqual(['b', 'a']);
    });
  });
}
