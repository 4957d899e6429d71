import fc from 'fast-check';

import { addressOf } from '../../../../../operator/addressing/address';
import { PrefixSet } from '../../../../../operator/addressing/prefix-set';
import { planEgress } from '../../../../../operator/rules/egress';
import { placeAddresses } from '../../../../../operator/rules/egress/placement';
import type {
  EgressNode,
  NodeRoom,
  PlacedAddress,
  Placement,
  PlacementFacts,
} from '../../../../../operator/rules/egress/placement/types';
import { egressIpamObject } from '../../../../support/egress-kind-samples';

const NOW_MS = 1_000_000;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const ADDRESSES = ['10.0.1.1', '10.0.1.2', '10.0.1.3', '10.0.1.4', '10.0.2.1', '10.0.2.2', '10.0.3.1', '10.0.3.2'];
const NAMESPACES = ['a', 'b', 'c', 'd', 'a', 'b', 'a', 'b'];
/** Label value of the nodes of each CIDR, by the third number of an address. */
const VALUES: Readonly<Record<string, string>> = { 1: 'x', 2: 'y', 3: 'x' };

interface TestNode {
  readonly node: EgressNode;
  readonly room: NodeRoom | undefined;
}

const testNode = (name: string): fc.Arbitrary<TestNode> =>
  fc
    .record({
      value: fc.constantFrom('x', 'x', 'y', 'z'),
      state: fc.constantFrom('ready', 'ready', 'ready', 'grace', 'down'),
      isCordoned: fc.constantFrom(false, false, true),
      isDraining: fc.constantFrom(false, false, false, true),
      zone: fc.constantFrom('', 'p', 'q'),
      room: fc.constantFrom(undefined, { used: 0 }, { used: 1 }, { used: 0, capacity: 2 }, { used: 3, capacity: 4 }),
    })
    .map(({ value, state, room, ...rest }) => ({
      node: {
        name,
        labels: { key: value },
        isControlPlane: false,
        ...rest,
        ...(state === 'ready' ? {} : { notReadySinceMs: state === 'grace' ? NOW_MS - 1000 : NOW_MS - 60_000 }),
      },
      room,
    }));

const facts = fc
  .record({
    nodes: fc.tuple(...NAMES.map(testNode)),
    wanted: fc.subarray(ADDRESSES),
    placed: fc.array(fc.record({ address: fc.constantFrom(...ADDRESSES), node: fc.constantFrom(...NAMES, 'gone') }), {
      maxLength: 8,
    }),
    rebalance: fc.constantFrom('Never', 'OnNodeJoin'),
    mostMoves: fc.nat({ max: 3 }),
  })
  .map(({ nodes, wanted, placed, rebalance, mostMoves }): PlacementFacts => {
    const cidrAssignments = ['1', '2', '3'].map((third) => ({ CIDR: `10.0.${third}.0/24`, labelValue: VALUES[third] }));
    const spec = { topologyLabel: 'key', cidrAssignments, rebalance, failover: { notReadySeconds: 30 } };
    const [plan] = planEgress([egressIpamObject('bm', spec)], () => PrefixSet.EMPTY);
    if (plan === undefined) throw new RangeError('no plan');
    return {
      plan,
      nowMs: NOW_MS,
      mostMoves,
      canCarry: () => true,
      nodes: nodes.map(({ node }) => node),
      wanted: wanted.map((text) => ({
        address: addressOf(text),
        namespace: NAMESPACES[ADDRESSES.indexOf(text)] ?? '',
      })),
      placed: placed.map(({ address, node }) => ({ address: addressOf(address), node })),
      roomOf: ({ name }) => nodes.find(({ node }) => node.name === name)?.room,
    };
  });

/** A placement without rebalance, found by trying every node of a list for every address. */
function naive(of: PlacementFacts): ReadonlyMap<string, string> {
  const at = new Map<string, string>();
  const mayCarry = (node: EgressNode, text: string): boolean => node.labels['key'] === VALUES[text.split('.')[2] ?? ''];
  const leaving: { readonly text: string; readonly namespace: string }[] = [];
  for (const { address, namespace } of of.wanted) {
    const text = address.toString();
    const node = of.placed
      .filter((each) => each.address.equals(address))
      .flatMap((each) => of.nodes.find(({ name }) => name === each.node) ?? [])
      .find((each) => mayCarry(each, text));
    if (node !== undefined) at.set(text, node.name);
    const isDown = (node?.notReadySinceMs ?? Infinity) <= NOW_MS - 30_000;
    if (node === undefined || isDown || node.isDraining) leaving.push({ text, namespace });
  }
  const namespaceOf = (text: string): string | undefined =>
    of.wanted.find(({ address }) => address.toString() === text)?.namespace;
  for (const { text, namespace } of leaving) {
    const rank = (node: EgressNode): readonly (number | string)[] => {
      const own = [...at].filter(([each]) => namespaceOf(each) === namespace).map(([, name]) => name);
      const zones = own.map((name) => of.nodes.find((each) => each.name === name)?.zone);
      const used = (of.roomOf(node)?.used ?? 0) + [...at.values()].filter((name) => name === node.name).length;
      const capacity = of.roomOf(node)?.capacity ?? Infinity;
      const counts = [
        own.filter((name) => name === node.name).length,
        zones.filter((zone) => zone === node.zone).length,
      ];
      return [used < capacity ? 0 : 1, ...counts, used / capacity, used, node.name];
    };
    const free = of.nodes.filter(
      (node) =>
        mayCarry(node, text) &&
        !node.isCordoned &&
        !node.isDraining &&
        node.notReadySinceMs === undefined &&
        of.roomOf(node) !== undefined &&
        rank(node)[0] === 0,
    );
    const [best] = free.sort((a, b) => {
      const [one, other] = [rank(a), rank(b)];
      const index = one.findIndex((each, place) => each !== other[place]);
      return (one[index] ?? 0) < (other[index] ?? 0) ? -1 : 1;
    });
    if (best !== undefined) at.set(text, best.name);
  }
  return at;
}

const never = (of: PlacementFacts): PlacementFacts => ({ ...of, plan: { ...of.plan, isRebalanced: false } });
const mapOf = (placed: readonly PlacedAddress[]): ReadonlyMap<string, string> =>
  new Map(placed.map(({ address, node }) => [address.toString(), node]));
const load = ({ placed }: Placement, name: string): number => placed.filter(({ node }) => node === name).length;

describe('wherever nodes and addresses are', () => {
  test('places as the model does that tries every node', () => {
    fc.assert(
      fc.property(facts, (of) => {
        expect(mapOf(placeAddresses(never(of)).placed)).toEqual(naive(of));
      }),
      { numRuns: 500 },
    );
  });

  test('EG-37 balance brings nodes together, and moves one address of a namespace and few at a time', () => {
    fc.assert(
      fc.property(facts, (of) => {
        const [without, placement] = [placeAddresses(never(of)), placeAddresses(of)];
        const before = mapOf(without.placed);
        const moved = of.wanted.filter(
          ({ address }) => mapOf(placement.placed).get(address.toString()) !== before.get(address.toString()),
        );
        expect(new Set(moved.map(({ namespace }) => namespace)).size).toBe(moved.length);
        expect(moved.length).toBeLessThanOrEqual(of.plan.isRebalanced ? of.mostMoves : 0);
        const spread = (each: Placement): number => NAMES.reduce((sum, name) => sum + load(each, name) ** 2, 0);
        const isBetter = spread(placement) < spread(without);
        expect(isBetter).toBe(moved.length > 0);
        expect(placement.unplaced).toEqual(without.unplaced);
      }),
      { numRuns: 500 },
    );
  });

  test('a second look changes nothing, once balance is reached', () => {
    fc.assert(
      fc.property(facts, (of) => {
        let placement = placeAddresses(of);
        for (let left = 20; left > 0; left--) placement = placeAddresses({ ...of, placed: placement.placed });
        const again = placeAddresses({ ...of, placed: placement.placed });
        expect(mapOf(again.placed)).toEqual(mapOf(placement.placed));
      }),
    );
  });

  test('an address is placed, or told to be unplaced', () => {
    fc.assert(
      fc.property(facts, (of) => {
        const { placed, unplaced } = placeAddresses(of);
        const all = [...placed, ...unplaced].map(({ address }) => address.toString());
        expect(new Set(all)).toEqual(new Set(of.wanted.map(({ address }) => address.toString())));
        expect(mapOf(placed).size).toBe(placed.length);
      }),
    );
  });
});
