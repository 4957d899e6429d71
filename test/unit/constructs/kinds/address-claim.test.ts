import { Chart, Testing, type ApiObject } from 'cdk8s';
import { AddressClaim } from '../../../../constructs/kinds/address-claim';
import type { AddressClaimProps } from '../../../../constructs/kinds/address-claim-props';
import { CLAIM_SAMPLES } from '../../../support/address-claim-samples';

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
      if (before !== undefined || refusedAt !== undefined || object.spec.address.endsWith('/0')) continue;
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

describe('what the API server takes of an AddressClaim, and nobody could use', () => {
  const spec = (more: object) => ({ ...bound, spec: { ...bound.spec, ...more } }) as AddressClaimProps;
  const leased = (until: unknown) => spec({ state: 'reserved', until });

  test.each<[string, AddressClaimProps, string]>([
    ['one letter', spec({ address: 'x' }), 'spec.address: must have at least 2 characters, but is "x"'],
    [
      'every address',
      spec({ address: '0.0.0.0/0' }),
      'spec.address: "0.0.0.0/0" holds addresses that cannot be assigned (unspecified)',
    ],
    [
      'multicast',
      spec({ address: 'ff02::1' }),
      'spec.address: "ff02::1" holds addresses that cannot be assigned (multicast)',
    ],
    [
      'a day that no month has',
      leased('2026-02-31T00:00:00Z'),
      'spec.until: "2026-02-31T00:00:00Z" is not a valid date; give a date and time such as 2027-01-31T12:00:00Z',
    ],
    ['a word for a time', leased('tomorrow'), 'spec.until: must '],
  ])('is refused: %s', (_what, props, message) => {
    expect(problems(props)).toEqual([expect.stringContaining(message)]);
  });

  test('is any day of the calendar', () => {
    expect(problems(leased('2028-02-29T23:59:59+02:00'))).toEqual([]);
  });
});

describe('AddressClaims that overlap', () => {
  const claim = (chart: Chart, id: string, props: object) =>
    new AddressClaim(chart, id, { ...bound, spec: { ...bound.spec, ...props } });
  const errorOf = (of: (chart: Chart) => void): string => {
    const chart = Testing.chart();
    of(chart);
    try {
      Testing.synth(chart);
      return '';
    } catch (thrown) {
      return String(thrown);
    }
  };

  test('are refused in one network', () => {
    const text = errorOf((chart) => {
      claim(chart, 'all', { address: '10.7.0.0/16' });
      claim(chart, 'one', { address: '10.7.0.9' });
    });
    expect(text).toMatch(
      /\[test\/one\] spec\.address: "10\.7\.0\.9" overlaps "10\.7\.0\.0\/16" of AddressClaim \[test\/all\] in network ".*", where an address has one owner; name the larger one in spec\.pool/,
    );
    expect(text.split('\n')).toHaveLength(2);
  });

  test.each<[string, object]>([
    ['another network', { network: 'other' }],
    ['space of the larger one', { pool: '10.7.0.0/16' }],
  ])('are none: %s', (_what, more) => {
    const text = errorOf((chart) => {
      claim(chart, 'all', { address: '10.7.0.0/16' });
      claim(chart, 'one', { address: '10.7.0.9', ...more });
    });
    expect(text).toBe('');
  });
});
