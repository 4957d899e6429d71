import { Chart, Testing, type ApiObject } from 'cdk8s';
import { AddressClaim } from '../../../constructs/kinds';
import type { AddressClaimProps } from '../../../constructs/kinds-props';
import { CLAIM_SAMPLES } from '../../support/address-claim-samples';

const holder = { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPAllocation', namespace: 'core', name: 'upf-n3' };
const bound: AddressClaimProps = {
  spec: { network: 'vpc', address: '10.0.0.5', door: 'networks', state: 'bound', holder },
};

const build = (props: AddressClaimProps): Chart => {
  const chart = new Chart(Testing.app(), 'claims', { namespace: 'somewhere' });
  new AddressClaim(chart, 'n3', props);
  return chart;
};
const problems = (props: object): readonly string[] =>
  build(props as AddressClaimProps)
    .node.findAll()
    .flatMap(({ node }) => node.validate());

describe('AddressClaim', () => {
  test('is a cluster-scoped object whose name follows from network and address', () => {
    expect(Testing.synth(build({ ...bound, labels: { site: 'edge-1' } }))).toEqual([
      {
        apiVersion: 'ipam.vitistack.io/v1alpha1',
        kind: 'AddressClaim',
        metadata: { name: 'vpc.10.0.0.5', labels: { site: 'edge-1' } },
        spec: bound.spec,
      },
    ]);
  });

  test('names an IPv6 prefix in full', () => {
    const { name } = new AddressClaim(Testing.chart(), 'p', { spec: { ...bound.spec, address: '2001:db8::/64' } });
    expect(name).toBe('vpc.2001.0db8.0000.0000.0000.0000.0000.0000-64');
  });

  test('takes every spec that the API server takes, and gives it the name that it wants', () => {
    for (const { object, before, refusedAt } of CLAIM_SAMPLES) {
      if (before !== undefined || refusedAt !== undefined) continue;
      const [manifest] = Testing.synth(build({ spec: object.spec })) as [ApiObject];
      expect(manifest.metadata.name).toBe(object.metadata.name);
    }
    expect(CLAIM_SAMPLES.length).toBeGreaterThan(20);
  });

  test('POOL-11 fails at synth on an unknown field, with its path and what was meant', () => {
    const chart = build({ spec: { ...bound.spec, adress: '10.0.0.6' } } as AddressClaimProps);
    expect(() => Testing.synth(chart) as unknown[]).toThrow(
      /claims\/n3\].*spec\.adress: unknown field "adress".*did you mean "address"\?/,
    );
  });

  test('POOL-11 fails on an unknown prop beside the spec', () => {
    expect(problems({ ...bound, label: {} })).toEqual(['label: there is no such prop; did you mean labels?']);
  });

  test('refuses a missing spec, naming every field that is required', () => {
    expect(problems({}).map((message) => message.split(':')[0])).toEqual([
      'spec.network',
      'spec.address',
      'spec.door',
      'spec.state',
    ]);
  });

  test.each([
    ['a value of the wrong type', { spec: { ...bound.spec, address: 10 } }, 'spec.address'],
    ['an address that is not canonical', { spec: { ...bound.spec, address: '2001:DB8::1' } }, 'spec.address'],
    ['a lease without an end', { spec: { ...bound.spec, state: 'reserved' } }, 'spec.until'],
    ['a choice that does not exist', { spec: { ...bound.spec, door: 'window' } }, 'spec.door'],
  ])('refuses %s', (_, props, field) => {
    const found = problems(props);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(field);
  });
});
