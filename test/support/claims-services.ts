import { valueOf } from '../../operator/errors/ipam-error';
import {
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  placeOf,
  retainedOf,
  storedHolder,
  taken,
  taking,
  takenOf,
} from './claim-requests';
import type { ClaimStore, Subject } from './store-under-test';

const secret = { hash: 'k1:bb', scope: 'namespace', sealed: 'k1:text' } as const;

/**
 * Contract of the parts of a claim that the Services door uses.
 *
 * @param subject - the store of the running test
 */
export function describeServiceParts(subject: Subject<ClaimStore>): void {
  describe('parts of Services', () => {
    test('are kept as they were told, over a restart too', async () => {
      const sharing = { key: 'k', ports: ['53/UDP'], trafficPolicy: 'Local', selector: 'app=dns' } as const;
      const options = { retentionPeriodDays: 7, denyExternalCleanup: true };
      const parts = { key: 'one', sharing, options, writtenKeys: ['a/b'], purpose: 'virtual address of a firewall' };
      const holder = leaseOf('web', 300, parts);
      const nowMs = subject.clock.nowMs();
      const { record } = await takenOf(subject.store, taking('web', { holder, secret }));
      expect(record.secret).toEqual(secret);
      const { id } = firstHolder(record);
      expect(record.holders).toEqual([{ ...storedHolder(holder, nowMs), id, sinceMs: nowMs }]);
      const store = (await subject.reopen?.()) ?? subject.store;
      expect(await store.get(placeOf(record))).toEqual(record);
    });

    test('tell absent options from options that ask for nothing', async () => {
      const options = { retentionPeriodDays: 0, denyExternalCleanup: false };
      const plain = await taken(subject.store, 'a');
      const asked = await taken(subject.store, 'b', { holder: holderOf('b', { options, writtenKeys: [] }) });
      expect(Object.keys(firstHolder(plain))).not.toContain('options');
      expect(firstHolder(asked).options).toEqual(options);
      expect(Object.keys(firstHolder(asked))).not.toContain('writtenKeys');
      expect(await subject.store.get(placeOf(plain))).toEqual(plain);
      expect(await subject.store.get(placeOf(asked))).toEqual(asked);
    });

    test('stay with the space and the holder until they are changed', async () => {
      const record = await taken(subject.store, 'a', { secret });
      const holderId = firstHolder(record).id;
      const kept = valueOf(await subject.store.bind(binding(record, retainedOf('a', 9), { holderId })));
      expect(kept.secret).toEqual(secret);
      const next = { hash: 'k1:cc', scope: 'shared' } as const;
      const rotated = valueOf(await subject.store.bind(binding(kept, holderOf('a'), { holderId, secret: next })));
      expect(rotated.secret).toEqual(next);
      expect(await subject.store.get(placeOf(record))).toEqual(rotated);
    });

    test('go along with an exchange, unless others rely on the secret', async () => {
      const other = { hash: 'k1:cc', scope: 'shared' } as const;
      const a = await taken(subject.store, 'a', { secret });
      const b = await taken(subject.store, 'b', { secret: other });
      const move = (from: typeof a, to: typeof a) => ({
        from: { ...placeOf(from), version: from.version, holderId: firstHolder(from).id },
        to: placeOf(to),
      });
      const [atB, atA] = valueOf(await subject.store.exchange!([move(a, b), move(b, a)]));
      expect([atB!.secret, atA!.secret]).toEqual([secret, other]);
    });

    test('are the same for both families of one take', async () => {
      const { wants, ...rest } = taking('a', { secret });
      const six = { ...wants[0], family: 6 as const, key: 'six' };
      const records = valueOf(await subject.store.take({ ...rest, wants: [wants[0], six] }));
      expect(records.map(({ record }) => record.secret)).toEqual([secret, secret]);
    });
  });
}
