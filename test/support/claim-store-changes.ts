import { addressOf } from '../../operator/addressing/address';
import { valueOf } from '../../operator/errors/ipam-error';
import {
  addressText,
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  NOW,
  refusalOf,
  releasing,
  taken,
  taking,
} from './claim-requests';
import type { Subject } from './store-under-test';

/**
 * Contract of `bind`, `release`, `watch` and `close`.
 *
 * @param subject - the store of the running test
 */
export function describeBindAndRelease(subject: Subject): void {
  describe('bind', () => {
    test('turns a reservation into its owner and keeps id, age and place', async () => {
      const record = await taken(subject.store, 'web', { holder: leaseOf('web', NOW + 9, { key: 'key of web' }) });
      const { id } = firstHolder(record);
      const holder = holderOf('web');
      const bound = valueOf(await subject.store.bind(binding(record, holder, { holderId: id, nowMs: NOW + 5 })));
      expect(bound.holders).toEqual([{ ...holder, id, sinceMs: NOW }]);
      expect(bound).toMatchObject({ takenAtMs: NOW, secret: record.secret, state: 'held' });
      expect(bound.version).toBeGreaterThan(record.version);
    });

    test('lets another holder join, the newest last', async () => {
      let record = await taken(subject.store, 'a');
      for (const name of ['b', 'c']) record = valueOf(await subject.store.bind(binding(record, holderOf(name))));
      expect(record.holders.map(({ service }) => service.serviceName)).toEqual(['a', 'b', 'c']);
      expect(new Set(record.holders.map(({ id }) => id)).size).toBe(3);
    });

    test('keeps the order of the holders when the first one changes', async () => {
      const alone = await taken(subject.store, 'a');
      const both = valueOf(await subject.store.bind(binding(alone, holderOf('b'))));
      const changed = holderOf('a', { options: { retentionPeriodDays: 3, denyExternalCleanup: true } });
      const after = valueOf(await subject.store.bind(binding(both, changed, { holderId: firstHolder(both).id })));
      expect(after.holders.map(({ service }) => service.serviceName)).toEqual(['a', 'b']);
      expect(firstHolder(after).options.retentionPeriodDays).toBe(3);
    });

    test('W-13 loses neither of two joiners that decide at the same time', async () => {
      const record = await taken(subject.store, 'a');
      const joins = await Promise.all(['b', 'c'].map((name) => subject.store.bind(binding(record, holderOf(name)))));
      expect(joins.map(({ ok }) => ok)).toEqual([true, false]);
      expect(refusalOf(joins[1]!).code).toBe('store/conflict');
      const again = await subject.store.bind(binding(valueOf(joins[0]!), holderOf('c')));
      expect(valueOf(again).holders.map(({ service }) => service.serviceName)).toEqual(['a', 'b', 'c']);
    });

    test('W-13 does not end an address that somebody joined meanwhile', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.bind(binding(record, holderOf('b')));
      const release = await subject.store.release(releasing(record));
      expect(refusalOf(release).code).toBe('store/conflict');
      expect((await subject.store.get('default', record.address, NOW))?.holders).toHaveLength(2);
    });

    test('replaces the proof of ownership when it is asked to', async () => {
      const record = await taken(subject.store, 'a');
      const secret = { hash: 'k1:cc', scope: 'namespace' } as const;
      const change = { holderId: firstHolder(record).id, secret };
      expect(valueOf(await subject.store.bind(binding(record, holderOf('a'), change))).secret).toEqual(secret);
    });

    test('refuses a version that was overtaken by another owner of the same address', async () => {
      const before = await taken(subject.store, 'a');
      await subject.store.release(releasing(before));
      const after = await taken(subject.store, 'b');
      expect([addressText(after), after.version > before.version]).toEqual([addressText(before), true]);
      const stale = await subject.store.bind(binding(before, holderOf('c')));
      expect(refusalOf(stale)).toMatchObject({ code: 'store/conflict', value: '10.0.0.0' });
    });

    test('refuses a key that another live holder has', async () => {
      const first = await taken(subject.store, 'a');
      await taken(subject.store, 'b');
      const join = await subject.store.bind(binding(first, holderOf('b')));
      expect(refusalOf(join).code).toBe('store/conflict');
      expect((await subject.store.get('default', first.address, NOW))?.version).toBe(first.version);
    });

    test('refuses a key that a neighbour on the same address has', async () => {
      const first = await taken(subject.store, 'a');
      const join = await subject.store.bind(binding(first, holderOf('b', { key: 'key of a' })));
      expect(refusalOf(join).code).toBe('store/conflict');
    });

    test('moves a key on when the holder gives it up', async () => {
      const first = await taken(subject.store, 'a');
      const { key: _key, ...keyless } = holderOf('a', { state: 'retained', expiresAtMs: NOW + 9 });
      await subject.store.bind(binding(first, keyless, { holderId: firstHolder(first).id }));
      const again = valueOf(await subject.store.take(taking('a')));
      expect([again.created, addressText(again.record)]).toEqual([true, '10.0.0.1']);
    });

    test('refuses an address that nobody holds, and a holder that is not there', async () => {
      const record = await taken(subject.store, 'a');
      const stranger = await subject.store.bind(binding(record, holderOf('a'), { holderId: '999999' }));
      await subject.store.release(releasing(record));
      const free = await subject.store.bind(binding(record, holderOf('b')));
      expect([refusalOf(stranger).code, refusalOf(free).code]).toEqual(['claim/not-found', 'claim/not-found']);
    });
  });

  describe('release', () => {
    test('frees the address with its last holder only', async () => {
      const alone = await taken(subject.store, 'a');
      const both = valueOf(await subject.store.bind(binding(alone, holderOf('b'))));
      const left = valueOf(await subject.store.release(releasing(both, { quarantineUntilMs: NOW + 9 })))!;
      expect(left).toMatchObject({ state: 'held', holders: [both.holders[1]] });
      expect(valueOf(await subject.store.release(releasing(left)))).toBeUndefined();
      expect(await subject.store.get('default', alone.address, NOW)).toBeUndefined();
    });

    test('is refused the second time as not found', async () => {
      const record = await taken(subject.store, 'a');
      const outcomes = await Promise.all([record, record].map((each) => subject.store.release(releasing(each))));
      expect(outcomes[0]).toEqual({ ok: true, value: undefined });
      expect(refusalOf(outcomes[1]!)).toMatchObject({ code: 'claim/not-found', value: '10.0.0.0' });
    });

    test('refuses a holder of another address', async () => {
      const first = await taken(subject.store, 'a');
      const second = await taken(subject.store, 'b');
      const holderId = firstHolder(second).id;
      expect(refusalOf(await subject.store.release({ ...releasing(first), holderId })).code).toBe('claim/not-found');
    });

    test('is not found where the quarantine ran out', async () => {
      const record = await taken(subject.store, 'a');
      const left = valueOf(await subject.store.release(releasing(record, { quarantineUntilMs: NOW + 9 })))!;
      const late = { ...releasing(record), version: left.version, nowMs: NOW + 9 };
      expect(refusalOf(await subject.store.release(late)).code).toBe('claim/not-found');
    });
  });

  describe('watch', () => {
    const told = () => subject.changes.map(({ kind, address }) => `${kind} ${address.toString()}`);

    test('tells each change once, before the verb answers', async () => {
      const record = await taken(subject.store, 'a');
      expect(subject.changes).toEqual([
        { kind: 'taken', network: 'default', zone: 'z', address: addressOf('10.0.0.0') },
      ]);
      const bound = valueOf(await subject.store.bind(binding(record, holderOf('b'))));
      await subject.store.release(releasing(bound));
      await taken(subject.store, 'b');
      expect(told()).toEqual(['taken 10.0.0.0', 'changed 10.0.0.0', 'changed 10.0.0.0']);
    });

    test('tells nothing of refusals', async () => {
      await taken(subject.store, 'a', { address: '10.0.0.5' });
      await subject.store.take(taking('b', { address: '10.0.0.5' }));
      expect(told()).toEqual(['taken 10.0.0.5']);
    });

    test('tells that an address is free when its quarantine is over, not before', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.release(releasing(record, { quarantineUntilMs: NOW + 9 }));
      expect(told()).toEqual(['taken 10.0.0.0', 'changed 10.0.0.0']);
      await taken(subject.store, 'b', { nowMs: NOW + 9 });
      expect(told().slice(2)).toEqual(['freed 10.0.0.0', 'taken 10.0.0.0']);
    });

    test('stops when it is told to, for one of two registrations alone', async () => {
      const heard: string[] = [];
      const listener = (): number => heard.push('x');
      const stop = subject.store.watch(listener);
      subject.store.watch(listener);
      stop();
      stop();
      await taken(subject.store, 'a');
      expect(heard).toEqual(['x']);
    });

    test('outlives a listener that throws, and so does the claim', async () => {
      const warn = jest.spyOn(process, 'emitWarning').mockImplementation();
      subject.store.watch(() => {
        throw new TypeError('fault of the listener');
      });
      const heard: string[] = [];
      subject.store.watch(({ kind }) => heard.push(kind));
      expect(addressText(await taken(subject.store, 'a'))).toBe('10.0.0.0');
      expect(heard).toEqual(['taken']);
      expect(warn.mock.calls).toEqual([['a watcher of the claim store threw: TypeError: fault of the listener']]);
      warn.mockRestore();
    });
  });

  describe('close', () => {
    test('finishes what runs', async () => {
      const takes = Array.from({ length: 5 }, (_, i) => subject.store.take(taking(`s${i}`)));
      const [, ...outcomes] = await Promise.all([subject.store.close(), ...takes]);
      expect(outcomes.map((outcome) => outcome.ok)).toEqual(new Array(5).fill(true));
    });

    test('makes every later call throw', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.close();
      const { store } = subject;
      const calls = [
        store.take(taking('b')),
        store.bind(binding(record, holderOf('b'))),
        store.release(releasing(record)),
        store.get('default', record.address, NOW),
        store.list({ by: 'uid', serviceUid: 'x' }, NOW),
        store.tally(NOW),
        store.keyFingerprint('x'),
        store.ping(),
      ];
      const codes = await Promise.all(
        calls.map((call) => call.then(String, (error: unknown) => (error as { code: string }).code)),
      );
      expect(codes).toEqual(new Array(8).fill('store/closed'));
      expect(() => store.watch(() => undefined)).toThrow(expect.objectContaining({ code: 'store/closed' }) as Error);
    });

    test('may be called again', async () => {
      await Promise.all([subject.store.close(), subject.store.close()]);
      await expect(subject.store.close()).resolves.toBeUndefined();
    });
  });
}
