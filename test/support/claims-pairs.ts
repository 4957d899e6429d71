import { valueOf } from '../../operator/errors/ipam-error';
import { addressText, at, listed, refusalOf, releasing, spaceOf, taken, taking, takingBoth } from './claim-requests';
import { EVERY_PART, type ClaimParts, type ClaimStore, type Subject } from './store-under-test';

/**
 * Contract of a take of two families.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describePairs(subject: Subject<ClaimStore>, has: ClaimParts = EVERY_PART): void {
  describe('two families', () => {
    const all = () => listed(subject.store, { by: 'pool', network: 'default', pool: 'z' });

    if (has.keys) {
      test('are taken together, each under its own key', async () => {
        const [four, six] = valueOf(await subject.store.take(takingBoth('a')));
        expect([four!, six!].map(({ record, created }) => [addressText(record), created])).toEqual([
          ['10.0.0.0', true],
          ['2001:db8::', true],
        ]);
        expect([four!, six!].map(({ record }) => record.holders[0]!.key)).toEqual(['key of a 4', 'key of a 6']);
        expect(subject.changes.map(({ kind, address }) => `${kind} ${address.toString()}`)).toEqual([
          'taken 10.0.0.0',
          'taken 2001:db8::',
        ]);
        const again = valueOf(await subject.store.take(takingBoth('a')));
        expect(again).toEqual([four!, six!].map((each) => ({ ...each, created: false })));
      });
    }

    test('are both refused where one of them is, and nothing is told', async () => {
      await taken(subject.store, 'other', { address: '2001:db8::5' });
      const held = await subject.store.take(takingBoth('a', { six: { address: '2001:db8::5' } }));
      expect(refusalOf(held)).toMatchObject({ code: 'address/held', value: '2001:db8::5' });
      const full = await subject.store.take(takingBoth('a', { space: spaceOf('10.0.0.0/30') }));
      expect(refusalOf(full).code).toBe('pool/exhausted');
      expect(await all()).toEqual(['2001:db8::5']);
      expect(subject.changes).toHaveLength(1);
      expect(addressText(await taken(subject.store, 'b'))).toBe('10.0.0.0');
    });

    test('end no quarantine where the other one is refused', async () => {
      const record = await taken(subject.store, 'a', { address: '10.0.0.3' });
      const left = valueOf(await subject.store.release(releasing(record, { quarantineMs: 10 })));
      await taken(subject.store, 'other', { address: '2001:db8::5' });
      const returning = { address: '10.0.0.3', returningOver: left!.version, six: { address: '2001:db8::5' } };
      expect(refusalOf(await subject.store.take(takingBoth('a', returning))).code).toBe('address/held');
      expect(await subject.store.get(at('10.0.0.3'))).toEqual(left);
    });

    if (has.keys) {
      test('take what is missing where one of the keys is known', async () => {
        const { wants, ...rest } = takingBoth('a');
        await subject.store.take({ ...rest, wants: [wants[0]] });
        const both = valueOf(await subject.store.take(takingBoth('a')));
        expect(both.map(({ created }) => created)).toEqual([false, true]);
      });
    }

    if (has.previews) {
      test('are told by a peek, which takes nothing', async () => {
        expect(valueOf(await subject.store.peek!(takingBoth('a')))).toEqual([at('10.0.0.0'), at('2001:db8::')]);
        expect(await all()).toEqual([]);
        expect(valueOf(await subject.store.peek!(taking('a')))).toEqual([at('10.0.0.0')]);
      });
    }

    test('never meet half of another pair', async () => {
      const space = spaceOf('10.0.0.0/30', '2001:db8::/127');
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, i) => subject.store.take(takingBoth(`s${i}`, { space }))),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(2);
      expect(await all()).toHaveLength(4);
    });
  });
}
