import { PrefixSet } from '../../../../../operator/addressing/prefix-set';
import type { JsonMap } from '../../../../../operator/contract/loose-json';
import { gistFor } from '../../../../../operator/front-doors/egress/placement/node-gist';
import type { PlacementContext } from '../../../../../operator/front-doors/egress/placement/placement-context';
import { planEgress } from '../../../../../operator/rules/egress';
import { egressIpamObject, egressSpec } from '../../../../support/egress-kind-samples';
import { MemoryDataplane } from '../../../../support/memory-dataplane';
import { CIDR_A, CIDR_B } from '../../../../support/placement-world';

const spec = { ...egressSpec(CIDR_A, CIDR_B), nodeSelector: { matchLabels: { tier: 'edge' } } };
const [plan] = planEgress([egressIpamObject('bm', spec)], () => PrefixSet.EMPTY);

/** A dataplane that reads one annotation of nodes. */
class Reading extends MemoryDataplane {
  override capacityOf({ metadata }: JsonMap) {
    const { annotations } = metadata as { readonly annotations: Readonly<Record<string, string>> };
    return { capacity: Number(annotations['example.com/capacity'] ?? 9), used: 0 };
  }
}

const placed = { dataplane: new Reading(), onNodes: new Map([['left', []]]), plan };
const context = { placements: new Map([['bm', { placed }]]) } as unknown as PlacementContext;

interface Told {
  readonly name?: string;
  readonly labels?: object;
  readonly annotations?: object;
  readonly spec?: object;
  readonly ready?: string;
}

const node = ({ name = 'n1', labels, annotations, ready = 'True', spec: more = {} }: Told = {}): JsonMap => ({
  metadata: {
    name,
    labels: { egressGateway: 'a', tier: 'edge', ...labels },
    annotations: { ...annotations },
  },
  spec: more,
  status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
});

const gist = (told?: Told): string => gistFor(context, plan!, told === undefined ? undefined : node(told));

test.each<readonly [string, Told]>([
  ['another label', { labels: { 'example.com/noise': '1' } }],
  ['another annotation', { annotations: { 'example.com/noise': '1' } }],
  ['a taint that moves nothing', { spec: { taints: [{ key: 'example.com/noise' }] } }],
])('%s of a node wakes no EgressIPAM', (_what, told) => {
  expect(gist(told)).toBe(gist({}));
});

test.each<readonly [string, Told]>([
  ['the topology label', { labels: { egressGateway: 'b' } }],
  ['a label of the selector', { labels: { tier: 'core' } }],
  ['the zone', { labels: { 'topology.kubernetes.io/zone': 'z2' } }],
  ['an annotation that the dataplane reads', { annotations: { 'example.com/capacity': '3' } }],
  ['readiness', { ready: 'False' }],
  ['a cordon', { spec: { unschedulable: true } }],
  ['a taint of a shutdown', { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service' }] } }],
])('EG-30 %s of a node wakes the EgressIPAM', (_what, told) => {
  expect(gist(told)).not.toBe(gist({}));
});

test('a node that no CIDR chooses wakes the EgressIPAM only where it carries something', () => {
  const other = { egressGateway: 'c' };
  expect([gist({ labels: other }), gist({ labels: other, ready: 'False' })]).toEqual([gist(), gist()]);
  expect(gist({ name: 'left', labels: other })).not.toBe(gist({ name: 'left', labels: other, ready: 'False' }));
});
