import { valueOf } from '../../operator/errors/ipam-error';
import type { PoolUsage, RecordFilter } from '../../operator/ports/claim-counts';
import type { AddressRecord } from '../../operator/ports/claims';
import {
  addressText,
  binding,
  EIGHT,
  holderOf,
  leaseOf,
  ownerOf,
  releasing,
  retainedOf,
  spaceOf,
  taken,
  taking,
  takingBoth,
} from './claim-requests';
import { subjectOf } from './claims-suite';
import type { OpenStore, Subject } from './store-under-test';

const inZ = { network: 'default', pool: 'z', family: 4, space: EIGHT } as const;
const none = { reserved: 0, bound: 0, retained: 0, contested: 0, quarantined: 0, outside: 0, occupied: 0 };

/**
 * Everything that `ports/claim-counts` promises.
 *
 * @param open - opens an empty store
 */
export function countsSuite(open: OpenStore): void {
  const subject = subjectOf(open);
  describeUsage(subject);
  describePage(subject);
  describeTally(subject);
}

function describeUsage(subject: Subject): void {
  const usage = async (): Promise<readonly PoolUsage[]> => subject.store.usage([inZ]);

  describe('usage', () => {
    test('counts each address once, under the strongest state of its holders', async () => {
      const shared = await taken(subject.store, 'a', { holder: leaseOf('a', 9) });
      await subject.store.bind(binding(shared, holderOf('b')));
      const weak = await taken(subject.store, 'c', { holder: leaseOf('c', 9) });
      await subject.store.bind(binding(weak, retainedOf('d', 9)));
      await taken(subject.store, 'e', { holder: retainedOf('e', 9) });
      await taken(subject.store, 'g', { holder: holderOf('g', { state: 'contested' }) });
      const paused = await taken(subject.store, 'f');
      await subject.store.release(releasing(paused, { quarantineMs: 9 }));
      const pool = { network: 'default', pool: 'z', family: 4 };
      expect(await usage()).toEqual([
        { ...pool, ...none, bound: 1, reserved: 1, retained: 1, contested: 1, quarantined: 1, occupied: 5 },
      ]);
      await subject.clock.advance(9);
      expect((await usage())[0]).toMatchObject({ quarantined: 0, occupied: 4 });
    });

    test('tells what lies outside of a pool, and what others have inside of it', async () => {
      await taken(subject.store, 'in');
      await taken(subject.store, 'out', { address: '10.9.0.1' });
      await taken(subject.store, 'below', { address: '9.9.0.1' });
      await taken(subject.store, 'foreign', { address: '10.0.0.7', pool: 'y' });
      await taken(subject.store, 'vpn', { network: 'vpn', address: '10.0.0.3' });
      const found = await usage();
      expect(
        found.map(({ network, pool, outside, occupied, bound }) => [network, pool, outside, occupied, bound]),
      ).toEqual([
        ['default', 'y', 1, 0, 1],
        ['default', 'z', 2, 2, 3],
        ['vpn', 'z', 1, 0, 1],
      ]);
    });

    test('shows an empty pool, and counts a huge one without walking over it', async () => {
      const space = spaceOf('2001:db8::/32');
      await taken(subject.store, 'six', { family: 6, space });
      const spaces = [inZ, { network: 'default', pool: 'z', family: 6 as const, space }];
      const found = await subject.store.usage(spaces);
      expect(found.map(({ family, occupied }) => [family, occupied])).toEqual([
        [4, 0],
        [6, 1],
      ]);
    });
  });
}

function describePage(subject: Subject): void {
  describe('page', () => {
    const page = async (filter: RecordFilter, limit = 99, after?: AddressRecord): Promise<readonly AddressRecord[]> =>
      subject.store.page(filter, { limit, ...(after === undefined ? {} : { after }) });
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
      const owner = ownerOf('b', { namespace: 'n' });
      await subject.store.bind(binding(shared, { ...retainedOf('b', 9), owner }));
      await taken(subject.store, 'c', { pool: 'y', holder: leaseOf('c', 9) });
      const [record] = await page({ name: 'b' });
      expect(record?.holders).toHaveLength(2);
      expect(await found({ namespace: 'n' })).toEqual(['10.0.0.0']);
      expect(await found({ namespace: 'n', name: 'a' })).toEqual([]);
      expect(await found({ namespace: 'n', state: 'bound' })).toEqual([]);
      expect(await found({ state: 'retained' })).toEqual(['10.0.0.0']);
      expect(await found({ state: 'reserved' })).toEqual(['10.0.0.1']);
      expect(await found({ pool: 'y', network: 'default' })).toEqual(['10.0.0.1']);
      expect(await found({ cluster: 'c1', state: 'bound', pool: 'z' })).toEqual(['10.0.0.0']);
    });

    test('finds a quarantined address by its former holder', async () => {
      const record = await taken(subject.store, 'a');
      await subject.store.release(releasing(record, { quarantineMs: 9 }));
      expect(await found({ state: 'quarantined', cluster: 'c1', namespace: 'a' })).toEqual(['10.0.0.0']);
      expect(await found({ state: 'bound' })).toEqual([]);
      expect(await found({ name: 'b', state: 'quarantined' })).toEqual([]);
    });
  });
}

function describeTally(subject: Subject): void {
  describe('tally', () => {
    test('counts claims, not holders, by network, pool and family', async () => {
      const shared = await taken(subject.store, 'a');
      await subject.store.bind(binding(shared, holderOf('b')));
      const paused = await taken(subject.store, 'c');
      await subject.store.release(releasing(paused, { quarantineMs: 9 }));
      await taken(subject.store, 'six', { family: 6, space: EIGHT });
      await taken(subject.store, 'd', { network: 'vpn', pool: 'y' });
      const pool = { network: 'default', pool: 'z' };
      expect(await subject.store.tally()).toEqual([
        { ...pool, family: 4, held: 1, quarantined: 1 },
        { ...pool, family: 6, held: 1, quarantined: 0 },
        { network: 'vpn', pool: 'y', family: 4, held: 1, quarantined: 0 },
      ]);
      await subject.clock.advance(9);
      expect((await subject.store.tally())[0]).toMatchObject({ held: 1, quarantined: 0 });
    });

    test('counts a quarantine down once where a take of two families ends it', async () => {
      await subject.store.release(releasing(await taken(subject.store, 'a'), { quarantineMs: 9 }));
      await subject.clock.advance(9);
      const contested = holderOf('b', { state: 'contested' });
      await subject.store.take(takingBoth('b', { address: '10.0.0.0', holder: contested }));
      const pool = { network: 'default', pool: 'z' };
      const held = { held: 1, quarantined: 0 };
      expect(await subject.store.tally()).toEqual([
        { ...pool, family: 4, ...held },
        { ...pool, family: 6, ...held },
      ]);
      expect((await subject.store.usage([inZ]))[0]).toEqual({ ...pool, family: 4, ...none, contested: 1, occupied: 1 });
    });

    test('gives no address of a prefix whose quarantine a take of two families ended', async () => {
      const prefix = await taken(subject.store, 'a', { address: '10.0.0.0/30' });
      await taken(subject.store, 'p', { address: '10.0.0.4/30' });
      await subject.store.release(releasing(prefix, { quarantineMs: 9 }));
      await subject.clock.advance(9);
      await subject.store.take(takingBoth('b', { address: '10.0.0.1' }));
      const four = { network: 'default', pool: 'z', family: 4 };
      expect((await subject.store.tally())[0]).toEqual({ ...four, held: 2, quarantined: 0 });
      const given = [];
      for (const name of ['c', 'd', 'e']) given.push(addressText(await taken(subject.store, name)));
      expect(given).toEqual(['10.0.0.0', '10.0.0.2', '10.0.0.3']);
      expect(await subject.store.take(taking('f'))).toMatchObject({ refusal: { code: 'pool/exhausted' } });
    });

    test('is empty where everything was released', async () => {
      await subject.store.release(releasing(await taken(subject.store, 'a')));
      expect(await subject.store.tally()).toEqual([]);
    });

    test('counts a prefix once', async () => {
      await taken(subject.store, 'p', { length: 30 });
      expect(await subject.store.tally()).toMatchObject([{ held: 1 }]);
      expect(await subject.store.usage([inZ])).toMatchObject([{ bound: 1, occupied: 1, outside: 0 }]);
    });
  });

  describe('revision', () => {
    test('differs after every change and after nothing else, or is not told at all', async () => {
      const revisions = [await subject.store.revision?.()];
      const note = async (): Promise<void> => void revisions.push(await subject.store.revision?.());
      const record = await taken(subject.store, 'a');
      await note();
      const bound = await subject.store.bind(binding(record, holderOf('b')));
      await note();
      await subject.store.release(releasing(valueOf(bound)));
      await note();
      const after = await subject.store.revision?.();
      await subject.store.release(releasing(record));
      await subject.store.list({ by: 'cluster', cluster: 'c1' });
      await subject.store.tally();
      expect(await subject.store.revision?.()).toBe(after);
      expect(new Set(revisions).size).toBe(after === undefined ? 1 : 4);
    });
  });
}
