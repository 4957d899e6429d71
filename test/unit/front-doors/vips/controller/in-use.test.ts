import { addressOf, type Address } from '../../../../../operator/addressing/address';
import { prefixOf, type Prefix } from '../../../../../operator/addressing/prefix';
import type { AddressShowing } from '../../../../../operator/ports/addresses-in-use';
import { InUse } from '../../../../../operator/front-doors/vips/controller/in-use';
import type { AddressRecord } from '../../../../../operator/ports/claims';
import type { KnownClaims } from '../../../../../operator/ports/known-claims';
import { PrefixSet } from '../../../../../operator/addressing/prefix-set';
import type { VipGroup } from '../../../../../operator/rules/vips/types';
import { spaceOf } from '../../../../support/claim-requests';

const space = spaceOf('1.1.1.0/30');
const group: VipGroup = {
  name: 'g',
  priority: 0,
  network: 'default',
  explicitOnly: false,
  draining: false,
  quarantineMs: 0,
  segments: space,
  parts: [space],
  usable: space,
  excluded: PrefixSet.EMPTY,
  readiness: { ok: true },
};

function cluster() {
  const showings = new Map<string, AddressShowing[]>();
  const held = new Set<string>();
  const blocks: { readonly block: Prefix; readonly networks: readonly string[] }[] = [];
  const known: KnownClaims = {
    at: ({ address }) =>
      held.has(address.toString()) ? ({ state: 'held', holders: [] } as unknown as AddressRecord) : undefined,
    find: () => [],
    within: () => [],
  };
  const shown = {
    at: (address: Address) => showings.get(address.toString()) ?? [],
    addresses: () => [...showings.keys()].map(addressOf),
    blocks: () => blocks,
    whenKnown: () => Promise.resolve(),
  };
  const show = (address: string, kind: AddressShowing['kind'], network?: string) =>
    showings.set(address, [{ kind, source: 'Service/a/b', uid: 'u', ...(network === undefined ? {} : { network }) }]);
  return { showings, held, show, blocks, parts: { known, shown } };
}

describe('InUse', () => {
  test('leaves out what is occupied, and gives last what a Service claims by its own word', () => {
    const { parts, show } = cluster();
    show('1.1.1.0', 'node');
    show('1.1.1.1', 'externalIPs');
    const [first, last] = new InUse(parts).spacesOf(group, 4);
    expect(first?.equals(spaceOf('1.1.1.2/31'))).toBe(true);
    expect(last?.equals(spaceOf('1.1.1.1/32', '1.1.1.2/31'))).toBe(true);
  });

  test('does not count the addresses of its own Services, until they leave the record', () => {
    const { parts, show, held } = cluster();
    const inUse = new InUse(parts);
    show('1.1.1.0', 'ingress');
    held.add('1.1.1.0');
    inUse.look(addressOf('1.1.1.0'));
    expect(inUse.isOccupied(addressOf('1.1.1.0'), 'default')).toBe(false);
    const before = inUse.spacesOf(group, 4);
    expect(before.map((each) => each.equals(space))).toEqual([true]);
    held.clear();
    inUse.look(addressOf('1.1.1.0'));
    expect(inUse.isOccupied(addressOf('1.1.1.0'), 'default')).toBe(true);
    expect(inUse.occupied().map(String)).toEqual(['1.1.1.0']);
    expect(inUse.spacesOf(group, 4)).not.toBe(before);
  });

  test('makes the spaces of a group anew for a change in its segments alone, whatever else the cluster shows', () => {
    const { parts, show } = cluster();
    const inUse = new InUse(parts);
    const before = inUse.spacesOf(group, 4);
    for (const [address, kind] of [
      ['9.9.9.9', 'ingress'],
      ['9.9.9.10', 'externalIPs'],
    ] as const) {
      show(address, kind);
      inUse.look(addressOf(address));
    }
    expect(inUse.spacesOf(group, 4)).toBe(before);
    show('1.1.1.3', 'ingress');
    inUse.look(addressOf('1.1.1.3'));
    expect(inUse.spacesOf(group, 4).map(String)).toEqual([spaceOf('1.1.1.0/31', '1.1.1.2/32').toString()]);
  });

  test('forgets the spaces of a group that is gone', () => {
    const { parts } = cluster();
    const inUse = new InUse(parts);
    const before = inUse.spacesOf(group, 4);
    inUse.forget('g');
    expect(inUse.spacesOf(group, 4)).not.toBe(before);
  });

  test('leaves out what claims of other doors have in the network of the group, and in no other one', () => {
    const { parts, show, blocks } = cluster();
    show('1.1.1.0', 'claim', 'default');
    show('1.1.1.1', 'claim', 'other');
    const inUse = new InUse(parts);
    expect(inUse.spacesOf(group, 4).map(String)).toEqual([spaceOf('1.1.1.1/32', '1.1.1.2/31').toString()]);
    const elsewhere = { ...group, network: 'other' };
    expect(inUse.spacesOf(elsewhere, 4).map(String)).toEqual([spaceOf('1.1.1.0/32', '1.1.1.2/31').toString()]);
    const isOccupied = (network: string) => inUse.isOccupied(addressOf('1.1.1.0'), network);
    expect([isOccupied('default'), isOccupied('other')]).toEqual([true, false]);
    blocks.push({ block: prefixOf('1.1.1.2/31'), networks: ['default'] });
    inUse.blocksChanged();
    expect(inUse.spacesOf(group, 4).map(String)).toEqual([spaceOf('1.1.1.1/32').toString()]);
    expect(inUse.spacesOf(elsewhere, 4).map(String)).toEqual([spaceOf('1.1.1.0/32', '1.1.1.2/31').toString()]);
    expect(inUse.blocksOf('default').equals(spaceOf('1.1.1.2/31'))).toBe(true);
  });

  test('gives the same spaces while nothing changes', () => {
    const { parts, show } = cluster();
    show('1.1.1.0', 'apiServer');
    const inUse = new InUse(parts);
    const before = inUse.spacesOf(group, 4);
    inUse.look(addressOf('1.1.1.0'));
    inUse.look(addressOf('1.1.1.3'));
    expect(inUse.spacesOf(group, 4)).toBe(before);
    expect(inUse.spacesOf(group, 6)).toEqual([]);
  });

  test('gives an address to none that could not be put on record, until it is or that is tried again', () => {
    const { parts, held } = cluster();
    const inUse = new InUse(parts);
    for (const text of ['1.1.1.0', '1.1.1.1']) inUse.keepUnrecorded(addressOf(text));
    expect(inUse.spacesOf(group, 4).map((each) => each.equals(spaceOf('1.1.1.2/31')))).toEqual([true]);
    held.add('1.1.1.0');
    inUse.look(addressOf('1.1.1.0'));
    held.clear();
    inUse.look(addressOf('1.1.1.0'));
    expect(inUse.isOccupied(addressOf('1.1.1.0'), 'default')).toBe(false);
    expect(inUse.occupied().map(String)).toEqual(['1.1.1.1']);
    inUse.retryUnrecorded();
    expect(inUse.occupied()).toEqual([]);
  });
});
