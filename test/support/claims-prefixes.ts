import { valueOf } from '../../operator/errors/ipam-error';
import {
  addressText,
  at,
  binding,
  firstHolder,
  holderOf,
  listed,
  placeOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
} from './claim-requests';
import type { ClaimParts, ClaimStore, Subject } from './store-under-test';

const space = spaceOf('10.1.0.0/24', '2001:db8:1::/48');

/**
 * Contract of prefixes.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describePrefixes(subject: Subject<ClaimStore>, has: ClaimParts): void {
  describe('prefixes', () => {
    const take = (name: string, change: Parameters<typeof taking>[1] = {}) =>
      subject.store.take(taking(name, { space, ...change }));

    test('are given lowest first, aligned, beside what is held', async () => {
      await taken(subject.store, 'one', { space });
      const lengths = [26, 28, 26, 27];
      const found = [];
      for (const length of lengths)
        found.push(addressText(await taken(subject.store, `p${length}${found.length}`, { space, length })));
      expect(found).toEqual(['10.1.0.64/26', '10.1.0.16/28', '10.1.0.128/26', '10.1.0.32/27']);
      const six = await taken(subject.store, 'six', { space, family: 6, length: 64 });
      expect([addressText(six), six.length]).toEqual(['2001:db8:1::/64', 64]);
    });

    test('are given where they are wished, and tell everything', async () => {
      const { record } = await takenOf(subject.store, taking('p', { space, address: '10.1.0.32/27' }));
      expect(record).toMatchObject({ ...at('10.1.0.32/27'), state: 'held', family: 4 });
      expect(await subject.store.get(placeOf(record))).toEqual(record);
      expect(await listed(subject.store, { by: 'pool', network: 'default', pool: 'z' })).toEqual(['10.1.0.32/27']);
      expect(subject.changes).toEqual([{ kind: 'taken', pool: 'z', ...at('10.1.0.32/27') }]);
    });

    test('are refused over a live address or a live prefix, naming its holder', async () => {
      await taken(subject.store, 'one', { address: '10.1.0.33' });
      await taken(subject.store, 'two', { address: '10.1.0.64/28' });
      const wishes = ['10.1.0.32/27', '10.1.0.64/26', '10.1.0.64/29', '10.1.0.64/28'];
      const refusals = [];
      for (const address of wishes) refusals.push(refusalOf(await take('late', { address })));
      expect(refusals.map(({ code }) => code)).toEqual(wishes.map(() => 'address/held'));
      expect(refusals.map(({ value }) => value)).toEqual(wishes);
      expect(refusals[0]!.message).toContain('prefix "10.1.0.32/27" overlaps address "10.1.0.33"');
      expect(refusals[0]!.message).toContain('"a/one"');
      expect(refusals[1]!.message).toContain('overlaps prefix "10.1.0.64/28"');
    });

    test('keep their addresses from everybody, wished or chosen', async () => {
      await taken(subject.store, 'p', { address: '10.0.0.0/30' });
      const refusal = refusalOf(await subject.store.take(taking('late', { address: '10.0.0.2' })));
      expect(refusal).toMatchObject({ code: 'address/held', value: '10.0.0.2' });
      expect(refusal.message).toContain('overlaps prefix "10.0.0.0/30"');
      expect(addressText(await taken(subject.store, 'next'))).toBe('10.0.0.4');
      expect((await subject.store.get(at('10.0.0.2'))) === undefined).toBe(true);
    });

    test('are free again with their last holder, as addresses or as prefixes', async () => {
      const record = await taken(subject.store, 'p', { space, length: 25 });
      await taken(subject.store, 'q', { space, length: 25 });
      expect(refusalOf(await take('r', { length: 25 })).code).toBe('pool/exhausted');
      expect(refusalOf(await take('r')).code).toBe('pool/exhausted');
      await subject.store.release(releasing(record));
      expect(addressText(await taken(subject.store, 'one', { space }))).toBe('10.1.0.0');
      expect(addressText(await taken(subject.store, 'r', { space, length: 26 }))).toBe('10.1.0.64/26');
      expect(refusalOf(await take('s', { length: 25 })).message).toContain('prefix of length 25');
    });

    test('wait for the end of a quarantine inside of them, and of their own', async () => {
      const one = await taken(subject.store, 'one', { address: '10.1.0.5' });
      await subject.store.release(releasing(one, { quarantineMs: 10 }));
      const refusal = refusalOf(await take('p', { address: '10.1.0.0/28' }));
      expect(refusal).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 1 });
      expect(addressText(await taken(subject.store, 'chosen', { space, length: 28 }))).toBe('10.1.0.16/28');
      await subject.clock.advance(10);
      const record = await taken(subject.store, 'p', { address: '10.1.0.0/28' });
      await subject.store.release(releasing(record, { quarantineMs: 10 }));
      expect(refusalOf(await take('one', { address: '10.1.0.5' })).code).toBe('address/quarantined');
      await subject.clock.advance(10);
      expect(addressText(await taken(subject.store, 'one', { address: '10.1.0.5' }))).toBe('10.1.0.5');
    });

    test('come back to their former holder over the version that it saw', async () => {
      const record = await taken(subject.store, 'p', { address: '10.1.0.0/28' });
      const left = valueOf(await subject.store.release(releasing(record, { quarantineMs: 10 })));
      const back = await taken(subject.store, 'p', { address: '10.1.0.0/28', returningOver: left!.version });
      expect(addressText(back)).toBe('10.1.0.0/28');
    });

    test('are changed and released under their length alone', async () => {
      const record = await taken(subject.store, 'p', { address: '10.1.0.0/28' });
      const { length: _length, ...host } = placeOf(record);
      const holderId = firstHolder(record).id;
      const stray = await subject.store.release({ ...host, version: record.version, holderId });
      expect(refusalOf(stray).code).toBe('claim/not-found');
      const changed = valueOf(await subject.store.bind(binding(record, holderOf('q'), { holderId })));
      expect(changed.length).toBe(28);
      expect(valueOf(await subject.store.release(releasing(changed)))).toBeUndefined();
    });

    test('of two overlapping ones that are asked for at once, one is given', async () => {
      const wishes = ['10.1.0.0/24', '10.1.0.0/25', '10.1.0.128/25', '10.1.0.130'];
      const outcomes = await Promise.all(wishes.map((address) => take(address, { address })));
      const given = wishes.filter((_, i) => outcomes[i]!.ok);
      // whichever came first: the whole one, or its parts without overlap
      expect([['10.1.0.0/24'], ['10.1.0.0/25', '10.1.0.128/25'], ['10.1.0.0/25', '10.1.0.130']]).toContainEqual(given);
      const chosen = await Promise.all([1, 2, 3, 4, 5].map((i) => take(`c${i}`, { length: 26, network: 'vpn' })));
      expect(chosen.filter(({ ok }) => ok)).toHaveLength(4);
      const texts = chosen.flatMap((outcome) => (outcome.ok ? [addressText(outcome.value[0]!.record)] : []));
      expect(new Set(texts).size).toBe(4);
    });

    if (has.previews) {
      test('are told by a peek', async () => {
        await taken(subject.store, 'one', { space });
        const request = taking('p', { space, length: 26 });
        expect(valueOf(await subject.store.peek!(request))).toEqual([at('10.1.0.64/26')]);
        const wish = taking('p', { space, address: '10.1.0.0/26' });
        expect(refusalOf(await subject.store.peek!(wish))).toEqual(refusalOf(await subject.store.take(wish)));
      });
    }
  });
}
