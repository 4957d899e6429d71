import { ApiObject, Chart, Testing } from 'cdk8s';

import { EgressIpam } from '../../../../constructs/kinds/egress-ipam';
import type { EgressIpamProps } from '../../../../constructs/kinds/egress-ipam-props';
import { EGRESS_SAMPLES, egressSpec } from '../../../support/egress-kind-samples';

const NORTH = { spec: egressSpec({ CIDR: '10.0.0.0/24', labelValue: 'true' }) };

const build = (...objects: readonly (readonly [string, object])[]): Chart => {
  const chart = new Chart(Testing.app(), 'egress', { namespace: 'somewhere' });
  for (const [id, props] of objects) new EgressIpam(chart, id, props as EgressIpamProps);
  return chart;
};
const problems = (...objects: readonly (readonly [string, object])[]): readonly string[] =>
  build(...objects)
    .node.findAll()
    .flatMap(({ node }) => node.validate());
const over = (CIDR: string, more: object = {}) => ({ spec: { ...egressSpec({ CIDR, labelValue: 'a' }), ...more } });

describe('EgressIpam', () => {
  test('is the cluster-scoped object that the older operator took', () => {
    expect(Testing.synth(build(['north', { ...NORTH, labels: { team: 'net' } }]))).toEqual([
      {
        apiVersion: 'redhatcop.redhat.io/v1alpha1',
        kind: 'EgressIPAM',
        metadata: { name: 'north', labels: { team: 'net' } },
        spec: NORTH.spec,
      },
    ]);
  });

  test.each(EGRESS_SAMPLES.filter(({ refusedAt, object }) => refusedAt === undefined && object.spec !== undefined))(
    'takes $title as the API server does',
    ({ object: { spec } }) => {
      expect(problems(['bm', { spec }])).toEqual([]);
    },
  );

  test.each(EGRESS_SAMPLES.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuses $title at $refusedAt',
    ({ object: { spec }, refusedAt }) => {
      expect(problems(['bm', { spec }]).join('\n')).toContain(refusedAt);
    },
  );

  test('refuses props without a spec', () => {
    expect(problems(['bm', {}]).join()).toContain('spec');
  });

  test('opts a namespace in', () => {
    const chart = build();
    const north = new EgressIpam(chart, 'north', NORTH as EgressIpamProps);
    north.optIn(new ApiObject(chart, 'shop', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }));
    expect((Testing.synth(chart) as { metadata: object }[]).at(-1)?.metadata).toMatchObject({
      annotations: { 'egressip-ipam-operator.redhat-cop.io/egressipam': 'north' },
    });
  });

  test('EG-27 refuses CIDRs that overlap another EgressIPAM, naming both', () => {
    expect(problems(['north', NORTH], ['south', over('10.0.0.128/25')])).toEqual([
      'spec.cidrAssignments: "10.0.0.128/25" overlaps "10.0.0.0/24" of EgressIPAM "north" [egress/north]; spec.allowOverlap: true of one of them allows it',
    ]);
  });

  test.each([
    ['in another network', over('10.0.0.128/25', { network: 'edge' })],
    ['of another cluster', { ...over('10.0.0.128/25'), cluster: 'west' }],
    ['that one of them allows', over('10.0.0.128/25', { allowOverlap: true })],
  ])('EG-27 lets CIDRs overlap %s', (_title, south) => {
    expect(problems(['north', { ...NORTH, cluster: 'east' }], ['south', south])).toEqual([]);
    expect(problems(['south', south], ['north', { ...NORTH, cluster: 'east' }])).toEqual([]);
  });
});
