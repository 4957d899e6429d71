import { valueOf } from '../../operator/errors/ipam-error';
import {
  addressText,
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  ownerOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
  takingBoth,
} from './claim-requests';
import type { ClaimParts, ClaimStore, Subject } from './store-under-test';

/**
 * Contract of the limits of `take`.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describeLimits(subject: Subject<ClaimStore>, has: ClaimParts): void {
  describe('limits of take', () => {
    if (has.leases) {
      test('refuses one more reservation than the namespace may have', async () => {
        const lease = (name: string) => taking(name, { holder: leaseOf(name, 1), maxReservedInNamespace: 2 });
        const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => subject.store.take(lease(name))));
        expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
        expect(refusalOf(outcomes[2]!)).toMatchObject({ code: 'reservation/limit', value: 'a' });
      });

      test('counts the reservations of one namespace alone, and only unbound ones', async () => {
        const first = await taken(subject.store, 'a', { holder: leaseOf('a', 1) });
        const elsewhere = { owner: ownerOf('b', { namespaceUid: 'ns-b', namespace: 'b' }) };
        const other = taking('b', { holder: leaseOf('b', 1, elsewhere), maxReservedInNamespace: 1 });
        expect((await subject.store.take(other)).ok).toBe(true);
        const bound = holderOf('a', { state: 'bound' });
        await subject.store.bind(binding(first, bound, { holderId: firstHolder(first).id }));
        const next = taking('c', { holder: leaseOf('c', 1), maxReservedInNamespace: 1 });
        expect((await subject.store.take(next)).ok).toBe(true);
      });

      test('does not limit holders that are bound at once', async () => {
        await taken(subject.store, 'a', { holder: leaseOf('a', 1) });
        const bound = await subject.store.take(taking('b', { maxReservedInNamespace: 1 }));
        expect(bound.ok).toBe(true);
      });
    }

    test('counts the quota over both families, joins excluded, and never above it', async () => {
      const first = await taken(subject.store, 'six', { family: 6, poolQuota: 3 });
      if (has.joins) await subject.store.bind(binding(first, holderOf('joiner')));
      const outcomes = await Promise.all(
        ['a', 'b', 'c'].map((name) => subject.store.take(taking(name, { poolQuota: 3 }))),
      );
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
      expect(refusalOf(outcomes[2]!)).toMatchObject({ code: 'zone/quota', value: 'z' });
    });

    if (has.keys) {
      test('counts what a cluster and a namespace hold, joins included, and never above it', async () => {
        const first = await taken(subject.store, 'first', { holder: holderOf('first') });
        if (has.joins) await subject.store.bind(binding(first, holderOf('second')));
        const takes = (quotas: object) =>
          Promise.all(['a', 'b', 'c'].map((name) => subject.store.take(taking(name, quotas))));
        const outcomes = await takes({ clusterQuota: 3 });
        expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
        expect(refusalOf(outcomes[2]!)).toMatchObject({ code: 'cluster/quota' });
        const refused = await takes({ clusterQuota: 9, namespaceQuota: 3 });
        expect(refused.slice(0, 2).every(({ ok }) => ok)).toBe(true); // their keys are known
        expect(refusalOf(refused[2]!)).toMatchObject({ code: 'namespace/quota' });
      });
    }

    test('frees quota with a release, even into quarantine', async () => {
      const first = await taken(subject.store, 'a', { poolQuota: 1 });
      await subject.store.release(releasing(first, { quarantineMs: 1000 }));
      expect((await subject.store.take(taking('b', { poolQuota: 1 }))).ok).toBe(true);
    });

    if (has.keys) {
      test('finds an answer by key even where the quota is used up', async () => {
        const space = spaceOf('10.0.0.0/32');
        const first = await takenOf(subject.store, taking('web', { space }));
        expect(await takenOf(subject.store, taking('web', { space, poolQuota: 1 }))).toEqual({
          ...first,
          created: false,
        });
      });
    }

    test('counts both spaces of a take of two families', async () => {
      const refused = await subject.store.take(takingBoth('a', { poolQuota: 1 }));
      expect(refusalOf(refused)).toMatchObject({ code: 'zone/quota', value: 'z' });
      expect(valueOf(await subject.store.take(takingBoth('a', { poolQuota: 2 })))).toHaveLength(2);
      const lease = { holder: leaseOf('b', 9), maxReservedInNamespace: 1 };
      expect(refusalOf(await subject.store.take(takingBoth('b', lease))).code).toBe('reservation/limit');
      const cluster = await subject.store.take(takingBoth('c', { clusterQuota: 3 }));
      expect(refusalOf(cluster).code).toBe('cluster/quota');
      const namespace = await subject.store.take(takingBoth('c', { namespaceQuota: 3 }));
      expect(refusalOf(namespace).code).toBe('namespace/quota');
      expect(addressText(await taken(subject.store, 'd', { clusterQuota: 3 }))).toBe('10.0.0.1');
    });
  });
}
