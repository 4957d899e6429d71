import { addressOf } from '../../operator/addressing/address';
import { valueOf } from '../../operator/errors/ipam-error';
import type { PastClaim } from '../../operator/ports/claim-history';
import type { AddressRecord, Move } from '../../operator/ports/claims';
import {
  addressText,
  at,
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  ownerOf,
  placeOf,
  releasing,
  taken,
} from './claim-requests';
import { subjectOf } from './claims-suite';
import type { OpenStore, Subject } from './store-under-test';

/**
 * Everything that `ports/claim-history` promises.
 *
 * @param open - opens an empty store
 */
export function historySuite(open: OpenStore): void {
  const subject = subjectOf(open);
  describePast(subject);
  describePrune(subject);
  describeLastAddress(subject);
}

function describePast(subject: Subject): void {
  describe('history', () => {
    const history = async (address: string, limit = 99, before?: PastClaim): Promise<readonly PastClaim[]> =>
      subject.store.history(at(address), { limit, ...(before === undefined ? {} : { before: before.place }) });
    let startMs: number;
    const spans = (past: readonly PastClaim[]) =>
      past.map(({ owner, state, fromMs, untilMs }) => {
        return [owner.name, state, fromMs - startMs, untilMs === undefined ? '' : untilMs - startMs];
      });

    // a reserves at 0, is bound at 1, changes an option at 2, leaves at 3 into a pause until 10; b takes at 20
    async function lived(): Promise<void> {
      const { store, clock } = subject;
      startMs = clock.nowMs();
      const reserved = await taken(store, 'a', { address: '10.0.0.1', holder: leaseOf('a', 9) });
      const { id: holderId } = firstHolder(reserved);
      await clock.advance(1);
      const bound = valueOf(await store.bind(binding(reserved, holderOf('a'), { holderId })));
      const options = { retentionPeriodDays: 3, denyExternalCleanup: false };
      await clock.advance(1);
      const kept = valueOf(await store.bind(binding(bound, holderOf('a', { options }), { holderId })));
      await clock.advance(1);
      await store.release(releasing(kept, { quarantineMs: 7 }));
      await clock.advance(17);
      await taken(store, 'b', { address: '10.0.0.1' });
    }

    test('tells whose an address was, newest first, one span for each state', async () => {
      await lived();
      expect(spans(await history('10.0.0.1'))).toEqual([
        ['b', 'bound', 20, ''],
        ['a', 'quarantined', 3, 10],
        ['a', 'bound', 1, 3],
        ['a', 'reserved', 0, 1],
      ]);
      expect(await history('10.0.0.2')).toEqual([]);
    });

    test('FU-04 tells for whom an address pauses that another one showed to the end', async () => {
      const { store, clock } = subject;
      startMs = clock.nowMs();
      const shown = await taken(store, 'b', { holder: holderOf('b', { state: 'contested' }) });
      await clock.advance(1);
      const both = valueOf(await store.bind(binding(shown, holderOf('a'))));
      await clock.advance(1);
      const [, { id: holderId } = firstHolder(both)] = both.holders;
      const alone = valueOf(await store.release(releasing(both, { holderId, quarantineMs: 9 })))!;
      await clock.advance(1);
      await store.release(releasing(alone, { quarantineMs: 9 }));
      await clock.advance(20);
      await taken(store, 'c', { address: '10.0.0.0' });
      expect(spans(await history('10.0.0.0'))).toEqual([
        ['c', 'bound', 23, ''],
        ['a', 'quarantined', 3, 11],
        ['a', 'bound', 1, 2],
        ['b', 'contested', 0, 3],
      ]);
    });

    test('tells the whole owner, and a prefix apart from its first address', async () => {
      const owner = ownerOf('ni', { apiVersion: 'vitistack.io/v1alpha1', kind: 'NetworkInstance', uid: 'u' });
      const record = await taken(subject.store, 'p', { address: '10.0.0.0/30', holder: { owner, state: 'bound' } });
      const past = await subject.store.history(placeOf(record), { limit: 9 });
      expect(past.map((span) => [span.owner, span.pool])).toEqual([[owner, 'z']]);
      expect(await history('10.0.0.0')).toEqual([]);
    });

    async function exchange(
      ...[a, b]: readonly [AddressRecord, AddressRecord]
    ): Promise<[AddressRecord, AddressRecord]> {
      const from = (record: AddressRecord): Move['from'] => {
        return { ...placeOf(record), version: record.version, holderId: firstHolder(record).id };
      };
      const moves = [
        { from: from(a), to: placeOf(b) },
        { from: from(b), to: placeOf(a) },
      ];
      const [there, here] = valueOf(await subject.store.exchange(moves));
      return [here!, there!];
    }

    test('tells an exchange as an end and a beginning', async () => {
      startMs = subject.clock.nowMs();
      const records = [await taken(subject.store, 'a'), await taken(subject.store, 'b')] as const;
      await subject.clock.advance(5);
      await exchange(...records);
      expect(spans(await history('10.0.0.0'))).toEqual([
        ['b', 'bound', 5, ''],
        ['a', 'bound', 0, 5],
      ]);
    });

    test('tells every exchange of one millisecond, and a change of options in it as none', async () => {
      startMs = subject.clock.nowMs();
      let [here, there] = [await taken(subject.store, 'a'), await taken(subject.store, 'b')];
      await subject.clock.advance(5);
      for (let turn = 0; turn < 4; turn++) [here, there] = await exchange(here, there);
      const options = { retentionPeriodDays: 3, denyExternalCleanup: false };
      const { id: holderId } = firstHolder(here);
      valueOf(await subject.store.bind(binding(here, holderOf('a', { options }), { holderId })));
      expect(spans(await history('10.0.0.0'))).toEqual([
        ['a', 'bound', 5, ''],
        ['b', 'bound', 5, 5],
        ['a', 'bound', 5, 5],
        ['b', 'bound', 5, 5],
        ['a', 'bound', 0, 5],
      ]);
    });

    test('tells nothing of an exchange with itself', async () => {
      startMs = subject.clock.nowMs();
      const record = await taken(subject.store, 'a');
      await subject.clock.advance(5);
      const from = { ...placeOf(record), version: record.version, holderId: firstHolder(record).id };
      valueOf(await subject.store.exchange([{ from, to: placeOf(record) }]));
      expect(spans(await history('10.0.0.0'))).toEqual([['a', 'bound', 0, '']]);
    });

    test('goes on where a page ended', async () => {
      await lived();
      const all = await history('10.0.0.1');
      const first = await history('10.0.0.1', 3);
      expect([...first, ...(await history('10.0.0.1', 3, first[2]))]).toEqual(all);
    });

    test('survives a restart', async () => {
      await lived();
      const before = await history('10.0.0.1');
      const store = (await subject.reopen?.()) ?? subject.store;
      expect(await store.history(at('10.0.0.1'), { limit: 99 })).toEqual(before);
    });
  });
}

function describePrune(subject: Subject): void {
  describe('prune', () => {
    test('deletes what ended longer ago, in batches, and nothing that lives', async () => {
      const { store, clock } = subject;
      const old = await taken(store, 'a', { address: '10.0.0.1' });
      const paused = await taken(store, 'b', { address: '10.0.0.2' });
      await clock.advance(1);
      await store.release(releasing(old));
      await store.release(releasing(paused, { quarantineMs: 49 }));
      await clock.advance(1);
      await taken(store, 'c', { address: '10.0.0.1' });
      expect(await store.prune({ endedForMs: 1, limit: 9 })).toBe(0);
      expect(await store.prune({ endedForMs: 0, limit: 9 })).toBeGreaterThan(0);
      for (let left = 9; left > 0;) left = await store.prune({ endedForMs: 0, limit: 1 });
      const past = await store.history(at('10.0.0.1'), { limit: 9 });
      expect(past.map(({ owner }) => owner.name)).toEqual(['c']);
      expect(addressText(await store.get(at('10.0.0.2')))).toBe('10.0.0.2');
      expect(addressText(await store.get(at('10.0.0.1')))).toBe('10.0.0.1');
    });
  });
}

function describeLastAddress(subject: Subject): void {
  describe('lastAddress', () => {
    type Change = Partial<Parameters<typeof ownerOf>[1]> & { readonly family?: 4 | 6 };
    const last = async (name: string, { family = 4, ...change }: Change = {}) => {
      const owner = ownerOf(name, change);
      return (await subject.store.lastAddress({ network: 'default', family, owner }))?.toString();
    };

    test('finds what an owner gave up last, by the UID or by the name of its namespace', async () => {
      for (const address of ['10.0.0.5', '10.0.0.3']) {
        const record = await taken(subject.store, 'web', { address });
        await subject.store.release(releasing(record));
        await subject.clock.advance(1);
      }
      expect(await last('web')).toBe('10.0.0.3');
      expect(await last('web', { namespaceUid: 'ns-new' })).toBe('10.0.0.3');
      expect(await last('web', { namespace: '' })).toBe('10.0.0.3');
      expect(await last('web', { namespace: '', namespaceUid: 'ns-new' })).toBeUndefined();
      expect(await last('web', { family: 6 })).toBeUndefined();
      expect(await last('web', { apiVersion: 'x/v1', kind: 'Other' })).toBeUndefined();
      expect(await last('db')).toBeUndefined();
    });

    test('leaves out what was reserved and never stored', async () => {
      const record = await taken(subject.store, 'web', { holder: leaseOf('web', 9) });
      await subject.store.release(releasing(record));
      expect(await last('web')).toBeUndefined();
      expect(addressOf('10.0.0.0').equals(record.address)).toBe(true);
    });
  });
}
