import { valueOf } from '../../operator/errors/ipam-error';
import {
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  listed,
  ownerOf,
  placeOf,
  refusalOf,
  releasing,
  taken,
  taking,
} from './claim-requests';
import { EVERY_PART, type ClaimParts, type ClaimStore, type Subject } from './store-under-test';

/**
 * Contract of spaces with several holders.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describeJoins(subject: Subject<ClaimStore>, has: ClaimParts = EVERY_PART): void {
  describe('several holders', () => {
    test('lets another holder join, the newest last', async () => {
      let record = await taken(subject.store, 'a');
      for (const name of ['b', 'c']) record = valueOf(await subject.store.bind(binding(record, holderOf(name))));
      expect(record.holders.map(({ owner }) => owner.name)).toEqual(['a', 'b', 'c']);
      expect(new Set(record.holders.map(({ id }) => id)).size).toBe(3);
    });

    test('keeps the order of the holders when the first one changes', async () => {
      const alone = await taken(subject.store, 'a');
      const both = valueOf(await subject.store.bind(binding(alone, holderOf('b'))));
      const changed = holderOf('a', { owner: ownerOf('a', { uid: 'another' }) });
      const after = valueOf(await subject.store.bind(binding(both, changed, { holderId: firstHolder(both).id })));
      expect(after.holders.map(({ owner }) => owner.name)).toEqual(['a', 'b']);
      expect(firstHolder(after).owner.uid).toBe('another');
    });

    test('W-13 loses neither of two joiners that decide at the same time', async () => {
      const record = await taken(subject.store, 'a');
      const joins = await Promise.all(['b', 'c'].map((name) => subject.store.bind(binding(record, holderOf(name)))));
      expect(joins.map(({ ok }) => ok)).toEqual([true, false]);
      expect(refusalOf(joins[1]!).code).toBe('store/conflict');
      const again = await subject.store.bind(binding(valueOf(joins[0]!), holderOf('c')));
      expect(valueOf(again).holders.map(({ owner }) => owner.name)).toEqual(['a', 'b', 'c']);
    });

    test('W-13 does not end an address that somebody joined meanwhile', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.bind(binding(record, holderOf('b')));
      const release = await subject.store.release(releasing(record));
      expect(refusalOf(release).code).toBe('store/conflict');
      expect((await subject.store.get(placeOf(record)))?.holders).toHaveLength(2);
    });

    if (has.keys) {
      test('refuses a key that a neighbour on the same address has', async () => {
        const first = await taken(subject.store, 'a');
        const join = await subject.store.bind(binding(first, holderOf('b', { key: 'key of a' })));
        expect(refusalOf(join).code).toBe('store/conflict');
      });
    }

    test('frees the address with its last holder only', async () => {
      const alone = await taken(subject.store, 'a');
      const both = valueOf(await subject.store.bind(binding(alone, holderOf('b'))));
      const left = valueOf(await subject.store.release(releasing(both, { quarantineMs: 9 })))!;
      expect(left).toMatchObject({ state: 'held', holders: [both.holders[1]] });
      expect(valueOf(await subject.store.release(releasing(left)))).toBeUndefined();
      expect(await subject.store.get(placeOf(alone))).toBeUndefined();
    });

    const minute = { quarantineMs: 60_000 };
    const contested = (name: string) => holderOf(name, { state: 'contested', key: `contest of ${name}` });

    if (has.leases) {
      test('FU-04 pauses for the holder that left, from then on, when one that only showed the address goes', async () => {
        const { store, clock } = subject;
        const alone = await taken(store, 'a');
        const both = valueOf(await store.bind(binding(alone, contested('b'))));
        await clock.advance(1_000);
        const leftAtMs = clock.nowMs();
        const shown = valueOf(await store.release(releasing(both, minute)))!;
        expect(shown).toMatchObject({ state: 'held', holders: [{ owner: { name: 'b' } }] });
        await clock.advance(20_000);
        const paused = valueOf(await store.release(releasing(shown, minute)))!;
        const quarantine = { untilMs: leftAtMs + 60_000, former: both.holders[0] };
        expect(paused).toMatchObject({ state: 'quarantined', holders: [], quarantine });
        const wish = { address: paused.address };
        expect(refusalOf(await store.take(taking('c', wish))).code).toBe('address/quarantined');
        expect(await listed(store, { by: 'uid', uid: 'uid of b' })).toEqual([]);
        const back = await taken(store, 'a', { ...wish, returningOver: paused.version });
        expect(firstHolder(back).owner.name).toBe('a');
      });

      test('FU-04 is free at once where the pause is over, and where nothing but shows was there', async () => {
        const { store, clock } = subject;
        const alone = await taken(store, 'a');
        const both = valueOf(await store.bind(binding(alone, contested('b'))));
        await clock.advance(1_000);
        const shown = valueOf(await store.release(releasing(both, minute)))!;
        await clock.advance(60_000);
        expect(valueOf(await store.release(releasing(shown, minute)))).toBeUndefined();
        const pretended = await taken(store, 'c', { holder: contested('c') });
        await clock.advance(1_000);
        expect(valueOf(await store.release(releasing(pretended, minute)))).toBeUndefined();
      });

      test('FU-04 is free at once where only a lease was beside what showed the address', async () => {
        const { store, clock } = subject;
        const leased = await taken(store, 'a', { holder: leaseOf('a', 9) });
        const both = valueOf(await store.bind(binding(leased, contested('b'))));
        await clock.advance(1_000);
        const shown = valueOf(await store.release(releasing(both)))!;
        expect(valueOf(await store.release(releasing(shown, minute)))).toBeUndefined();
      });
    }

    test('are found once, through any of them, with all of them', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.bind(binding(record, holderOf('b')));
      for (const name of ['a', 'b']) {
        const found = await subject.store.list({ by: 'uid', uid: `uid of ${name}` });
        expect(found.map(({ holders }) => holders.length)).toEqual([2]);
      }
      expect(await listed(subject.store, { by: 'cluster', cluster: 'c1' })).toEqual(['10.0.0.0']);
    });

    if (has.exchanges) {
      test('are left by an exchange one by one, in the order of their age', async () => {
        const alone = await taken(subject.store, 'a');
        const shared = valueOf(await subject.store.bind(binding(alone, holderOf('b'))));
        const other = await taken(subject.store, 'c');
        const [, second] = shared.holders;
        const from = (record: typeof shared, holderId: string) => {
          return { ...placeOf(record), version: record.version, holderId };
        };
        const [gone, come] = valueOf(
          await subject.store.exchange!([
            { from: from(shared, second!.id), to: placeOf(other) },
            { from: from(other, firstHolder(other).id), to: placeOf(shared) },
          ]),
        );
        expect(gone!.holders.map(({ owner }) => owner.name)).toEqual(['b']);
        expect(come!.holders.map(({ owner }) => owner.name)).toEqual(['a', 'c']);
      });
    }
  });
}
