import { valueOf } from '../../operator/errors/ipam-error';
import type { ClaimQuery } from '../../operator/ports/claims';
import {
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  listed,
  ownerOf,
  placeOf,
  releasing,
  retainedOf,
  spaceOf,
  taken,
} from './claim-requests';
import { EVERY_PART, type ClaimParts, type ClaimStore, type Subject } from './store-under-test';

/**
 * Contract of `get` and `list`.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describeQueries(subject: Subject<ClaimStore>, has: ClaimParts = EVERY_PART): void {
  const addresses = (query: ClaimQuery): Promise<readonly string[]> => listed(subject.store, query);

  describe('get', () => {
    test('knows a quarantined address until its end', async () => {
      const record = await taken(subject.store, 'a');
      const left = valueOf(await subject.store.release(releasing(record, { quarantineMs: 9 })));
      await subject.clock.advance(8);
      expect(await subject.store.get(placeOf(record))).toEqual(left);
      await subject.clock.advance(1);
      expect(await subject.store.get(placeOf(record))).toBeUndefined();
    });

    if (has.scopes) {
      test('knows nothing of another network', async () => {
        const record = await taken(subject.store, 'a');
        expect(await subject.store.get({ ...placeOf(record), network: 'vpn' })).toBeUndefined();
      });
    }
  });

  describe('list', () => {
    test('gives IPv4 before IPv6, each lowest first, whatever came first', async () => {
      const wished = ['2001:db8::a', '10.0.0.10', '2001:db8::9', '10.0.0.9', '255.0.0.1'];
      for (const [index, address] of wished.entries()) await taken(subject.store, `s${index}`, { address });
      const sorted = ['10.0.0.9', '10.0.0.10', '255.0.0.1', '2001:db8::9', '2001:db8::a'];
      expect(await addresses({ by: 'pool', network: 'default', pool: 'z' })).toEqual(sorted);
    });

    if (has.scopes) {
      test('finds by the whole identity of the owner', async () => {
        await taken(subject.store, 'web');
        const owner = ownerOf('web', { cluster: 'c2' });
        await taken(subject.store, 'other', { holder: holderOf('other', { owner }) });
        expect(await addresses({ by: 'owner', owner: ownerOf('web') })).toEqual(['10.0.0.0']);
        expect(await addresses({ by: 'owner', owner })).toEqual(['10.0.0.1']);
      });
    }

    test('finds all addresses of one object', async () => {
      await taken(subject.store, 'web', { family: 6 });
      await taken(subject.store, 'web', { holder: holderOf('web', { key: 'second' }) });
      const found = await addresses({ by: 'uid', uid: 'uid of web' });
      expect(found).toEqual(['10.0.0.0', '2001:db8::']);
    });

    if (has.keys) {
      test('finds by key', async () => {
        await taken(subject.store, 'a');
        await taken(subject.store, 'b');
        expect(await addresses({ by: 'key', key: 'key of b' })).toEqual(['10.0.0.1']);
        expect(await addresses({ by: 'key', key: 'key of nobody' })).toEqual([]);
      });
    }

    if (has.scopes) {
      test('finds one zone of one network', async () => {
        await taken(subject.store, 'a');
        await taken(subject.store, 'b', { pool: 'y', space: spaceOf('10.1.0.0/30') });
        await taken(subject.store, 'c', { network: 'vpn' });
        expect(await addresses({ by: 'pool', network: 'default', pool: 'y' })).toEqual(['10.1.0.0']);
      });
    }

    test('finds the former holder of a quarantined address by owner, name and UID alone', async () => {
      const record = await taken(subject.store, 'web');
      await subject.store.release(releasing(record, { quarantineMs: 9 }));
      const { owner } = firstHolder(record);
      const queries: ClaimQuery[] = [
        { by: 'owner', owner },
        { by: 'uid', uid: owner.uid! },
        { by: 'pool', network: 'default', pool: 'z' },
        { by: 'name', cluster: 'c1', namespace: 'a', name: 'web' },
        { by: 'key', key: 'key of web' },
        { by: 'cluster', cluster: 'c1' },
      ];
      const found = await Promise.all(queries.map(async (query) => (await addresses(query)).length));
      expect(found).toEqual([1, 1, 1, 1, 0, 0]);
      await subject.clock.advance(9);
      const over = await Promise.all(queries.map(async (query) => (await addresses(query)).length));
      expect(over).toEqual([0, 0, 0, 0, 0, 0]);
    });

    if (has.leases) {
      test('forgets holders that left or were replaced', async () => {
        const record = await taken(subject.store, 'a', { holder: leaseOf('a', 1) });
        const holder = holderOf('b');
        await subject.store.bind(binding(record, holder, { holderId: firstHolder(record).id }));
        await subject.clock.advance(99);
        const found = await Promise.all([
          addresses({ by: 'owner', owner: ownerOf('a') }),
          addresses({ by: 'expired', state: 'reserved', sinceMs: 0 }),
          addresses({ by: 'owner', owner: ownerOf('b') }),
        ]);
        expect(found).toEqual([[], [], ['10.0.0.0']]);
      });

      test('finds leases and retentions that ended more than some time ago', async () => {
        await taken(subject.store, 'a', { holder: leaseOf('a', 10) });
        await taken(subject.store, 'b', { holder: leaseOf('b', 20) });
        await taken(subject.store, 'c', { holder: retainedOf('c', 10) });
        await taken(subject.store, 'd');
        await subject.clock.advance(10);
        expect(await addresses({ by: 'expired', state: 'reserved', sinceMs: 0 })).toEqual([]);
        expect(await addresses({ by: 'expired', state: 'reserved', sinceMs: -11 })).toEqual(['10.0.0.0', '10.0.0.1']);
        expect(await addresses({ by: 'expired', state: 'reserved', sinceMs: -5 })).toEqual(['10.0.0.0']);
        await subject.clock.advance(1);
        expect(await addresses({ by: 'expired', state: 'reserved', sinceMs: 0 })).toEqual(['10.0.0.0']);
        expect(await addresses({ by: 'expired', state: 'retained', sinceMs: 0 })).toEqual(['10.0.0.2']);
        expect(await addresses({ by: 'expired', state: 'reserved', sinceMs: 1 })).toEqual([]);
        await subject.clock.advance(20);
        expect(await addresses({ by: 'expired', state: 'reserved', sinceMs: 10 })).toEqual(['10.0.0.0', '10.0.0.1']);
      });
    }

    test('finds holders and former ones by name, whatever UID their namespace had', async () => {
      const record = await taken(subject.store, 'web');
      await taken(subject.store, 'other');
      const query = { by: 'name', cluster: 'c1', namespace: 'a', name: 'web' } as const;
      expect(await addresses(query)).toEqual(['10.0.0.0']);
      await subject.store.release(releasing(record, { quarantineMs: 9 }));
      expect(await addresses(query)).toHaveLength(1);
      expect(await addresses({ ...query, cluster: 'c2' })).toEqual([]);
      await subject.clock.advance(9);
      expect(await addresses(query)).toEqual([]);
    });

    test('gives owners of another kind with the name and leaves it to the caller to tell them apart', async () => {
      const owner = ownerOf('web', { apiVersion: 'vitistack.io/v1alpha1', kind: 'NetworkInstance', uid: 'u' });
      await taken(subject.store, 'web');
      await taken(subject.store, 'other', { holder: { owner, state: 'bound', key: 'ni' } });
      const records = await subject.store.list({ by: 'owner', owner });
      expect(records.map((record) => firstHolder(record).owner.kind)).toEqual(['Service', 'NetworkInstance']);
    });

    test('shows a write that was asked for before it', async () => {
      const take = taken(subject.store, 'a');
      const list = addresses({ by: 'cluster', cluster: 'c1' });
      await take;
      expect(await list).toEqual(['10.0.0.0']);
    });
  });
}
