import { valueOf } from '../../operator/errors/ipam-error';
import {
  addressText,
  binding,
  EIGHT,
  holderOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
  takingBoth,
} from './claim-requests';
import type { ClaimStore, Subject } from './store-under-test';

const SECOND = 1000;

/**
 * Contract of the quarantine of a space.
 *
 * @param subject - the store of the running test
 */
export function describeQuarantine(subject: Subject<ClaimStore>): void {
  describe('quarantine', () => {
    const space = spaceOf('10.0.0.0/31');
    const pause = { quarantineMs: 600 * SECOND };

    test('EGR-05 keeps a released address from strangers and tells them how long', async () => {
      const untilMs = subject.clock.nowMs() + pause.quarantineMs;
      const record = await taken(subject.store, 'a', { address: '10.0.0.1' });
      const left = valueOf(await subject.store.release(releasing(record, pause)));
      expect(left).toMatchObject({
        state: 'quarantined',
        holders: [],
        quarantine: { untilMs, former: record.holders[0] },
      });
      await subject.clock.advance(10.5 * SECOND);
      const refusal = refusalOf(await subject.store.take(taking('b', { address: '10.0.0.1' })));
      expect(refusal).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 590 });
      expect(refusal.message).toContain(new Date(untilMs).toISOString());
      expect(refusal.message).toContain('"a/a"');
    });

    test('EGR-05 is exhausted while all else is used, and says when an address comes', async () => {
      const record = await taken(subject.store, 'a', { space });
      await taken(subject.store, 'b', { space });
      await subject.store.release(releasing(record, pause));
      const untilMs = subject.clock.nowMs() + pause.quarantineMs;
      await subject.clock.advance(pause.quarantineMs - 1);
      const refusal = refusalOf(await subject.store.take(taking('c', { space })));
      expect(refusal).toMatchObject({ code: 'pool/exhausted', retryAfterSeconds: 1 });
      expect(refusal.message).toContain(new Date(untilMs).toISOString());
      await subject.clock.advance(1);
      expect(addressText(await taken(subject.store, 'c', { space }))).toBe('10.0.0.0');
    });

    test('EGR-05 lets the former holder return over the version that it saw', async () => {
      const record = await taken(subject.store, 'a', { address: '10.0.0.1' });
      const left = valueOf(await subject.store.release(releasing(record, pause)));
      const wrong = taking('a', { address: '10.0.0.1', returningOver: record.version });
      expect(refusalOf(await subject.store.take(wrong)).code).toBe('address/quarantined');
      const back = await taken(subject.store, 'a', { address: '10.0.0.1', returningOver: left!.version });
      expect(back).toMatchObject({ state: 'held', takenAtMs: subject.clock.nowMs() });
      expect(Object.keys(back)).not.toContain('quarantine');
      // the address was never free in between
      expect(subject.changes.map(({ kind }) => kind)).toEqual(['taken', 'changed', 'taken']);
    });

    test('ends at its very millisecond for a wished address', async () => {
      const record = await taken(subject.store, 'a', { address: '10.0.0.1' });
      await subject.store.release(releasing(record, pause));
      await subject.clock.advance(pause.quarantineMs - 1);
      const early = await subject.store.take(taking('b', { address: '10.0.0.1' }));
      expect(refusalOf(early)).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 1 });
      await subject.clock.advance(1);
      expect(addressText(await taken(subject.store, 'b', { address: '10.0.0.1' }))).toBe('10.0.0.1');
    });

    test('frees at once where it has no length', async () => {
      const record = await taken(subject.store, 'a');
      const left = valueOf(await subject.store.release(releasing(record, { quarantineMs: 0 })));
      expect(left).toBeUndefined();
      expect(addressText(await taken(subject.store, 'b'))).toBe('10.0.0.0');
    });

    test('gives the key of the former holder free', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.release(releasing(record, pause));
      const again = await takenOf(subject.store, taking('a'));
      expect([again.created, addressText(again.record)]).toEqual([true, '10.0.0.1']);
    });

    test('is over once, and told so once, for a take that wishes its address and chooses another one', async () => {
      const four = await taken(subject.store, 'a', { address: '10.0.0.1' });
      const six = await taken(subject.store, 'b', { address: '2001:db8::' });
      for (const record of [four, six]) await subject.store.release(releasing(record, pause));
      await subject.clock.advance(pause.quarantineMs);
      const both = valueOf(await subject.store.take(takingBoth('c', { address: '10.0.0.1' })));
      expect(both.map(({ record }) => addressText(record))).toEqual(['10.0.0.1', '2001:db8::']);
      expect(subject.changes.filter(({ kind }) => kind === 'freed')).toHaveLength(2);
    });

    test('cannot be joined, bound or released', async () => {
      const record = await taken(subject.store, 'a', { space: EIGHT });
      const left = valueOf(await subject.store.release(releasing(record, pause)))!;
      const join = await subject.store.bind(binding(left, holderOf('b')));
      const release = await subject.store.release({ ...releasing(record), version: left.version });
      expect([refusalOf(join).code, refusalOf(release).code]).toEqual(['claim/not-found', 'claim/not-found']);
    });
  });
}
