import { addressOf } from '../../operator/addressing/address';
import { valueOf } from '../../operator/errors/ipam-error';
import type { Owner } from '../../operator/ports/claims';
import {
  addressText,
  at,
  firstHolder,
  holderOf,
  ownerOf,
  placeOf,
  refusalOf,
  releasing,
  spaceOf,
  storedHolder,
  taken,
  takenOf,
  taking,
} from './claim-requests';
import { EVERY_PART, type ClaimParts, type ClaimStore, type Subject } from './store-under-test';

/**
 * Contract of `take`.
 *
 * @param subject - the store of the running test
 * @param has - which optional parts of a claim it keeps
 */
export function describeTake(subject: Subject<ClaimStore>, has: ClaimParts = EVERY_PART): void {
  describe('take', () => {
    if (has.leases) {
      test('gives the lowest free address and tells everything it was told', async () => {
        const nowMs = subject.clock.nowMs();
        const holder = holderOf('web', { state: 'reserved', expiry: { kind: 'after', ms: 300 } });
        const { record, created } = await takenOf(subject.store, taking('web', { holder }));
        const { version, holders } = record;
        expect(created).toBe(true);
        expect(record).toEqual({
          network: 'default',
          pool: 'z',
          family: 4,
          address: addressOf('10.0.0.0'),
          length: 32,
          state: 'held',
          takenAtMs: nowMs,
          version,
          door: record.door,
          holders: [{ ...storedHolder(holder, nowMs), id: holders[0]?.id, sinceMs: nowMs }],
        });
        expect(await subject.store.get(at('10.0.0.0'))).toEqual(record);
      });
    }

    test('keeps what may be absent absent', async () => {
      const owner = ownerOf('web');
      const record = await taken(subject.store, 'web', { holder: { owner, state: 'bound' } });
      expect(Object.keys(record)).toEqual(expect.not.arrayContaining(['quarantine', 'secret', 'foreign']));
      const absent = ['key', 'sharing', 'options', 'writtenKeys', 'purpose', 'expiresAtMs'];
      expect(Object.keys(firstHolder(record))).toEqual(expect.not.arrayContaining(absent));
      expect(Object.keys(firstHolder(record).owner)).not.toContain('uid');
    });

    test('keeps the owner as it is, of whatever kind', async () => {
      const owner: Owner = {
        cluster: '',
        apiVersion: 'vitistack.io/v1alpha1',
        kind: 'NetworkConfiguration',
        namespace: '',
        namespaceUid: '',
        name: 'vlan',
        uid: 'u',
      };
      const record = await taken(subject.store, 'x', { holder: { owner, state: 'bound' } });
      expect(firstHolder(record).owner).toEqual(owner);
      expect((await subject.store.get(placeOf(record)))?.holders).toEqual(record.holders);
      const refusal = refusalOf(await subject.store.take(taking('late', { address: record.address })));
      expect(refusal.message).toContain('NetworkConfiguration "vlan"');
    });

    test('hands out records that the caller cannot change', async () => {
      const owner = { ...ownerOf('web') };
      const record = await taken(subject.store, 'web', { holder: holderOf('web', { owner }) });
      owner.name = 'other';
      expect(() => (record.holders as unknown[]).push('stranger')).toThrow(TypeError);
      const again = await subject.store.get(placeOf(record));
      expect(again?.holders).toHaveLength(1);
      expect(firstHolder(again!).owner.name).toBe('web');
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
      await taken(subject.store, 'other', { pool: 'y', address: '10.0.0.1' });
      expect(addressText(await taken(subject.store, 'next'))).toBe('10.0.0.2');
    });

    if (has.scopes) {
      test('gives the same address in another network', async () => {
        await taken(subject.store, 'a');
        const other = await taken(subject.store, 'b', { network: 'vpn' });
        expect(addressText(other)).toBe('10.0.0.0');
      });
    }

    test('CONC-02 gives 254 parallel callers distinct addresses and refuses the 255th', async () => {
      const space = spaceOf('192.0.2.0/24').subtract(spaceOf('192.0.2.0/32', '192.0.2.255/32'));
      const callers = Array.from({ length: 254 }, (_, i) => subject.store.take(taking(`s${i}`, { space })));
      const outcomes = await Promise.all([...callers, subject.store.take(taking('late', { space }))]);
      const addresses = outcomes.slice(0, 254).map((outcome) => addressText(valueOf(outcome)[0]!.record));
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

    if (has.scopes) {
      test('FU-02 names the cluster alone of what another cluster holds', async () => {
        const record = await taken(subject.store, 'web', { address: '10.0.0.5' });
        const far = holderOf('late', { owner: ownerOf('late', { cluster: 'c2' }) });
        const hidden = async (): Promise<string> =>
          refusalOf(await subject.store.take(taking('late', { address: '10.0.0.5', holder: far }))).message;
        const held = await hidden();
        await subject.store.release(releasing(record, { quarantineMs: 60_000 }));
        for (const message of [held, await hidden()]) {
          expect(message).toContain('an object of cluster c1');
          expect(message).not.toContain('a/web');
        }
      });
    }

    if (has.keys) {
      test('W-02 gives the same record again for the same key', async () => {
        const first = await takenOf(subject.store, taking('web'));
        const again = await takenOf(subject.store, taking('web', { address: '10.0.0.7' }));
        expect(again).toEqual({ record: first.record, created: false });
      });

      test('W-02 gives parallel callers with one key one address', async () => {
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => subject.store.take(taking('web'))));
        const values = outcomes.flatMap((outcome) => valueOf(outcome));
        expect(new Set(values.map(({ record }) => addressText(record)))).toEqual(new Set(['10.0.0.0']));
        expect(values.filter(({ created }) => created)).toHaveLength(1);
      });
    }

    test('gives the key free with the end of its holder', async () => {
      const first = await taken(subject.store, 'web');
      await subject.store.release(releasing(first));
      const outcome = await takenOf(subject.store, taking('web', { address: '10.0.0.3' }));
      expect(outcome).toMatchObject({ created: true });
    });

    if (has.keys) {
      test('finds an answer by key even where the pool is exhausted', async () => {
        const space = spaceOf('10.0.0.0/32');
        const first = await takenOf(subject.store, taking('web', { space }));
        const again = await takenOf(subject.store, taking('web', { space }));
        expect(again).toEqual({ record: first.record, created: false });
      });
    }

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
      const drained = await taken(subject.store, 'a', { pool: 'old', space: spaceOf('10.0.0.0/31') });
      const space = spaceOf('10.0.0.0/31');
      await taken(subject.store, 'b', { pool: 'new', space });
      expect(refusalOf(await subject.store.take(taking('c', { pool: 'new', space }))).code).toBe('pool/exhausted');
      await subject.store.release(releasing(drained));
      expect(addressText(await taken(subject.store, 'c', { pool: 'new', space }))).toBe('10.0.0.0');
    });

    test('gives back the lowest address that was released', async () => {
      const records = [];
      for (const name of ['a', 'b', 'c']) records.push(await taken(subject.store, name));
      await subject.store.release(releasing(records[1]!));
      expect(addressText(await taken(subject.store, 'd'))).toBe('10.0.0.1');
    });
  });
}
