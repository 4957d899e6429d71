import { addressOf } from '../../operator/addressing/address';
import { valueOf } from '../../operator/errors/ipam-error';
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

const SECOND = 1000;

/**
 * Contract of `take`.
 *
 * @param subject - the store of the running test
 */
export function describeTake(subject: Subject): void {
  describe('take', () => {
    test('gives the lowest free address and tells everything it was told', async () => {
      const sharing = { key: 'k', ports: ['53/UDP'], trafficPolicy: 'Local', selector: 'app=dns' } as const;
      const options = { retentionPeriodDays: 7, denyExternalCleanup: true };
      const holder = leaseOf('web', NOW + 300, { key: 'one', sharing, options, writtenKeys: ['a/b'] });
      const request = taking('web', { holder, secret: { hash: 'k1:bb', scope: 'namespace' } });
      const outcome = valueOf(await subject.store.take(request));
      const { version, holders } = outcome.record;
      expect(outcome.created).toBe(true);
      expect(outcome.record).toEqual({
        ...{ network: 'default', zone: 'z', family: 4, address: addressOf('10.0.0.0'), state: 'held' },
        ...{ secret: { hash: 'k1:bb', scope: 'namespace' }, takenAtMs: NOW, version },
        holders: [{ ...holder, id: holders[0]?.id, sinceMs: NOW }],
      });
      expect(await subject.store.get('default', addressOf('10.0.0.0'), NOW)).toEqual(outcome.record);
    });

    test('keeps what may be absent absent', async () => {
      const record = await taken(subject.store, 'web', { holder: leaseOf('web', NOW + 1) });
      expect(Object.keys(record)).not.toContain('quarantine');
      expect(Object.keys(firstHolder(record))).toEqual(expect.not.arrayContaining(['key', 'serviceUid', 'sharing']));
    });

    test('hands out records that the caller cannot change', async () => {
      const writtenKeys = ['a'];
      const record = await taken(subject.store, 'web', { holder: holderOf('web', { writtenKeys }) });
      writtenKeys.push('b');
      expect(() => (record.holders as unknown[]).push('stranger')).toThrow(TypeError);
      const again = await subject.store.get('default', record.address, NOW);
      expect(again?.holders).toHaveLength(1);
      expect(firstHolder(again!).writtenKeys).toEqual(['a']);
    });

    test('gives IPv6 addresses lowest first', async () => {
      const first = await taken(subject.store, 'a', { family: 6 });
      const second = await taken(subject.store, 'b', { family: 6 });
      expect([addressText(first), addressText(second)]).toEqual(['2001:db8::', '2001:db8::1']);
    });

    test('CONC-02 goes on below a wished address', async () => {
      await taken(subject.store, 'wish', { address: '10.0.0.6' });
      const next = await taken(subject.store, 'next');
      expect(addressText(next)).toBe('10.0.0.0');
    });

    test('steps over addresses that were wished before', async () => {
      await taken(subject.store, 'before');
      await taken(subject.store, 'wish', { address: '10.0.0.1' });
      expect(addressText(await taken(subject.store, 'next'))).toBe('10.0.0.2');
    });

    test('steps over addresses that another zone of the network holds', async () => {
      await taken(subject.store, 'before');
      await taken(subject.store, 'other', { zone: 'y', address: '10.0.0.1' });
      expect(addressText(await taken(subject.store, 'next'))).toBe('10.0.0.2');
    });

    test('gives the same address in another network', async () => {
      await taken(subject.store, 'a');
      const other = await taken(subject.store, 'b', { network: 'vpn' });
      expect(addressText(other)).toBe('10.0.0.0');
    });

    test('CONC-02 gives 254 parallel callers distinct addresses and refuses the 255th', async () => {
      const space = spaceOf('192.0.2.0/24').subtract(spaceOf('192.0.2.0/32', '192.0.2.255/32'));
      const callers = Array.from({ length: 254 }, (_, i) => subject.store.take(taking(`s${i}`, { space })));
      const outcomes = await Promise.all([...callers, subject.store.take(taking('late', { space }))]);
      const addresses = outcomes.slice(0, 254).map((outcome) => valueOf(outcome).record.address.toString());
      expect(addresses).toEqual(Array.from({ length: 254 }, (_, i) => `192.0.2.${i + 1}`));
      expect(refusalOf(outcomes[254]!)).toMatchObject({
        code: 'pool/exhausted',
        message: expect.stringContaining('"z"') as string,
      });
    });

    test('gives one wished address to exactly one of many parallel callers', async () => {
      const callers = Array.from({ length: 20 }, (_, i) =>
        subject.store.take(taking(`s${i}`, { address: '10.0.0.5' })),
      );
      const outcomes = await Promise.all(callers);
      const codes = outcomes.filter((outcome) => !outcome.ok).map((outcome) => refusalOf(outcome).code);
      expect(codes).toEqual(new Array(19).fill('address/held'));
    });

    test('refuses a held address and names its holder', async () => {
      await taken(subject.store, 'web', { address: '10.0.0.5' });
      const refusal = refusalOf(await subject.store.take(taking('late', { address: '10.0.0.5' })));
      expect(refusal).toMatchObject({ code: 'address/held', value: '10.0.0.5' });
      expect(refusal.message).toContain('"a/web"');
    });

    test('W-02 gives the same record again for the same key', async () => {
      const first = valueOf(await subject.store.take(taking('web')));
      const again = valueOf(await subject.store.take(taking('web', { address: '10.0.0.7' })));
      expect(again).toEqual({ record: first.record, created: false });
    });

    test('W-02 gives parallel callers with one key one address', async () => {
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => subject.store.take(taking('web'))));
      const values = outcomes.map((outcome) => valueOf(outcome));
      expect(new Set(values.map(({ record }) => addressText(record)))).toEqual(new Set(['10.0.0.0']));
      expect(values.filter(({ created }) => created)).toHaveLength(1);
    });

    test('gives the key free with the end of its holder', async () => {
      const first = await taken(subject.store, 'web');
      await subject.store.release(releasing(first));
      const outcome = valueOf(await subject.store.take(taking('web', { address: '10.0.0.3' })));
      expect(outcome).toMatchObject({ created: true });
    });

    test('finds an answer by key even where the pool is exhausted', async () => {
      const space = spaceOf('10.0.0.0/32');
      const first = valueOf(await subject.store.take(taking('web', { space })));
      const again = valueOf(await subject.store.take(taking('web', { space, zoneQuota: 1 })));
      expect(again).toEqual({ record: first.record, created: false });
    });

    test('gives nothing out of an empty space', async () => {
      const outcome = await subject.store.take(taking('web', { space: spaceOf() }));
      expect(refusalOf(outcome).code).toBe('pool/exhausted');
    });

    test('follows a space that grows, shrinks and moves', async () => {
      const small = spaceOf('10.0.0.0/32');
      await taken(subject.store, 'a', { space: small });
      expect(refusalOf(await subject.store.take(taking('b', { space: small }))).code).toBe('pool/exhausted');
      expect(addressText(await taken(subject.store, 'b', { space: spaceOf('10.0.0.0/31') }))).toBe('10.0.0.1');
      expect(addressText(await taken(subject.store, 'c', { space: spaceOf('10.9.0.0/31') }))).toBe('10.9.0.0');
      expect(addressText(await taken(subject.store, 'd', { space: spaceOf('10.0.0.0/30') }))).toBe('10.0.0.2');
    });

    test('gives an address that left one zone out in the zone that has it now', async () => {
      const drained = await taken(subject.store, 'a', { zone: 'old', space: spaceOf('10.0.0.0/31') });
      const space = spaceOf('10.0.0.0/31');
      await taken(subject.store, 'b', { zone: 'new', space });
      expect(refusalOf(await subject.store.take(taking('c', { zone: 'new', space }))).code).toBe('pool/exhausted');
      await subject.store.release(releasing(drained));
      expect(addressText(await taken(subject.store, 'c', { zone: 'new', space }))).toBe('10.0.0.0');
    });

    test('gives back the lowest address that was released', async () => {
      const records = [];
      for (const name of ['a', 'b', 'c']) records.push(await taken(subject.store, name));
      await subject.store.release(releasing(records[1]!));
      expect(addressText(await taken(subject.store, 'd'))).toBe('10.0.0.1');
    });
  });

  describe('limits of take', () => {
    test('refuses one more reservation than the namespace may have', async () => {
      const lease = (name: string) => taking(name, { holder: leaseOf(name, NOW + 1), maxReservedInNamespace: 2 });
      const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => subject.store.take(lease(name))));
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
      expect(refusalOf(outcomes[2]!)).toMatchObject({ code: 'reservation/limit', value: 'a' });
    });

    test('counts the reservations of one namespace alone, and only unbound ones', async () => {
      const first = await taken(subject.store, 'a', { holder: leaseOf('a', NOW + 1) });
      const elsewhere = { service: { serviceName: 'b', namespaceUid: 'ns-b', clusterUid: 'c1' }, namespace: 'b' };
      const other = taking('b', { holder: leaseOf('b', NOW + 1, elsewhere), maxReservedInNamespace: 1 });
      expect((await subject.store.take(other)).ok).toBe(true);
      const bound = holderOf('a', { state: 'bound' });
      await subject.store.bind(binding(first, bound, { holderId: firstHolder(first).id }));
      const next = taking('c', { holder: leaseOf('c', NOW + 1), maxReservedInNamespace: 1 });
      expect((await subject.store.take(next)).ok).toBe(true);
    });

    test('does not limit holders that are bound at once', async () => {
      await taken(subject.store, 'a', { holder: leaseOf('a', NOW + 1) });
      const bound = await subject.store.take(taking('b', { maxReservedInNamespace: 1 }));
      expect(bound.ok).toBe(true);
    });

    test('counts the quota over both families, joins excluded, and never above it', async () => {
      const first = await taken(subject.store, 'six', { family: 6, zoneQuota: 3 });
      await subject.store.bind(binding(first, holderOf('joiner')));
      const outcomes = await Promise.all(
        ['a', 'b', 'c'].map((name) => subject.store.take(taking(name, { zoneQuota: 3 }))),
      );
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
      expect(refusalOf(outcomes[2]!)).toMatchObject({ code: 'zone/quota', value: 'z' });
    });

    test('counts what a cluster and a namespace hold, joins included, and never above it', async () => {
      const first = await taken(subject.store, 'first', { holder: holderOf('first') });
      await subject.store.bind(binding(first, holderOf('second')));
      const takes = (quotas: object) =>
        Promise.all(['a', 'b', 'c'].map((name) => subject.store.take(taking(name, quotas))));
      const outcomes = await takes({ clusterQuota: 3 });
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false]);
      expect(refusalOf(outcomes[2]!)).toMatchObject({ code: 'cluster/quota' });
      const refused = await takes({ clusterQuota: 9, namespaceQuota: 3 });
      expect(refused.slice(0, 2).every(({ ok }) => ok)).toBe(true); // their keys are known
      expect(refusalOf(refused[2]!)).toMatchObject({ code: 'namespace/quota' });
    });

    test('frees quota with a release, even into quarantine', async () => {
      const first = await taken(subject.store, 'a', { zoneQuota: 1 });
      await subject.store.release(releasing(first, { quarantineUntilMs: NOW + SECOND }));
      expect((await subject.store.take(taking('b', { zoneQuota: 1 }))).ok).toBe(true);
    });
  });

  describe('quarantine', () => {
    const space = spaceOf('10.0.0.0/31');
    const untilMs = NOW + 600 * SECOND;

    test('EGR-05 keeps a released address from strangers and tells them how long', async () => {
      const record = await taken(subject.store, 'a', { address: '10.0.0.1' });
      const left = valueOf(await subject.store.release(releasing(record, { quarantineUntilMs: untilMs })));
      expect(left).toMatchObject({
        state: 'quarantined',
        holders: [],
        quarantine: { untilMs, former: record.holders[0] },
      });
      const request = taking('b', { address: '10.0.0.1', nowMs: NOW + 10.5 * SECOND });
      const refusal = refusalOf(await subject.store.take(request));
      expect(refusal).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 590 });
      expect(refusal.message).toContain('2026-01-01T00:10:00.000Z');
      expect(refusal.message).toContain('"a/a"');
    });

    test('EGR-05 is exhausted while all else is used, and says when an address comes', async () => {
      const record = await taken(subject.store, 'a', { space });
      await taken(subject.store, 'b', { space });
      await subject.store.release(releasing(record, { quarantineUntilMs: untilMs }));
      const refusal = refusalOf(await subject.store.take(taking('c', { space, nowMs: untilMs - 1 })));
      expect(refusal).toMatchObject({
        code: 'pool/exhausted',
        message: expect.stringContaining('2026-01-01T00:10:00') as string,
      });
      expect(addressText(await taken(subject.store, 'c', { space, nowMs: untilMs }))).toBe('10.0.0.0');
    });

    test('EGR-05 lets the former holder return over the version that it saw', async () => {
      const record = await taken(subject.store, 'a', { address: '10.0.0.1' });
      const left = valueOf(await subject.store.release(releasing(record, { quarantineUntilMs: untilMs })));
      const wrong = taking('a', { address: '10.0.0.1', returningOver: record.version });
      expect(refusalOf(await subject.store.take(wrong)).code).toBe('address/quarantined');
      const back = await taken(subject.store, 'a', { address: '10.0.0.1', returningOver: left!.version });
      expect(back).toMatchObject({ state: 'held', takenAtMs: NOW });
      expect(Object.keys(back)).not.toContain('quarantine');
      // the address was never free in between
      expect(subject.changes.map(({ kind }) => kind)).toEqual(['taken', 'changed', 'taken']);
    });

    test('ends at its very millisecond for a wished address', async () => {
      const record = await taken(subject.store, 'a', { address: '10.0.0.1' });
      await subject.store.release(releasing(record, { quarantineUntilMs: untilMs }));
      const early = await subject.store.take(taking('b', { address: '10.0.0.1', nowMs: untilMs - 1 }));
      expect(refusalOf(early)).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 1 });
      expect(addressText(await taken(subject.store, 'b', { address: '10.0.0.1', nowMs: untilMs }))).toBe('10.0.0.1');
    });

    test('frees at once where its end is not in the future', async () => {
      const record = await taken(subject.store, 'a');
      const left = valueOf(await subject.store.release(releasing(record, { quarantineUntilMs: NOW })));
      expect(left).toBeUndefined();
      expect(addressText(await taken(subject.store, 'b'))).toBe('10.0.0.0');
    });

    test('gives the key of the former holder free', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.release(releasing(record, { quarantineUntilMs: untilMs }));
      const again = valueOf(await subject.store.take(taking('a')));
      expect([again.created, addressText(again.record)]).toEqual([true, '10.0.0.1']);
    });

    test('cannot be joined, bound or released', async () => {
      const record = await taken(subject.store, 'a', { space: EIGHT });
      const left = valueOf(await subject.store.release(releasing(record, { quarantineUntilMs: untilMs })))!;
      const join = await subject.store.bind(binding(left, holderOf('b')));
      const release = await subject.store.release({ ...releasing(record), version: left.version });
      expect([refusalOf(join).code, refusalOf(release).code]).toEqual(['claim/not-found', 'claim/not-found']);
    });
  });
}
