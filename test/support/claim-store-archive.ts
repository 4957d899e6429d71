import { addressOf } from '../../operator/addressing/address';
import { valueOf } from '../../operator/errors/ipam-error';
import type { PastClaim, RecordFilter, UsageTally } from '../../operator/ports/claim-archive';
import type { AddressRecord, TakeRequest } from '../../operator/ports/claim-store';
import {
  addressText,
  binding,
  EIGHT,
  firstHolder,
  holderOf,
  leaseOf,
  NOW,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  taking,
} from './claim-requests';
import type { Subject } from './store-under-test';

const at = (address: string) => ({ network: 'default', address: addressOf(address) });
const inZ = { network: 'default', zone: 'z', family: 4, space: EIGHT } as const;
const none = { reserved: 0, bound: 0, retained: 0, quarantined: 0, outside: 0, occupied: 0 };

/**
 * Contract of what a store tells beside its claims.
 *
 * @param subject - the store of the running test
 */
export function describeArchive(subject: Subject): void {
  const usage = async (nowMs = NOW, spaces = [inZ]): Promise<readonly UsageTally[]> =>
    subject.store.usage(spaces, nowMs);

  describe('usage', () => {
    test('counts each address once, under the strongest state of its holders', async () => {
      const shared = await taken(subject.store, 'a', { holder: leaseOf('a', NOW + 9) });
      await subject.store.bind(binding(shared, holderOf('b')));
      const weak = await taken(subject.store, 'c', { holder: leaseOf('c', NOW + 9) });
      await subject.store.bind(binding(weak, holderOf('d', { state: 'retained', expiresAtMs: NOW + 9 })));
      await taken(subject.store, 'e', { holder: holderOf('e', { state: 'retained', expiresAtMs: NOW + 9 }) });
      const paused = await taken(subject.store, 'f');
      await subject.store.release(releasing(paused, { quarantineUntilMs: NOW + 9 }));
      const zone = { network: 'default', zone: 'z', family: 4 };
      expect(await usage()).toEqual([
        { ...zone, ...none, bound: 1, reserved: 1, retained: 1, quarantined: 1, occupied: 4 },
      ]);
      expect((await usage(NOW + 9))[0]).toMatchObject({ quarantined: 0, occupied: 3 });
    });

    test('tells what lies outside of a zone, and what others have inside of it', async () => {
      await taken(subject.store, 'in');
      await taken(subject.store, 'out', { address: '10.9.0.1' });
      await taken(subject.store, 'below', { address: '9.9.0.1' });
      await taken(subject.store, 'foreign', { address: '10.0.0.7', zone: 'y' });
      await taken(subject.store, 'vpn', { network: 'vpn', address: '10.0.0.3' });
      const found = await usage();
      expect(
        found.map(({ network, zone, outside, occupied, bound }) => [network, zone, outside, occupied, bound]),
      ).toEqual([
        ['default', 'y', 1, 0, 1],
        ['default', 'z', 2, 2, 3],
        ['vpn', 'z', 1, 0, 1],
      ]);
    });

    test('shows an empty zone, and counts a huge one without walking over it', async () => {
      const space = spaceOf('2001:db8::/32');
      await taken(subject.store, 'six', { family: 6, space });
      const spaces = [inZ, { network: 'default', zone: 'z', family: 6 as const, space }];
      const found = await subject.store.usage(spaces, NOW);
      expect(found.map(({ family, occupied }) => [family, occupied])).toEqual([
        [4, 0],
        [6, 1],
      ]);
    });
  });

  describe('page', () => {
    const page = async (filter: RecordFilter, limit = 99, after?: AddressRecord): Promise<readonly AddressRecord[]> =>
      subject.store.page(filter, { limit, ...(after === undefined ? {} : { after }) }, NOW);
    const found = async (filter: RecordFilter): Promise<readonly string[]> => (await page(filter)).map(addressText);

    test('goes through everything by network and address, whatever changes behind it', async () => {
      for (const address of ['2001:db8::a', '10.0.0.10', '10.0.0.9', '10.0.0.11'])
        await taken(subject.store, address, { address });
      await taken(subject.store, 'vpn', { network: 'vpn', address: '10.0.0.1' });
      const first = await page({}, 2);
      await subject.store.release(releasing(first[0]!));
      const second = await page({}, 2, first[1]);
      const third = await page({}, 2, second[1]);
      expect([first, second, third].map((each) => each.map(addressText))).toEqual([
        ['10.0.0.9', '10.0.0.10'],
        ['10.0.0.11', '2001:db8::a'],
        ['10.0.0.1'],
      ]);
    });

    test('gives an address with all of its holders where one of them has everything that is asked for', async () => {
      const shared = await taken(subject.store, 'a');
      await subject.store.bind(
        binding(shared, holderOf('b', { namespace: 'n', state: 'retained', expiresAtMs: NOW + 9 })),
      );
      await taken(subject.store, 'c', { zone: 'y', holder: leaseOf('c', NOW + 9) });
      const [record] = await page({ serviceName: 'b' });
      expect(record?.holders).toHaveLength(2);
      expect(await found({ namespace: 'n' })).toEqual(['10.0.0.0']);
      expect(await found({ namespace: 'n', serviceName: 'a' })).toEqual([]);
      expect(await found({ namespace: 'n', state: 'bound' })).toEqual([]);
      expect(await found({ state: 'retained' })).toEqual(['10.0.0.0']);
      expect(await found({ state: 'reserved' })).toEqual(['10.0.0.1']);
      expect(await found({ zone: 'y', network: 'default' })).toEqual(['10.0.0.1']);
      expect(await found({ clusterUid: 'c1', state: 'bound', zone: 'z' })).toEqual(['10.0.0.0']);
    });

    test('finds a quarantined address by who left it', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.release(releasing(record, { quarantineUntilMs: NOW + 9 }));
      expect(await found({ state: 'quarantined', clusterUid: 'c1', namespace: 'a' })).toEqual(['10.0.0.0']);
      expect(await found({ state: 'bound' })).toEqual([]);
      expect(await found({ serviceName: 'b', state: 'quarantined' })).toEqual([]);
    });
  });

  describe('list by name', () => {
    test('finds holders and who left, whatever UID their namespace had', async () => {
      const record = await taken(subject.store, 'web');
      await taken(subject.store, 'other');
      const query = { by: 'name', clusterUid: 'c1', namespace: 'a', serviceName: 'web' } as const;
      expect((await subject.store.list(query, NOW)).map(addressText)).toEqual(['10.0.0.0']);
      await subject.store.release(releasing(record, { quarantineUntilMs: NOW + 9 }));
      expect(await subject.store.list(query, NOW)).toHaveLength(1);
      expect(await subject.store.list({ ...query, clusterUid: 'c2' }, NOW)).toEqual([]);
      expect(await subject.store.list(query, NOW + 9)).toEqual([]);
    });
  });

  describe('history', () => {
    const history = async (address: string, limit = 99, before?: PastClaim): Promise<readonly PastClaim[]> =>
      subject.store.history(
        at(address),
        { limit, ...(before === undefined ? {} : { before: before.place }) },
        NOW + 99,
      );
    const spans = (past: readonly PastClaim[]) =>
      past.map(({ service, state, fromMs, untilMs }) => {
        return [service.serviceName, state, fromMs - NOW, untilMs === undefined ? '' : untilMs - NOW];
      });

    // a reserves at 0, is bound at 1, changes an option at 2, leaves at 3 into a pause until 10; b takes at 20
    async function lived(): Promise<void> {
      const { store } = subject;
      const reserved = await taken(store, 'a', { address: '10.0.0.1', holder: leaseOf('a', NOW + 9) });
      const { id: holderId } = firstHolder(reserved);
      const bound = valueOf(await store.bind(binding(reserved, holderOf('a'), { holderId, nowMs: NOW + 1 })));
      const options = { retentionPeriodDays: 3, denyExternalCleanup: false };
      const changed = holderOf('a', { options });
      const kept = valueOf(await store.bind(binding(bound, changed, { holderId, nowMs: NOW + 2 })));
      await store.release(releasing(kept, { nowMs: NOW + 3, quarantineUntilMs: NOW + 10 }));
      await taken(store, 'b', { address: '10.0.0.1', nowMs: NOW + 20 });
    }

    test('tells who had an address, newest first, one span for each state', async () => {
      await lived();
      expect(spans(await history('10.0.0.1'))).toEqual([
        ['b', 'bound', 20, ''],
        ['a', 'quarantined', 3, 10],
        ['a', 'bound', 1, 3],
        ['a', 'reserved', 0, 1],
      ]);
      expect(await history('10.0.0.2')).toEqual([]);
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
      expect(await store.history(at('10.0.0.1'), { limit: 99 }, NOW + 99)).toEqual(before);
    });
  });

  describe('prune', () => {
    test('deletes what ended before a time, in batches, and nothing that lives', async () => {
      const { store } = subject;
      const old = await taken(store, 'a', { address: '10.0.0.1' });
      await store.release(releasing(old, { nowMs: NOW + 1 }));
      const paused = await taken(store, 'b', { address: '10.0.0.2' });
      await store.release(releasing(paused, { nowMs: NOW + 1, quarantineUntilMs: NOW + 50 }));
      await taken(store, 'c', { address: '10.0.0.1', nowMs: NOW + 2 });
      expect(await store.prune({ endedBeforeMs: NOW + 1, limit: 9 })).toBe(0);
      expect(await store.prune({ endedBeforeMs: NOW + 2, limit: 9 })).toBeGreaterThan(0);
      for (let left = 9; left > 0;) left = await store.prune({ endedBeforeMs: NOW + 2, limit: 1 });
      const past = await store.history(at('10.0.0.1'), { limit: 9 }, NOW + 3);
      expect(past.map(({ service }) => service.serviceName)).toEqual(['c']);
      expect(addressText(await store.get('default', addressOf('10.0.0.2'), NOW + 3))).toBe('10.0.0.2');
      expect(addressText(await store.get('default', addressOf('10.0.0.1'), NOW + 3))).toBe('10.0.0.1');
    });
  });

  describe('lastAddress', () => {
    const last = async (name: string, change: { namespace?: string; namespaceUid?: string; family?: 4 | 6 } = {}) => {
      const { namespace = 'a', namespaceUid = 'ns-a', family = 4 } = change;
      const service = { serviceName: name, namespaceUid, clusterUid: 'c1' };
      return (await subject.store.lastAddress({ network: 'default', family, service, namespace }))?.toString();
    };

    test('finds what a Service gave up last, by the UID or by the name of its namespace', async () => {
      for (const [i, address] of ['10.0.0.5', '10.0.0.3'].entries()) {
        const record = await taken(subject.store, 'web', { address });
        await subject.store.release(releasing(record, { nowMs: NOW + i }));
      }
      expect(await last('web')).toBe('10.0.0.3');
      expect(await last('web', { namespaceUid: 'ns-new' })).toBe('10.0.0.3');
      expect(await last('web', { namespace: '' })).toBe('10.0.0.3');
      expect(await last('web', { namespace: '', namespaceUid: 'ns-new' })).toBeUndefined();
      expect(await last('web', { family: 6 })).toBeUndefined();
      expect(await last('db')).toBeUndefined();
    });

    test('leaves out what was reserved and never stored', async () => {
      const record = await taken(subject.store, 'web', { holder: leaseOf('web', NOW + 9) });
      await subject.store.release(releasing(record));
      expect(await last('web')).toBeUndefined();
    });
  });

  describe('peek', () => {
    const peek = async (request: TakeRequest): Promise<string> => {
      const found = await subject.store.peek(request);
      return found.ok ? found.value.toString() : found.refusal.code;
    };

    test('tells what a take then answers', async () => {
      await taken(subject.store, 'a');
      const paused = await taken(subject.store, 'p');
      const left = valueOf(await subject.store.release(releasing(paused, { quarantineUntilMs: NOW + 9 })));
      const small = { space: spaceOf('10.0.0.0/31') };
      const requests: TakeRequest[] = [
        taking('a'),
        taking('b', { address: '10.0.0.0' }),
        taking('b', { address: '10.0.0.1' }),
        taking('b', { address: '10.0.0.1', returningOver: left!.version }),
        taking('b', small),
        taking('b', { zoneQuota: 1 }),
        taking('b', { maxReservedInNamespace: 0, holder: leaseOf('b', NOW + 9) }),
        taking('b', { network: 'vpn' }),
        taking('b'),
        // last, for the end of a quarantine may be noticed on the way
        taking('b', { ...small, nowMs: NOW + 9 }),
      ];
      const told = [];
      for (const request of requests) told.push(await peek(request));
      expect(told).toEqual([
        ...['10.0.0.0', 'address/held', 'address/quarantined', '10.0.0.1', 'pool/exhausted'],
        ...['zone/quota', 'reservation/limit', '10.0.0.0', '10.0.0.2', '10.0.0.1'],
      ]);
    });

    test('takes nothing', async () => {
      expect(await peek(taking('a'))).toBe('10.0.0.0');
      expect(await peek(taking('b'))).toBe('10.0.0.0');
      expect(await subject.store.tally(NOW)).toEqual([]);
      expect(addressText(await taken(subject.store, 'c'))).toBe('10.0.0.0');
    });

    test('refuses in the words of a take', async () => {
      await taken(subject.store, 'a');
      const request = taking('b', { address: '10.0.0.0' });
      expect(refusalOf(await subject.store.peek(request))).toEqual(refusalOf(await subject.store.take(request)));
    });
  });

  describe('clusters', () => {
    test('counts holders, and keeps the last report and name of each cluster', async () => {
      const { store } = subject;
      await taken(store, 'a');
      await taken(store, 'far', {
        holder: holderOf('far', { service: { ...holderOf('far').service, clusterUid: 'c2' } }),
      });
      await taken(store, 's', {
        holder: holderOf('s', { service: { serviceName: 's', namespaceUid: '', clusterUid: '' } }),
      });
      await store.reportCluster({ clusterUid: 'c2', name: 'blue', atMs: NOW });
      await store.reportCluster({ clusterUid: 'c2', name: '', atMs: NOW + 1 });
      await store.reportCluster({ clusterUid: 'c3', name: 'red', atMs: NOW });
      expect(await store.clusters()).toEqual([
        { clusterUid: 'c1', name: '', claims: 1 },
        { clusterUid: 'c2', name: 'blue', claims: 1, reportedAtMs: NOW + 1 },
        { clusterUid: 'c3', name: 'red', claims: 0, reportedAtMs: NOW },
      ]);
    });
  });

  describe('keys', () => {
    test('counts live records by the key of their hash', async () => {
      const record = await taken(subject.store, 'a');
      await taken(subject.store, 'b');
      const secret = { hash: 'k2:bb', scope: 'shared', sealed: 'k2:text' } as const;
      const { id: holderId } = firstHolder(record);
      const bound = valueOf(await subject.store.bind(binding(record, holderOf('a'), { holderId, secret })));
      expect(bound.secret).toEqual(secret);
      expect((await subject.store.get('default', record.address, NOW))?.secret).toEqual(secret);
      expect(await subject.store.keyUse()).toEqual([
        { keyId: 'k1', records: 1 },
        { keyId: 'k2', records: 1 },
      ]);
    });

    test('replaces the fingerprint that is there and no other', async () => {
      expect(await subject.store.replaceKeyFingerprint('', 'one')).toBe(true);
      await taken(subject.store, 'a');
      expect(await subject.store.replaceKeyFingerprint('other', 'two')).toBe(false);
      expect(await subject.store.replaceKeyFingerprint('one', 'one two')).toBe(true);
      expect(await subject.store.keyFingerprint()).toBe('one two');
    });
  });

  test('keeps a text under a name, until another one is given', async () => {
    expect(await subject.store.note({ name: 'a' })).toBe('');
    expect(await subject.store.note({ name: 'a', text: 'one' })).toBe('one');
    expect(await subject.store.note({ name: 'a', text: 'two' })).toBe('two');
    const store = (await subject.reopen?.()) ?? subject.store;
    expect(await store.note({ name: 'a' })).toBe('two');
    expect(await store.note({ name: 'b' })).toBe('');
  });

  test('keeps the purpose of a holder and the sealed secret of an address', async () => {
    const holder = holderOf('a', { purpose: 'virtual address of a firewall' });
    const secret = { hash: 'k1:aa', scope: 'shared', sealed: 'k1:text' } as const;
    const record = await taken(subject.store, 'a', { holder, secret });
    const store = (await subject.reopen?.()) ?? subject.store;
    expect(await store.get('default', record.address, NOW)).toEqual(record);
    expect(record.secret).toEqual(secret);
    expect(record.holders[0]?.purpose).toBe('virtual address of a firewall');
  });
}
