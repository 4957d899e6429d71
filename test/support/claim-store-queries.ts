import { valueOf } from '../../operator/errors/ipam-error';
import type { ClaimQuery } from '../../operator/ports/claim-store';
import {
  addressText,
  binding,
  EIGHT,
  firstHolder,
  holderOf,
  leaseOf,
  NOW,
  releasing,
  spaceOf,
  taken,
} from './claim-requests';
import type { Subject } from './store-under-test';

/**
 * Contract of `get`, `list`, `revision`, `tally`, `ping` and `keyFingerprint`.
 *
 * @param subject - the store of the running test
 */
export function describeQueries(subject: Subject): void {
  const addresses = async (query: ClaimQuery, nowMs = NOW): Promise<string[]> =>
    (await subject.store.list(query, nowMs)).map(addressText);

  describe('get', () => {
    test('knows a quarantined address until its end', async () => {
      const record = await taken(subject.store, 'a');
      const left = valueOf(await subject.store.release(releasing(record, { quarantineUntilMs: NOW + 9 })));
      expect(await subject.store.get('default', record.address, NOW + 8)).toEqual(left);
      expect(await subject.store.get('default', record.address, NOW + 9)).toBeUndefined();
    });

    test('knows nothing of another network', async () => {
      const record = await taken(subject.store, 'a');
      expect(await subject.store.get('vpn', record.address, NOW)).toBeUndefined();
    });
  });

  describe('list', () => {
    test('gives IPv4 before IPv6, each lowest first, whatever came first', async () => {
      const wished = ['2001:db8::a', '10.0.0.10', '2001:db8::9', '10.0.0.9', '255.0.0.1'];
      for (const address of wished) await taken(subject.store, address, { address });
      const sorted = ['10.0.0.9', '10.0.0.10', '255.0.0.1', '2001:db8::9', '2001:db8::a'];
      expect(await addresses({ by: 'zone', network: 'default', zone: 'z' })).toEqual(sorted);
    });

    test('finds by the whole identity of the service', async () => {
      await taken(subject.store, 'web');
      const service = { serviceName: 'web', namespaceUid: 'ns-a', clusterUid: 'c2' };
      await taken(subject.store, 'other', { holder: holderOf('other', { service }) });
      expect(await addresses({ by: 'service', service: holderOf('web').service })).toEqual(['10.0.0.0']);
      expect(await addresses({ by: 'service', service })).toEqual(['10.0.0.1']);
    });

    test('finds all addresses of one service', async () => {
      await taken(subject.store, 'web', { family: 6 });
      await taken(subject.store, 'web', { holder: holderOf('web', { key: 'second' }) });
      const found = await addresses({ by: 'uid', serviceUid: 'uid of web' });
      expect(found).toEqual(['10.0.0.0', '2001:db8::']);
    });

    test('finds a shared address once, through any of its holders, with all of them', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.bind(binding(record, holderOf('b')));
      for (const name of ['a', 'b']) {
        const found = await subject.store.list({ by: 'uid', serviceUid: `uid of ${name}` }, NOW);
        expect(found.map(({ holders }) => holders.length)).toEqual([2]);
      }
      expect(await addresses({ by: 'cluster', clusterUid: 'c1' })).toEqual(['10.0.0.0']);
    });

    test('finds by key', async () => {
      await taken(subject.store, 'a');
      await taken(subject.store, 'b');
      expect(await addresses({ by: 'key', key: 'key of b' })).toEqual(['10.0.0.1']);
      expect(await addresses({ by: 'key', key: 'key of nobody' })).toEqual([]);
    });

    test('finds one zone of one network', async () => {
      await taken(subject.store, 'a');
      await taken(subject.store, 'b', { zone: 'y', space: spaceOf('10.1.0.0/30') });
      await taken(subject.store, 'c', { network: 'vpn' });
      expect(await addresses({ by: 'zone', network: 'default', zone: 'y' })).toEqual(['10.1.0.0']);
    });

    test('finds the former holder of a quarantined address by service and UID alone', async () => {
      const record = await taken(subject.store, 'web');
      await subject.store.release(releasing(record, { quarantineUntilMs: NOW + 9 }));
      const { service, serviceUid } = firstHolder(record);
      const queries: ClaimQuery[] = [
        { by: 'service', service },
        { by: 'uid', serviceUid: serviceUid! },
        { by: 'zone', network: 'default', zone: 'z' },
        { by: 'key', key: 'key of web' },
        { by: 'cluster', clusterUid: 'c1' },
      ];
      const found = await Promise.all(queries.map(async (query) => (await addresses(query)).length));
      expect(found).toEqual([1, 1, 1, 0, 0]);
      const over = await Promise.all(queries.map(async (query) => (await addresses(query, NOW + 9)).length));
      expect(over).toEqual([0, 0, 0, 0, 0]);
    });

    test('forgets holders that left or were replaced', async () => {
      const record = await taken(subject.store, 'a', { holder: leaseOf('a', NOW + 1) });
      const holder = holderOf('b');
      await subject.store.bind(binding(record, holder, { holderId: firstHolder(record).id }));
      const found = await Promise.all([
        addresses({ by: 'service', service: holderOf('a').service }),
        addresses({ by: 'expired', state: 'reserved', beforeMs: NOW + 99 }),
        addresses({ by: 'service', service: holder.service }),
      ]);
      expect(found).toEqual([[], [], ['10.0.0.0']]);
    });

    test('finds leases and retentions that ended before a time', async () => {
      await taken(subject.store, 'a', { holder: leaseOf('a', NOW + 10) });
      await taken(subject.store, 'b', { holder: leaseOf('b', NOW + 20) });
      await taken(subject.store, 'c', { holder: holderOf('c', { state: 'retained', expiresAtMs: NOW + 10 }) });
      await taken(subject.store, 'd');
      expect(await addresses({ by: 'expired', state: 'reserved', beforeMs: NOW + 10 })).toEqual([]);
      expect(await addresses({ by: 'expired', state: 'reserved', beforeMs: NOW + 11 })).toEqual(['10.0.0.0']);
      expect(await addresses({ by: 'expired', state: 'retained', beforeMs: NOW + 11 })).toEqual(['10.0.0.2']);
    });

    test('shows a write that was asked for before it', async () => {
      const take = taken(subject.store, 'a');
      const list = addresses({ by: 'cluster', clusterUid: 'c1' });
      await take;
      expect(await list).toEqual(['10.0.0.0']);
    });
  });

  describe('revision', () => {
    test('differs after every change and after nothing else, or is not told at all', async () => {
      const revisions = [await subject.store.revision()];
      const note = async (): Promise<void> => void revisions.push(await subject.store.revision());
      const record = await taken(subject.store, 'a');
      await note();
      const bound = await subject.store.bind(binding(record, holderOf('b')));
      await note();
      await subject.store.release(releasing(valueOf(bound)));
      await note();
      const after = await subject.store.revision();
      await subject.store.release(releasing(record));
      await subject.store.list({ by: 'cluster', clusterUid: 'c1' }, NOW);
      await subject.store.tally(NOW);
      expect(await subject.store.revision()).toBe(after);
      expect(new Set(revisions).size).toBe(after === undefined ? 1 : 4);
    });
  });

  describe('tally', () => {
    test('counts addresses, not holders, by network, zone and family', async () => {
      const shared = await taken(subject.store, 'a');
      await subject.store.bind(binding(shared, holderOf('b')));
      const paused = await taken(subject.store, 'c');
      await subject.store.release(releasing(paused, { quarantineUntilMs: NOW + 9 }));
      await taken(subject.store, 'six', { family: 6, space: EIGHT });
      await taken(subject.store, 'd', { network: 'vpn', zone: 'y' });
      const zone = { network: 'default', zone: 'z' };
      expect(await subject.store.tally(NOW)).toEqual([
        { ...zone, family: 4, held: 1, quarantined: 1 },
        { ...zone, family: 6, held: 1, quarantined: 0 },
        { network: 'vpn', zone: 'y', family: 4, held: 1, quarantined: 0 },
      ]);
      expect((await subject.store.tally(NOW + 9))[0]).toMatchObject({ held: 1, quarantined: 0 });
    });

    test('is empty where everything was released', async () => {
      await subject.store.release(releasing(await taken(subject.store, 'a')));
      expect(await subject.store.tally(NOW)).toEqual([]);
    });
  });

  describe('ping', () => {
    test('answers while the store serves, whatever it holds', async () => {
      await expect(subject.store.ping()).resolves.toBeUndefined();
      await taken(subject.store, 'a');
      await expect(subject.store.ping()).resolves.toBeUndefined();
    });
  });

  describe('keyFingerprint', () => {
    test('keeps the first one while somebody holds an address', async () => {
      expect(await subject.store.keyFingerprint('one')).toBe('one');
      const record = await taken(subject.store, 'a');
      expect(await subject.store.keyFingerprint('two')).toBe('one');
      await subject.store.release(releasing(record));
      expect(await subject.store.keyFingerprint('two')).toBe('two');
    });

    test('is empty where claims came before any key', async () => {
      await taken(subject.store, 'a');
      expect(await subject.store.keyFingerprint('one')).toBe('');
    });
  });
}
