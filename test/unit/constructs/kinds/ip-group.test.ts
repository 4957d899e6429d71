import { Chart, Testing } from 'cdk8s';

import { IpGroup } from '../../../../constructs/kinds/ip-group';
import type { IpGroupProps } from '../../../../constructs/kinds/ip-group-props';
import { GROUP_SAMPLES } from '../../../support/vip-kind-samples';

const P1: IpGroupProps = { spec: { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] } };

const build = (...groups: readonly (readonly [string, object])[]): Chart => {
  const chart = new Chart(Testing.app(), 'groups', { namespace: 'somewhere' });
  for (const [id, props] of groups) new IpGroup(chart, id, props as IpGroupProps);
  return chart;
};
const problems = (...groups: readonly (readonly [string, object])[]): readonly string[] =>
  build(...groups)
    .node.findAll()
    .flatMap(({ node }) => node.validate());

describe('IpGroup', () => {
  test('is the cluster-scoped object that the older operator took', () => {
    expect(Testing.synth(build(['ipgroup-1', { ...P1, labels: { team: 'net' } }]))).toEqual([
      {
        apiVersion: 'paas.org/v1',
        kind: 'IPGroup',
        metadata: { name: 'ipgroup-1', labels: { team: 'net' } },
        spec: P1.spec,
      },
    ]);
  });

  test.each(GROUP_SAMPLES.filter(({ refusedAt, object }) => refusedAt === undefined && object.spec !== undefined))(
    'takes $title as the API server does',
    ({ object: { metadata, spec } }) => {
      expect(problems(['g', { name: metadata.name, spec }])).toEqual([]);
    },
  );

  test.each(GROUP_SAMPLES.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuses $title at $refusedAt',
    ({ object: { spec }, refusedAt }) => {
      expect(problems(['g', { spec }]).join('\n')).toContain(refusedAt);
    },
  );

  test('POOL-11 fails at synth on an unknown field, with its path and what was meant', () => {
    const chart = build(['g', { spec: { segment: '1.1.1.0/29', excludedIP: ['1.1.1.1'] } }]);
    expect(() => Testing.synth(chart) as unknown[]).toThrow(
      /groups\/g\].*spec\.excludedIP: unknown field "excludedIP".*did you mean "excludedIPs"\?/u,
    );
  });

  test('refuses a name that no object can have', () => {
    expect(problems(['Group_1', P1]).join()).toContain('name: "Group_1"');
  });

  test('refuses props without a spec', () => {
    expect(problems(['g', {}]).join()).toContain('spec');
  });

  test.each(['WebGroup', 'web_group', 'a'.repeat(254)])(
    'FU-64 without a name, the id %j is refused as one, and a name mends it',
    (id) => {
      expect(problems([id, P1])).toEqual([
        expect.stringContaining(`It is the id of the construct; give the prop name`),
      ]);
      expect(problems([id, { ...P1, name: '3scale' }])).toEqual([]);
    },
  );

  test('POOL-06 refuses a segment of another group, naming both', () => {
    const [problem] = problems(['a', P1], ['b', { spec: { segments: ['fd00::/64', '1.1.1.4/30'] } }]);
    expect(problem).toBe(
      'spec.segment: "fd00::/64, 1.1.1.4/30" overlaps "1.1.1.0/29" of IPGroup "a" [groups/a]; an address is in one group only',
    );
  });

  test('lets groups of two clusters overlap', () => {
    expect(problems(['a', { ...P1, cluster: 'east' }], ['b', { ...P1, cluster: 'west' }])).toEqual([]);
  });

  test('refuses a second group of the same name', () => {
    const other = { name: 'a', spec: { segment: '9.9.9.0/29' } };
    expect(problems(['a', P1], ['b', other]).join()).toContain('"a" of IPGroup [groups/b]');
  });
});
