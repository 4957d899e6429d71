import { addressOf } from '../../operator/addressing/address';
import { valueOf } from '../../operator/errors/ipam-error';
import {
  addressText,
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  placeOf,
  refusalOf,
  releasing,
  retainedOf,
  taken,
  takenOf,
  taking,
} from './claim-requests';
import { EVERY_PART, type ClaimParts, type ClaimStore, type Subject } from './store-under-test';

/**
 * Contract of `bind`, `release`, `watch` and `close`.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describeBindAndRelease(subject: Subject<ClaimStore>, has: ClaimParts = EVERY_PART): void {
  describe('bind', () => {
    if (has.leases) {
      test('turns a reservation into its owner and keeps id, age and place', async () => {
        const nowMs = subject.clock.nowMs();
        const record = await taken(subject.store, 'web', { holder: leaseOf('web', 9, { key: 'key of web' }) });
        const { id } = firstHolder(record);
        const holder = holderOf('web');
        await subject.clock.advance(5);
        const bound = valueOf(await subject.store.bind(binding(record, holder, { holderId: id })));
        expect(bound.holders).toEqual([{ ...holder, id, sinceMs: nowMs }]);
        expect(bound).toMatchObject({ takenAtMs: nowMs, state: 'held' });
        expect(bound.version).toBeGreaterThan(record.version);
      });

      test('counts an expiry from the write, and leaves one alone that is to be unchanged', async () => {
        const nowMs = subject.clock.nowMs();
        const record = await taken(subject.store, 'web', { holder: leaseOf('web', 10) });
        const { id: holderId } = firstHolder(record);
        await subject.clock.advance(5);
        const unchanged = { ...leaseOf('web', 0), expiry: { kind: 'unchanged' } } as const;
        const kept = valueOf(await subject.store.bind(binding(record, unchanged, { holderId })));
        expect(firstHolder(kept).expiresAtMs).toBe(nowMs + 10);
        const renewed = valueOf(await subject.store.bind(binding(kept, leaseOf('web', 10), { holderId })));
        expect(firstHolder(renewed).expiresAtMs).toBe(nowMs + 15);
        const { expiry: _expiry, ...endless } = leaseOf('web', 0);
        const bound = valueOf(await subject.store.bind(binding(renewed, endless, { holderId })));
        expect(Object.keys(firstHolder(bound))).not.toContain('expiresAtMs');
        const still = valueOf(await subject.store.bind(binding(bound, unchanged, { holderId })));
        expect(Object.keys(firstHolder(still))).not.toContain('expiresAtMs');
      });

      test('keeps a contested holder, which proves nothing', async () => {
        const { key: _key, ...holder } = holderOf('web', { state: 'contested' });
        const record = await taken(subject.store, 'web', { holder });
        expect(firstHolder(record).state).toBe('contested');
        const granted = valueOf(
          await subject.store.bind(binding(record, holderOf('web'), { holderId: firstHolder(record).id })),
        );
        expect(firstHolder(granted)).toMatchObject({ state: 'bound', id: firstHolder(record).id });
        expect(await subject.store.get(placeOf(record))).toEqual(granted);
      });
    }

    test('refuses a version that was overtaken by another owner of the same address', async () => {
      const before = await taken(subject.store, 'a');
      await subject.store.release(releasing(before));
      const after = await taken(subject.store, 'b');
      expect([addressText(after), after.version > before.version]).toEqual([addressText(before), true]);
      const change = { holderId: firstHolder(before).id };
      const stale = await subject.store.bind(binding(before, holderOf('c'), change));
      expect(refusalOf(stale)).toMatchObject({ code: 'store/conflict', value: '10.0.0.0' });
    });

    if (has.keys) {
      test('refuses a key that another live holder has', async () => {
        const first = await taken(subject.store, 'a');
        await taken(subject.store, 'b');
        const change = { holderId: firstHolder(first).id };
        const join = await subject.store.bind(binding(first, holderOf('b'), change));
        expect(refusalOf(join).code).toBe('store/conflict');
        expect((await subject.store.get(placeOf(first)))?.version).toBe(first.version);
      });
    }

    test('moves a key on when the holder gives it up', async () => {
      const first = await taken(subject.store, 'a');
      const { key: _key, ...keyless } = retainedOf('a', 9);
      await subject.store.bind(binding(first, keyless, { holderId: firstHolder(first).id }));
      const again = await takenOf(subject.store, taking('a'));
      expect([again.created, addressText(again.record)]).toEqual([true, '10.0.0.1']);
    });

    test('refuses an address that nobody holds, and a holder that is not there', async () => {
      const record = await taken(subject.store, 'a');
      const stranger = await subject.store.bind(binding(record, holderOf('a'), { holderId: '999999' }));
      await subject.store.release(releasing(record));
      const free = await subject.store.bind(binding(record, holderOf('b'), { holderId: firstHolder(record).id }));
      expect([refusalOf(stranger).code, refusalOf(free).code]).toEqual(['claim/not-found', 'claim/not-found']);
    });
  });

  describe('release', () => {
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
      const left = valueOf(await subject.store.release(releasing(record, { quarantineMs: 9 })))!;
      await subject.clock.advance(9);
      const late = { ...releasing(record), version: left.version };
      expect(refusalOf(await subject.store.release(late)).code).toBe('claim/not-found');
    });
  });

  describe('watch', () => {
    const told = () => subject.changes.map(({ kind, address }) => `${kind} ${address.toString()}`);

    test('tells each change once, before the verb answers', async () => {
      const record = await taken(subject.store, 'a');
      expect(subject.changes).toEqual([
        { kind: 'taken', network: 'default', pool: 'z', address: addressOf('10.0.0.0'), length: 32 },
      ]);
      const change = { holderId: firstHolder(record).id };
      const bound = valueOf(await subject.store.bind(binding(record, holderOf('b'), change)));
      await subject.store.release(releasing(bound, { quarantineMs: 9 }));
      expect(told()).toEqual(['taken 10.0.0.0', 'changed 10.0.0.0', 'changed 10.0.0.0']);
    });

    test('tells nothing of refusals', async () => {
      await taken(subject.store, 'a', { address: '10.0.0.5' });
      await subject.store.take(taking('b', { address: '10.0.0.5' }));
      expect(told()).toEqual(['taken 10.0.0.5']);
    });

    test('tells that an address is free when its quarantine is over, not before', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.release(releasing(record, { quarantineMs: 9 }));
      expect(told()).toEqual(['taken 10.0.0.0', 'changed 10.0.0.0']);
      await subject.clock.advance(9);
      await taken(subject.store, 'b');
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
        store.get(placeOf(record)),
        store.list({ by: 'uid', uid: 'x' }),
        ...(store.peek === undefined ? [] : [store.peek(taking('b'))]),
      ];
      const codes = await Promise.all(
        calls.map((call) => call.then(String, (error: unknown) => (error as { code: string }).code)),
      );
      expect(codes).toEqual(calls.map(() => 'store/closed'));
      expect(() => store.watch(() => undefined)).toThrow(expect.objectContaining({ code: 'store/closed' }) as Error);
    });

    test('may be called again', async () => {
      await Promise.all([subject.store.close(), subject.store.close()]);
      await expect(subject.store.close()).resolves.toBeUndefined();
    });
  });
}
