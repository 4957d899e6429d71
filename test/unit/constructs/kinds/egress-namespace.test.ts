import { ApiObject, App, Chart, Lazy, Testing } from 'cdk8s';
import { Namespace } from 'cdk8s-plus-28';

import { EgressIpam } from '../../../../constructs/kinds/egress-ipam';
import type { EgressIpamProps } from '../../../../constructs/kinds/egress-ipam-props';
import { EgressNamespace } from '../../../../constructs/kinds/egress-namespace';
import type { EgressWish } from '../../../../constructs/kinds/egress-opt-ins';
import { egressSpec } from '../../../support/egress-kind-samples';

const KEY = 'egressip-ipam-operator.redhat-cop.io';
const BM = {
  spec: egressSpec(
    { CIDR: '10.0.0.0/24', labelValue: 'a', reservedIPs: ['10.0.0.9'] },
    { CIDR: '10.1.0.0/24', labelValue: 'b' },
  ),
} as EgressIpamProps;

let chart: Chart;
let bm: EgressIpam;

beforeEach(() => {
  chart = Testing.chart();
  bm = new EgressIpam(chart, 'bm', BM);
});

const problems = (): readonly string[] => [
  ...new Set(chart.node.root.node.findAll().flatMap(({ node }) => node.validate())),
];

/** Both ways to opt a namespace in, by their names. */
const WAYS: readonly (readonly [string, (name: string, wish: EgressWish) => unknown])[] = [
  ['EgressNamespace', (name, wish) => new EgressNamespace(chart, name, { egressIpam: 'bm', ...wish })],
  [
    'optIn of a Namespace of cdk8s-plus',
    (name, wish) => {
      bm.optIn(new Namespace(chart, name, { metadata: { name } }), wish);
    },
  ],
];

describe.each(WAYS)('%s', (_way, optIn) => {
  test('writes the opt-in and the list that the operator reads', () => {
    optIn('shop', { addresses: ['10.0.0.7', '10.1.0.7'] });
    optIn('blog', {});
    optIn('edge', { addresses: ['10.0.0.9', '10.1.0.9'], allowReserved: true });
    expect(problems()).toEqual([]);
    const named = (Testing.synth(chart) as { kind: string; metadata: { name: string; annotations: object } }[])
      .filter(({ kind }) => kind === 'Namespace')
      .map(({ metadata: { name, annotations } }) => [name, annotations]);
    expect(named).toEqual([
      ['shop', { [`${KEY}/egressipam`]: 'bm', [`${KEY}/egressips`]: '10.0.0.7,10.1.0.7' }],
      ['blog', { [`${KEY}/egressipam`]: 'bm' }],
      [
        'edge',
        {
          [`${KEY}/egressipam`]: 'bm',
          [`${KEY}/egressips`]: '10.0.0.9,10.1.0.9',
          [`${KEY}/allow-reserved`]: 'true',
        },
      ],
    ]);
  });

  test.each([
    ['outside of the CIDRs', ['10.0.0.7', '10.9.0.1'], '10.9.0.1 lies in no CIDR of EgressIPAM bm'],
    ['twice of one CIDR', ['10.0.0.7', '10.0.0.8', '10.1.0.7'], 'both lie in 10.0.0.0/24'],
    ['of one CIDR alone', ['10.0.0.7'], 'no address of 10.1.0.0/24 is listed'],
    ['that is reserved', ['10.0.0.9', '10.1.0.7'], '10.0.0.9 is reserved in 10.0.0.0/24'],
    ['that is the network address', ['10.0.0.0', '10.1.0.7'], '10.0.0.0 is reserved'],
    ['that is none', ['10.0.0.7', 'web'], '"web"'],
  ])('EG-case-17 refuses an address %s', (_title, addresses, says) => {
    optIn('shop', { addresses });
    expect(problems()).toEqual([expect.stringContaining(says)]);
  });

  test('EG-13 refuses an address that another namespace of the app lists, once', () => {
    optIn('shop', { addresses: ['10.0.0.7', '10.1.0.7'] });
    optIn('blog', { addresses: ['10.0.0.8', '10.1.0.7'] });
    expect(problems()).toEqual([expect.stringMatching(/^10\.1\.0\.7 is held by Namespace shop \[/u)]);
  });
});

describe('EgressNamespace', () => {
  test('refuses an EgressIPAM that the app does not declare beside others', () => {
    new EgressNamespace(chart, 'shop', { egressIpam: 'metal' });
    expect(problems()).toEqual(['EgressIPAM "metal" is none of the EgressIPAMs of this app (bm)']);
  });

  test('takes any EgressIPAM where the app declares none of the cluster, and still refuses what is no list', () => {
    const other = new Chart(new App(), 'other');
    new EgressIpam(other, 'bm', { ...BM, cluster: 'east' });
    new EgressNamespace(other, 'shop', { egressIpam: 'metal', cluster: 'west' });
    const blog = new EgressNamespace(other, 'blog', { egressIpam: 'metal', cluster: 'west', addresses: ['web'] });
    const found = other.node.findAll().flatMap(({ node }) => node.validate());
    expect(found).toEqual([expect.stringContaining('"web"')]);
    expect(blog.name).toBe('blog');
  });

  test('refuses labels that the EgressIPAM does not select, unless they are known later', () => {
    const spec = {
      ...egressSpec({ CIDR: '10.2.0.0/24', labelValue: 'a' }),
      namespaceSelector: { matchLabels: { t: 'x' } },
    };
    new EgressIpam(chart, 'chosen', { spec } as unknown as EgressIpamProps);
    new EgressNamespace(chart, 'right', { egressIpam: 'chosen', labels: { t: 'x' } });
    new EgressNamespace(chart, 'late', {
      egressIpam: 'chosen',
      labels: { t: Lazy.any({ produce: () => 'x' }) as string },
    });
    expect(problems()).toEqual([]);
    new EgressNamespace(chart, 'wrong', { egressIpam: 'chosen' });
    expect(problems()).toEqual(['EgressIPAM chosen does not serve this namespace (spec.namespaceSelector)']);
  });

  test('lets one address be listed in two networks', () => {
    const spec = { ...egressSpec({ CIDR: '10.0.0.0/24', labelValue: 'a' }), network: 'other' };
    new EgressIpam(chart, 'far', { spec } as unknown as EgressIpamProps);
    new EgressNamespace(chart, 'shop', { egressIpam: 'bm', addresses: ['10.0.0.7', '10.1.0.7'] });
    new EgressNamespace(chart, 'blog', { egressIpam: 'far', addresses: ['10.0.0.7'] });
    expect(problems()).toEqual([]);
  });

  test('says nothing of a namespace whose EgressIPAM is wrong itself', () => {
    new EgressIpam(chart, 'bad', { spec: egressSpec({ CIDR: '10.5.0.1/24', labelValue: 'a' }) } as EgressIpamProps);
    new EgressNamespace(chart, 'shop', { egressIpam: 'bad' });
    expect(problems().filter((text) => !text.includes('cidrAssignments'))).toEqual([]);
  });

  test('refuses a name that another object has', () => {
    new ApiObject(chart, 'there', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    new EgressNamespace(chart, 'shop', { egressIpam: 'bm' });
    expect(problems().join('\n')).toContain('shop');
  });
});
