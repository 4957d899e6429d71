import { Chart, Testing } from 'cdk8s';

import { AddressPlan, type AddressPlanProps } from '../../../../constructs';

interface Written {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

function build(props: object): Chart {
  const chart = new Chart(Testing.app(), 'nets', { namespace: 'default' });
  new AddressPlan(chart, 'plan', props as AddressPlanProps);
  return chart;
}
const written = (props: object): readonly Written[] => Testing.synth(build(props)) as Written[];
const problems = (props: object): string =>
  build(props)
    .node.findAll()
    .flatMap(({ node }) => node.validate())
    .join('\n');

const PUBLISHED: AddressPlanProps = {
  instance: 'vpc-1',
  prefixes: [
    {
      prefix: '10.0.0.0/8',
      name: 'aggregate0',
      children: [
        {
          prefix: '10.0.1.0/24',
          network: 'net1',
          name: 'net1-prefix1',
          gateway: '10.0.1.1',
          excluded: ['10.0.1.200-10.0.1.210'],
          children: [{ prefix: '10.0.1.10/24', name: 'net1-prefix10', labels: { 'nephio.org/interface': 'n3' } }],
        },
        { prefix: '10.8.0.0/16', kind: 'pool' },
      ],
    },
  ],
};

describe('AddressPlan', () => {
  test('NET-E1 NET-E2 NET-E3 NET-E6 becomes the objects of the published example', () => {
    const spec = { networkInstance: 'vpc-1' };
    expect(
      written(PUBLISHED).map(({ kind, metadata, spec: of }) => [kind, metadata.name, metadata.labels, of]),
    ).toEqual([
      ['NetworkInstance', 'vpc-1', undefined, {}],
      ['IPPrefix', 'aggregate0', undefined, { ...spec, kind: 'aggregate', prefix: '10.0.0.0/8' }],
      [
        ...['IPPrefix', 'net1-prefix1', { 'nephio.org/gateway': 'true' }],
        { ...spec, kind: 'network', network: 'net1', prefix: '10.0.1.1/24', excluded: ['10.0.1.200-10.0.1.210'] },
      ],
      [
        ...['IPPrefix', 'net1-prefix10', { 'nephio.org/interface': 'n3' }],
        { ...spec, kind: 'network', network: 'net1', prefix: '10.0.1.10/24' },
      ],
      ['IPPrefix', 'vpc-1-10-8-0-0-16', undefined, { ...spec, kind: 'pool', prefix: '10.8.0.0/16' }],
    ]);
  });

  test('names each prefix that has no name by the instance and itself, each another one', () => {
    const prefixes = ['2001:db8::/32', '2001:DB8::/48', '2001:db8:0::/64'].map((prefix) => ({ prefix }));
    const names = written({ instance: 'v6', prefixes }).map(({ metadata: { name } }) => name);
    expect(names).toEqual(['v6', 'v6-2001-db8---32', 'v6-2001-db8---48', 'v6-2001-db8-0---64']);
  });

  test('puts its labels on every object, makes no instance that stands elsewhere, and follows its namespace', () => {
    const objects = written({
      instance: 'vpc-1',
      createInstance: false,
      namespace: 'team',
      labels: { plan: 'a', site: '1' },
      prefixes: [{ prefix: '10.0.0.0/8', labels: { site: '2' } }],
    });
    expect(objects.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ['IPPrefix', { name: 'vpc-1-10-0-0-0-8', namespace: 'team', labels: { plan: 'a', site: '2' } }],
    ]);
  });

  test.each<[string, object, string]>([
    [
      'a line outside of the one around it',
      { prefix: '10.0.0.0/16', children: [{ prefix: '10.1.0.0/24' }] },
      'prefixes[0].children[0].prefix: "10.1.0.0/24" does not lie in "10.0.0.0/16" of prefixes[0]',
    ],
    [
      'a gateway outside of its network',
      { prefix: '10.0.1.0/24', network: 'n', gateway: '10.0.2.1' },
      'prefixes[0].gateway: "10.0.2.1" does not lie in "10.0.1.0/24"',
    ],
    [
      'a gateway of a pool',
      { prefix: '10.0.1.0/24', kind: 'pool', gateway: '10.0.1.1' },
      'prefixes[0].gateway: "10.0.1.1" has no use in a prefix of kind pool',
    ],
    ['a gateway that is no address', { prefix: '10.0.1.0/24', network: 'n', gateway: 'x' }, 'prefixes[0].gateway: '],
    [
      'a mistyped prop inside of a line',
      { prefix: '10.0.0.0/8', children: [{ prefx: '10.1.0.0/16' }] },
      'prefixes[0].children[0].prefx: there is no such prop; did you mean prefix?',
    ],
    ['text that is no prefix', { prefix: '10.0.0.0' }, 'spec.prefix is "10.0.0.0"'],
  ])('refuses %s', (_what, line, message) => {
    expect(problems({ instance: 'vpc-1', prefixes: [line] })).toContain(message);
  });

  test('is refused without an instance', () => {
    expect(problems({ prefixes: [] })).toContain('instance: missing');
  });
});
