import fc from 'fast-check';
import { addressFromBigInt, addressOf, type Address } from '../../../../operator/addressing/address';
import { Prefix, prefixOf } from '../../../../operator/addressing/prefix';
import { PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import type { ClaimCodec } from '../../../../operator/backends/claim-objects/claim-codec';
import { ClaimIndex } from '../../../../operator/backends/claim-objects/claim-index';
import { ClaimView } from '../../../../operator/backends/claim-objects/claim-view';
import { lowestFree } from '../../../../operator/backends/claim-objects/free-space';
import { refuse } from '../../../../operator/errors/outcome';
import type { AddressRecord, Holder } from '../../../../operator/ports/claims';
import { busiestBlock } from '../../../support/work-counts';

const NOW = 1_000;
const NETWORK = 'n';

interface Known {
  readonly first: Address;
  readonly length: number;
  /** Absent: held. */
  readonly untilMs?: number;
}

const FORMER: Holder = {
  id: 'h',
  owner: { cluster: '', apiVersion: 'v1', kind: 'Service', namespace: 'a', namespaceUid: '', name: 'b' },
  state: 'bound',
  sinceMs: 0,
} as unknown as Holder;

/** Objects that are records already, since only the index is looked at. */
const CODEC: ClaimCodec = {
  maxHolders: 1,
  nameOf: ({ address, length }) => `${address.toString()}/${String(length)}`,
  read: (object) => object['record'] as AddressRecord,
  write: () => refuse('claim/invalid', 'nothing is written here'),
  decisionOf: () => '',
};

function indexOf(all: Iterable<Known>): ClaimIndex {
  const index = new ClaimIndex(CODEC, () => undefined);
  for (const { first, length, untilMs } of all) {
    const record: AddressRecord = {
      network: NETWORK,
      address: first,
      length,
      pool: 'p',
      family: first.family,
      takenAtMs: 0,
      version: 1,
      state: untilMs === undefined ? 'held' : 'quarantined',
      holders: [],
      ...(untilMs === undefined ? {} : { quarantine: { untilMs, former: FORMER } }),
    };
    const name = `${first.toString()}/${String(length)}`;
    index.put({ metadata: { name, uid: name, resourceVersion: '1' }, record });
  }
  return index;
}

const search = (index: ClaimIndex, space: string, length?: number) => searchAt(NOW, { index, space, length });

const searchAt = (
  nowMs: number,
  {
    index,
    space,
    length,
  }: { readonly index: ClaimIndex; readonly space: string; readonly length?: number | undefined },
) =>
  lowestFree(new ClaimView(index, CODEC, nowMs), NETWORK, {
    family: 4,
    space: new PrefixSetBuilder().add(prefixOf(space)).build(),
    ...(length === undefined ? {} : { length }),
  })?.toString();

/** The first block of the space, one after the other, that shares no address with what is live. */
function naive(all: readonly Known[], space: string, length: number): string | undefined {
  const { first, last } = prefixOf(space);
  const live = all.filter(({ untilMs }) => untilMs === undefined || untilMs > NOW);
  const blocks = live.map((each) => new Prefix(each.first, each.length));
  const size = 2n ** BigInt(32 - length);
  for (let at = first.toBigInt(); at <= last.toBigInt(); at += size) {
    const block = new Prefix(addressFromBigInt(4, at), length);
    if (!blocks.some((each) => each.overlaps(block))) return block.toString();
  }
  return undefined;
}

describe('lowestFree', () => {
  const known = fc.uniqueArray(
    fc.record({
      offset: fc.nat(63),
      length: fc.constantFrom(32, 32, 32, 32, 31, 29),
      untilMs: fc.constantFrom(undefined, undefined, undefined, NOW - 1, NOW + 1),
    }),
    {
      maxLength: 60,
      selector: ({ offset, length }) => `${String(offset - (offset % 2 ** (32 - length)))}/${String(length)}`,
    },
  );

  test('finds what a scan of every block finds, with what is held, quarantined and over', () => {
    fc.assert(
      fc.property(known, fc.constantFrom(32, 31, 30, 28), (rows, length) => {
        const all = rows.map(({ offset, length: own, untilMs }): Known => ({
          first: new Prefix(addressFromBigInt(4, 0x0a00_0000n + BigInt(offset)), own).first,
          length: own,
          ...(untilMs === undefined ? {} : { untilMs }),
        }));
        expect(search(indexOf(all), '10.0.0.0/26', length)).toBe(naive(all, '10.0.0.0/26', length));
      }),
      { numRuns: 300 },
    );
  });

  test('goes on where a run has a gap again, and forgets a network without claims', () => {
    const all = ['10.0.0.0', '10.0.0.1', '10.0.0.2'].map((text): Known => ({ first: addressOf(text), length: 32 }));
    const index = indexOf(all);
    expect(search(index, '10.0.0.0/30')).toBe('10.0.0.3/32');
    index.drop({ name: '10.0.0.1/32', uid: '10.0.0.1/32' });
    expect(search(index, '10.0.0.0/30')).toBe('10.0.0.1/32');
    for (const text of ['10.0.0.0/32', '10.0.0.2/32']) index.drop({ name: text, uid: text });
    expect([search(index, '10.0.0.0/30'), index.endOfTaken(NETWORK, addressOf('10.0.0.0'))]).toEqual([
      '10.0.0.0/32',
      undefined,
    ]);
  });

  test('gives what a quarantine ended of while the index lived, in whatever order they end, and none that became longer', () => {
    const all = [NOW + 30, NOW + 10, NOW + 20, NOW + 10].map((untilMs, at): Known => ({
      first: addressOf(`10.0.0.${String(at)}`),
      length: 32,
      untilMs,
    }));
    const index = indexOf(all);
    const at = (nowMs: number) => searchAt(nowMs, { index, space: '10.0.0.0/29' });
    expect(at(NOW)).toBe('10.0.0.4/32');
    const name = '10.0.0.1/32';
    const record = index.at(name)?.record;
    const quarantine = { untilMs: NOW + 40, former: FORMER };
    index.put({ metadata: { name, uid: name, resourceVersion: '2' }, record: { ...record, quarantine, version: 2 } });
    expect([at(NOW + 10), at(NOW + 20), at(NOW + 30)]).toEqual(['10.0.0.3/32', '10.0.0.2/32', '10.0.0.0/32']);
    // a clock that goes back finds what ended taken again, as its records say
    expect(at(NOW)).toBe('10.0.0.4/32');
    expect(at(NOW + 40)).toBe('10.0.0.0/32');
  });

  test.each([
    ['in use', {}],
    ['in quarantine', { untilMs: NOW + 1 }],
  ])('VIP-T19 costs no more with many addresses %s in front of the first gap', (_what, state) => {
    const workWith = (count: number): number => {
      const first = addressOf('10.0.0.0').toBigInt();
      const index = indexOf(
        Array.from({ length: count }, (_, i): Known => ({
          first: addressFromBigInt(4, first + BigInt(i)),
          length: 32,
          ...state,
        })),
      );
      return busiestBlock(() => {
        expect(search(index, '10.0.0.0/8')).toBe(`${addressFromBigInt(4, first + BigInt(count)).toString()}/32`);
      });
    };
    const [few, many] = [workWith(40), workWith(40_000)];
    expect(many).toBeLessThan(20 * few);
    expect(many).toBeLessThan(2_000);
  });
});
