import { addressOf } from '../../../../../operator/addressing/address';
import { PrefixSet } from '../../../../../operator/addressing/prefix-set';
import { planEgress } from '../../../../../operator/rules/egress';
import { placeAddresses, readNode } from '../../../../../operator/rules/egress/placement';
import type { EgressNode, NodeRoom, Placement } from '../../../../../operator/rules/egress/placement/types';
import { egressIpamObject } from '../../../../support/egress-kind-samples';

const NOW_MS = 1_000_000;

/** A node as a test describes it. */
interface TestNode {
  readonly value?: string;
  readonly downForMs?: number;
  readonly isCordoned?: boolean;
  readonly isDraining?: boolean;
  readonly zone?: string;
  readonly isControlPlane?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly room?: NodeRoom | 'none';
  /** True: its subnet is another one. */
  readonly isOutside?: boolean;
}

const nodeOf = (name: string, of: TestNode): EgressNode => ({
  name,
  labels: { ...(of.value === undefined ? { key: 'x' } : { key: of.value }), ...of.labels },
  isControlPlane: of.isControlPlane ?? false,
  ...(of.downForMs === undefined ? {} : { notReadySinceMs: NOW_MS - of.downForMs }),
  isCordoned: of.isCordoned ?? false,
  isDraining: of.isDraining ?? false,
  zone: of.zone ?? '',
});

/** What is placed: nodes by name, addresses as `namespace/address`, and where they are as `address@node`. */
interface Scene {
  readonly nodes: Readonly<Record<string, TestNode>>;
  readonly wanted: readonly string[];
  readonly placed?: readonly string[];
  readonly spec?: object;
  readonly mostMoves?: number;
}

const CIDRS = [
  { CIDR: '10.0.1.0/24', labelValue: 'x' },
  { CIDR: '10.0.2.0/24', labelValue: 'y' },
  { CIDR: '10.0.3.0/24', labelValue: 'x' },
];

function place({ nodes, wanted, placed = [], spec = {}, mostMoves = 10 }: Scene): Placement {
  const object = egressIpamObject('bm', { topologyLabel: 'key', cidrAssignments: CIDRS, ...spec });
  const [plan] = planEgress([object], () => PrefixSet.EMPTY);
  if (plan === undefined) throw new RangeError('no plan');
  const roomOf = ({ name }: EgressNode): NodeRoom | undefined => {
    const room = nodes[name]?.room ?? { used: 0 };
    return room === 'none' ? undefined : room;
  };
  return placeAddresses({
    plan,
    nowMs: NOW_MS,
    mostMoves,
    roomOf,
    canCarry: ({ name }) => nodes[name]?.isOutside !== true,
    nodes: Object.entries(nodes).map(([name, of]) => nodeOf(name, of)),
    wanted: wanted.map((text) => {
      const [namespace = '', address = ''] = text.split('/');
      return { namespace, address: addressOf(address) };
    }),
    placed: placed.map((text) => {
      const [address = '', node = ''] = text.split('@');
      return { node, address: addressOf(address) };
    }),
  });
}

const shown = ({ placed }: Placement): readonly string[] =>
  placed.map(({ address, node }) => `${address.toString()}@${node}`);
const failed = ({ unplaced }: Placement): readonly string[] =>
  unplaced.map(({ address, reason }) => `${address.toString()} ${reason}`);

describe('placeAddresses', () => {
  test('EG-case-12 puts an address on a node of its CIDR', () => {
    const placement = place({
      nodes: { n1: { value: 'x' }, n2: { value: 'y' } },
      wanted: ['a/10.0.1.1', 'a/10.0.2.1'],
    });
    expect([shown(placement), failed(placement)]).toEqual([['10.0.1.1@n1', '10.0.2.1@n2'], []]);
  });

  test('leaves the control plane out, unless a selector chooses it', () => {
    const nodes = { cp: { isControlPlane: true, labels: { role: 'cp' } }, n1: {} };
    const wanted = ['a/10.0.1.1', 'b/10.0.1.2'];
    expect(shown(place({ nodes, wanted }))).toEqual(['10.0.1.1@n1', '10.0.1.2@n1']);
    const spec = { nodeSelector: { matchLabels: { role: 'cp' } } };
    expect(shown(place({ nodes, wanted, spec }))).toEqual(['10.0.1.1@cp', '10.0.1.2@cp']);
  });

  test('takes a label with an empty value for what it is', () => {
    const spec = { cidrAssignments: [{ CIDR: '10.0.1.0/24', labelValue: '' }] };
    expect(shown(place({ nodes: { n1: {}, n2: { value: '' } }, wanted: ['a/10.0.1.1'], spec }))).toEqual([
      '10.0.1.1@n2',
    ]);
  });

  test('leaves an address where it is, however full its node is', () => {
    const placed = ['10.0.1.1@n1', '10.0.1.2@n1', '10.0.1.3@n1'];
    const wanted = ['a/10.0.1.1', 'b/10.0.1.2', 'c/10.0.1.3'];
    expect(shown(place({ nodes: { n1: { room: { capacity: 2, used: 1 } }, n2: {} }, wanted, placed }))).toEqual(placed);
  });

  test.each<readonly [string, Readonly<Record<string, TestNode>>, string]>([
    [
      'EG-32 the node that is least full',
      { n1: { room: { capacity: 4, used: 2 } }, n2: { room: { capacity: 10, used: 3 } } },
      'n2',
    ],
    [
      'EG-32 of two without a limit, the one with fewer addresses',
      { n1: { room: { used: 2 } }, n2: { room: { used: 1 } } },
      'n2',
    ],
    ['EG-32 of two alike the first by name', { n2: {}, n1: {} }, 'n1'],
    ['EG-32 none that is full', { n1: { room: { capacity: 2, used: 2 } }, n2: {} }, 'n2'],
    ['EG-39 none that cannot carry addresses', { n1: { room: 'none' }, n2: {} }, 'n2'],
    ['EG-39 none in another subnet', { n1: { isOutside: true }, n2: {} }, 'n2'],
    ['EG-36 none that is cordoned', { n1: { isCordoned: true }, n2: {} }, 'n2'],
    ['EG-36 none that is about to go', { n1: { isDraining: true }, n2: {} }, 'n2'],
    ['none that is not ready, were it for a moment', { n1: { downForMs: 1 }, n2: {} }, 'n2'],
  ])('chooses %s', (_title, nodes, node) => {
    const spec = { failover: { notReadySeconds: 60 } };
    expect(shown(place({ nodes, wanted: ['a/10.0.1.1'], spec }))).toEqual([`10.0.1.1@${node}`]);
  });

  test('EG-34 spreads a namespace over nodes, then over zones', () => {
    const nodes = { n1: { zone: 'p' }, n2: { zone: 'p' }, n3: { zone: 'q', room: { used: 5 } } };
    expect(shown(place({ nodes, wanted: ['a/10.0.1.1', 'a/10.0.3.1'] }))).toEqual(['10.0.1.1@n1', '10.0.3.1@n3']);
  });

  test('EG-case-36 EG-33 EG-26 with all nodes full leaves one unplaced and the others in place', () => {
    const nodes = { n1: { room: { capacity: 10, used: 9 } }, n2: { value: 'y' } };
    const wanted = ['a/10.0.1.1', 'b/10.0.1.2', 'c/10.0.2.1'];
    const placement = place({ nodes, wanted });
    expect([shown(placement), failed(placement)]).toEqual([['10.0.1.1@n1', '10.0.2.1@n2'], ['10.0.1.2 NodesFull']]);
    const wider = place({ nodes: { ...nodes, n3: {} }, wanted, placed: shown(placement) });
    expect(shown(wider)).toEqual(['10.0.1.1@n1', '10.0.1.2@n3', '10.0.2.1@n2']);
  });

  test.each<readonly [string, TestNode]>([
    ['is not ready', { downForMs: 1 }],
    ['EG-case-43 EG-31 lost its label', { value: 'z' }],
    ['EG-36 is about to go', { isDraining: true }],
  ])('moves the addresses of a node that %s, and no others', (_title, n1) => {
    const placed = ['10.0.1.1@n1', '10.0.1.2@n2', '10.0.1.3@n1'];
    const placement = place({ nodes: { n1, n2: {} }, wanted: ['a/10.0.1.1', 'b/10.0.1.2', 'c/10.0.1.3'], placed });
    expect(shown(placement)).toEqual(['10.0.1.1@n2', '10.0.1.2@n2', '10.0.1.3@n2']);
  });

  test('moves the addresses of a node that is gone', () => {
    expect(shown(place({ nodes: { n2: {} }, wanted: ['a/10.0.1.1'], placed: ['10.0.1.1@n1'] }))).toEqual([
      '10.0.1.1@n2',
    ]);
  });

  test('EG-case-44 leaves a node its addresses for a time, and tells when to look again', () => {
    const spec = { failover: { notReadySeconds: 30 } };
    const scene = { wanted: ['a/10.0.1.1'], placed: ['10.0.1.1@n1'], spec };
    const early = place({ ...scene, nodes: { n1: { downForMs: 5000 }, n2: {} } });
    expect([shown(early), early.lookAgainAfterMs]).toEqual([['10.0.1.1@n1'], 25_000]);
    const late = place({ ...scene, nodes: { n1: { downForMs: 30_000 }, n2: {} } });
    expect([shown(late), late.lookAgainAfterMs]).toEqual([['10.0.1.1@n2'], undefined]);
  });

  test('leaves an address on a node that is not ready where there is no other, and says so', () => {
    const placement = place({ nodes: { n1: { downForMs: 1 } }, wanted: ['a/10.0.1.1'], placed: ['10.0.1.1@n1'] });
    expect([shown(placement), failed(placement)]).toEqual([['10.0.1.1@n1'], ['10.0.1.1 NoReadyNode']]);
  });

  test('leaves an address on a node that is about to go where there is no other', () => {
    const placement = place({ nodes: { n1: { isDraining: true } }, wanted: ['a/10.0.1.1'], placed: ['10.0.1.1@n1'] });
    expect([shown(placement), failed(placement)]).toEqual([['10.0.1.1@n1'], []]);
  });

  test('EG-case-46 EG-35 keeps the first of two places of an address', () => {
    const placed = ['10.0.1.1@n2', '10.0.1.1@n1'];
    expect(shown(place({ nodes: { n1: {}, n2: {} }, wanted: ['a/10.0.1.1'], placed }))).toEqual(['10.0.1.1@n2']);
  });

  test('EG-35 keeps the place that is right, were it the second one', () => {
    const placed = ['10.0.1.1@n2', '10.0.1.1@n1'];
    expect(shown(place({ nodes: { n1: {}, n2: { value: 'y' } }, wanted: ['a/10.0.1.1'], placed }))).toEqual([
      '10.0.1.1@n1',
    ]);
  });

  test('leaves an address of a CIDR that was taken out on its node', () => {
    const scene = { nodes: { n1: {}, n2: {} }, wanted: ['a/10.9.9.9'] };
    expect(shown(place({ ...scene, placed: ['10.9.9.9@n2'] }))).toEqual(['10.9.9.9@n2']);
    expect(failed(place(scene))).toEqual(['10.9.9.9 NoReadyNode']);
  });
});

describe('EG-37 the balance of nodes', () => {
  const wanted = Array.from({ length: 9 }, (_, i) => `ns${String(i)}/10.0.1.${String(i + 1)}`);
  const placed = wanted.map((text) => `${text.split('/')[1] ?? ''}@n1`);
  const spec = { rebalance: 'OnNodeJoin' };
  const nodes = { n1: {}, n2: {}, n3: {} };
  const countsOf = (placement: Placement): readonly number[] =>
    ['n1', 'n2', 'n3'].map((name) => placement.placed.filter(({ node }) => node === name).length);

  test('is left alone by default', () => {
    expect(countsOf(place({ nodes, wanted, placed }))).toEqual([9, 0, 0]);
  });

  test('EG-case-45 is restored a few addresses at a time', () => {
    const first = place({ nodes, wanted, placed, spec, mostMoves: 2 });
    expect([countsOf(first), first.isUneven]).toEqual([[7, 1, 1], true]);
    const last = place({ nodes, wanted, placed, spec });
    expect([countsOf(last), last.isUneven]).toEqual([[3, 3, 3], false]);
  });

  test('EG-case-45 ends 3/3/3 after an upgrade of node after node, and no round moves two addresses of a namespace', () => {
    const cidrs = ['1', '2', '3'].map((part) => ({ CIDR: `10.0.${part}.0/24`, labelValue: 'x' }));
    const of = { wanted: [] as string[], spec: { ...spec, cidrAssignments: cidrs } };
    for (const name of ['a', 'b', 'c'])
      for (const part of ['1', '2', '3']) of.wanted.push(`${name}/10.0.${part}.${String(of.wanted.length + 1)}`);
    const ownerOf = new Map(of.wanted.map((text) => [text.split('/')[1], text.split('/')[0]]));
    let now = shown(place({ ...of, nodes, mostMoves: 0 }));
    for (const name of ['n1', 'n2', 'n3'])
      now = shown(place({ ...of, placed: now, mostMoves: 0, nodes: { ...nodes, [name]: { downForMs: 60_000 } } }));
    expect(now.filter((text) => text.endsWith('@n3'))).toEqual([]);

    for (let isUneven = true; isUneven;) {
      const next = place({ ...of, placed: now, nodes, mostMoves: 2 });
      const moved = shown(next).filter((text) => !now.includes(text));
      const owners = moved.map((text) => ownerOf.get(text.split('@')[0]));
      expect([moved.length <= 2, new Set(owners).size]).toEqual([true, owners.length]);
      isUneven = moved.length > 0;
      now = shown(next);
    }

    expect(['n1', 'n2', 'n3'].map((name) => now.filter((text) => text.endsWith(`@${name}`)).length)).toEqual([3, 3, 3]);
  });

  test('never moves two addresses of a namespace at once', () => {
    const two = ['a/10.0.1.1', 'a/10.0.3.1', 'a/10.0.1.2', 'a/10.0.3.2'];
    const all = two.map((text) => `${text.split('/')[1] ?? ''}@n1`);
    expect(countsOf(place({ nodes, wanted: two, placed: all, spec }))).toEqual([3, 1, 0]);
  });

  test('takes nothing from a node that is cordoned', () => {
    expect(countsOf(place({ nodes: { ...nodes, n1: { isCordoned: true } }, wanted, placed, spec }))).toEqual([9, 0, 0]);
  });
});

describe('readNode', () => {
  const read = (object: object) => readNode(object as never, Date.parse);
  const ready = (status: string) => ({
    conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  });

  test('reads labels, zone and state', () => {
    const labels = { 'topology.kubernetes.io/zone': 'z1', 'node-role.kubernetes.io/control-plane': '' };
    expect(read({ metadata: { name: 'n1', labels }, status: ready('True') })).toEqual({
      name: 'n1',
      labels,
      isControlPlane: true,
      isCordoned: false,
      isDraining: false,
      zone: 'z1',
    });
  });

  test.each([
    ['is not ready', { status: ready('False') }, { notReadySinceMs: Date.parse('2026-01-01T00:00:00Z') }],
    ['tells nothing any more', { status: ready('Unknown') }, { notReadySinceMs: Date.parse('2026-01-01T00:00:00Z') }],
    ['never told its state', {}, { notReadySinceMs: 0 }],
    ['is cordoned', { spec: { unschedulable: true } }, { isCordoned: true }],
    ['is about to go', { spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler' }] } }, { isDraining: true }],
    [
      'has the older zone label',
      { metadata: { labels: { 'failure-domain.beta.kubernetes.io/zone': 'z' } } },
      { zone: 'z' },
    ],
  ])('reads a node that %s', (_title, object, expected) => {
    expect(read(object)).toMatchObject(expected);
  });
});
