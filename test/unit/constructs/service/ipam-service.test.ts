import { Chart, Testing } from 'cdk8s';

import {
  IpamOperator,
  IpamService,
  ipamServiceProblems,
  type IpamServiceProps,
  type IpFamily,
} from '../../../../constructs';
import type { Family } from '../../../../operator/addressing/address';
import { IPAM, METALLB } from '../../../../operator/contract/group';
import { readService } from '../../../../operator/contract/service';
import { parseZones, type ZoneCatalogue } from '../../../../operator/contract/zones';
import { readIntent } from '../../../../operator/front-doors/services/wanted/intent';

interface Manifest {
  readonly metadata: {
    name: string;
    namespace?: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  readonly spec: Record<string, unknown>;
}

const ports = [{ port: 80 }];

function synthesized(props: Partial<IpamServiceProps>, id = 'web'): Manifest {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'apps' });
  new IpamService(chart, id, { ports, ...props });
  return (Testing.synth(chart) as Manifest[])[0]!;
}

function catalogue(defaultZone?: string): ZoneCatalogue {
  const outcome = parseZones({
    version: 1,
    ...(defaultZone === undefined ? {} : { services: { defaultZone } }),
    zones: [
      { name: 'hnet-private', prefixes: ['172.16.0.0/24'], excluded: ['172.16.0.1'] },
      { name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'] },
      { name: 'old', prefixes: ['192.168.0.0/24'], draining: true },
    ],
  });
  if (!outcome.ok) throw new TypeError('the zones of this test are wrong');
  return outcome.value;
}

const messagesOf = (props: Partial<IpamServiceProps>): string[] =>
  ipamServiceProblems({ ports, ...props }).map(({ message }) => message);

describe('IpamService', () => {
  test('writes every typed wish as text', () => {
    const { metadata } = synthesized({
      zone: 'inet',
      addresses: ['83.118.168.9', '2a05:1234::9'],
      ipFamily: 'dual',
      secret: 'team',
      retentionPeriodDays: 10,
      denyExternalCleanup: true,
      allowLocalSharedIp: 'dns',
    });
    expect(metadata.annotations).toEqual({
      [IPAM.zone]: 'inet',
      [IPAM.addresses]: '83.118.168.9,2a05:1234::9',
      [IPAM.ipFamily]: 'dual',
      [IPAM.secret]: 'team',
      [IPAM.retentionPeriodDays]: '10',
      [IPAM.denyExternalCleanup]: 'true',
      [IPAM.allowLocalSharedIp]: 'dns',
    });
  });

  test('writes nothing that was not asked for', () => {
    const { metadata, spec } = synthesized({});
    expect(metadata).toEqual({ name: 'web', namespace: 'apps' });
    expect(spec).toEqual({ type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] });
  });

  test('SVC-07 passes node ports and traffic policy on as they are, and only where they are given', () => {
    const { spec } = synthesized({
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: 'Local',
      loadBalancerClass: 'example.com/a',
      ports: [{ port: 80, nodePort: 31001, name: 'http', targetPort: 'web', protocol: 'UDP' }],
    });
    expect(spec).toEqual({
      type: 'LoadBalancer',
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: 'Local',
      loadBalancerClass: 'example.com/a',
      ports: [{ port: 80, nodePort: 31001, name: 'http', targetPort: 'web', protocol: 'UDP' }],
    });
    expect(synthesized({ allocateLoadBalancerNodePorts: true }).spec).toHaveProperty(
      'allocateLoadBalancerNodePorts',
      true,
    );
  });

  test('takes name, namespace, labels and selector', () => {
    const { metadata, spec } = synthesized({
      name: 'shop',
      namespace: 'x',
      labels: { a: 'b' },
      selector: { app: 'shop' },
    });
    expect(metadata).toEqual({ name: 'shop', namespace: 'x', labels: { a: 'b' } });
    expect(spec['selector']).toEqual({ app: 'shop' });
  });

  test.each([
    ['ipv4', { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
    ['ipv6', { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }],
    ['dual', { ipFamilyPolicy: 'RequireDualStack' }],
  ] as const)('fills the spec in for the family %s', (ipFamily, expected) => {
    expect(synthesized({ ipFamily }).spec).toMatchObject(expected);
  });

  test('leaves families to the user who wrote them', () => {
    const { spec } = synthesized({ ipFamily: 'dual', ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' });
    expect(spec).toMatchObject({ ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' });
  });

  test('CDK-01 turns numbers and booleans of annotations into text', () => {
    const { metadata } = synthesized({
      annotations: { 'example.com/n': 10, 'example.com/b': true, 'example.com/t': '10' },
    });
    expect(metadata.annotations).toEqual({ 'example.com/n': '10', 'example.com/b': 'true', 'example.com/t': '10' });
  });

  test('fails at synth with every problem and the path of the construct', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamService(chart, 'good', { ports });
    new IpamService(chart, 'bad', { ports, retentionPeriodDays: 31, addresses: ['10.0.0.300'] });
    expect(() => Testing.synth(chart) as unknown).toThrow(
      /errors:\n {2}\[chart\/bad\] metadata\.annotations\[ipam\.vitistack\.io\/addresses\]: [^\n]*\n {2}\[chart\/bad\] metadata\.annotations\[ipam\.vitistack\.io\/retention-period-days\]: [^\n]*$/,
    );
  });
});

describe('ipamServiceProblems', () => {
  const zones = catalogue('hnet-private');

  test.each([
    ['no wish', {}],
    ['no wish, with zones', { zones }],
    ['an address of the zone', { zones, zone: 'inet', addresses: ['83.118.168.9/32'] }],
    ['both families', { zones, zone: 'inet', ipFamily: 'dual' }],
    ['one family of a cluster whose families are unknown', { ipFamily: 'ipv6' }],
    ['the annotation alone, as an IPv6-first cluster would take it', { annotations: { [IPAM.ipFamily]: 'ipv6' } }],
    ['a draining zone, in which the Service may have its address', { zones, zone: 'old' }],
    ['the same wish in both places', { zone: 'inet', annotations: { [IPAM.zone]: 'inet', [METALLB.pool]: 'inet' } }],
    [
      'the zones of an operator that reports them itself',
      { zone: 'nowhere', zones: { zones: [], names: [], zone: () => undefined } },
    ],
  ] as readonly (readonly [string, Partial<IpamServiceProps>])[])('accepts %s', (_what, props) => {
    expect(messagesOf(props)).toEqual([]);
  });

  test('POOL-11 refuses a mistyped key of ours, with the nearest one', () => {
    expect(ipamServiceProblems({ ports, annotations: { 'ipam.vitistack.io/adresses': '10.0.0.1' } })).toEqual([
      expect.objectContaining({ code: 'wish/malformed', suggestion: IPAM.addresses }),
    ]);
    expect(messagesOf({ annotations: { 'ipam.vitistack.io/colour-of-the-moon': '' } })).toEqual([
      expect.stringContaining('there is no such key; the keys are ipam.vitistack.io/addresses'),
    ]);
  });

  test.each([
    [
      'a typed prop',
      { zone: 'inet', annotations: { [IPAM.zone]: 'other' } },
      /the typed prop says "inet", annotations say "other"/,
    ],
    ['what only the operator writes', { annotations: { [IPAM.reservation]: 'x' } }, /is written by the operator alone/],
    [
      "MetalLB's own key",
      { zone: 'inet', annotations: { [METALLB.pool]: 'other' } },
      /zone wishes of this Service contradict each other/,
    ],
    [
      "MetalLB's older key",
      { addresses: ['10.0.0.1'], annotations: { [METALLB.legacyAddresses]: '10.0.0.2' } },
      /address wishes of this Service contradict/,
    ],
    ['the kind of value', { annotations: { 'example.com/a': ['x'] as unknown as string } }, /not a map or a list/],
  ] as readonly (readonly [string, Partial<IpamServiceProps>, RegExp])[])(
    'refuses further annotations that contradict %s',
    (_what, props, text) => {
      expect(messagesOf(props)[0]).toMatch(text);
    },
  );

  test('lists problems of different kinds together', () => {
    const codes = ipamServiceProblems({
      ports,
      zones,
      zone: 'inett',
      retentionPeriodDays: -1,
      annotations: { [IPAM.reservation]: 'x' },
    }).map(({ code }) => code);
    expect(codes).toEqual(['wish/contradiction', 'wish/malformed', 'zone/unknown']);
  });
});

describe('the webhook and synth', () => {
  const familyOf = (family: IpFamily): Family => (family === 'IPv4' ? 4 : 6);

  /** Lists refusals of the Services door for the synthesized object in a cluster with these families. */
  function refusals(props: IpamServiceProps, clusterFamilies: readonly IpFamily[]): readonly string[] {
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'apps' });
    const built = new IpamService(chart, 'web', props);
    const families = clusterFamilies.map(familyOf);
    const service = readService(built.service.toJson())!;
    const outcome = readIntent(
      { operation: 'CREATE', namespace: 'apps', service },
      {
        claimant: { namespace: 'apps', service: { serviceName: 'web', namespaceUid: 'n', clusterUid: 'c' } },
        namespace: { name: 'apps', uid: 'n', labels: {} },
        catalogue: props.zones!,
        clusterFamilies: families,
        poolFamilies: families,
        grants: [],
        boundHolders: new Set(),
      },
    );
    return outcome.ok ? [] : outcome.refusals.map(({ message }) => message);
  }

  const dual: readonly IpFamily[] = ['IPv4', 'IPv6'];
  const zones = catalogue('hnet-private');
  const cases: readonly { what: string; props: Partial<IpamServiceProps>; cluster?: readonly IpFamily[] }[] = [
    { what: 'an unknown zone', props: { zone: 'inett' } },
    { what: 'no zone and no default', props: { zones: catalogue(), ipFamily: 'ipv4' } },
    { what: 'an empty zone', props: { zone: '' } },
    { what: 'an address outside of the zone', props: { zone: 'inet', addresses: ['83.118.169.1'] } },
    { what: 'an excluded address', props: { addresses: ['172.16.0.1'] } },
    { what: 'a network instead of an address', props: { addresses: ['172.16.0.0/24'] } },
    { what: 'an address that nobody can use', props: { addresses: ['127.0.0.1'] } },
    { what: 'leading zeros', props: { addresses: ['172.16.000.9'] } },
    { what: 'two addresses of one family', props: { addresses: ['172.16.0.2', '172.16.0.3'] } },
    { what: 'a family that the zone lacks', props: { zone: 'hnet-private', ipFamily: 'ipv6' } },
    { what: 'a second family that the zone lacks', props: { ipFamily: 'dual' } },
    { what: 'a family that the cluster lacks', props: { zone: 'inet', ipFamily: 'ipv6' }, cluster: ['IPv4'] },
    { what: 'two families on a single-stack cluster', props: { zone: 'inet', ipFamily: 'dual' }, cluster: ['IPv4'] },
    { what: 'an address of the other family', props: { zone: 'inet', ipFamily: 'ipv4', addresses: ['2a05:1234::9'] } },
    { what: 'dual with SingleStack', props: { zone: 'inet', ipFamily: 'dual', ipFamilyPolicy: 'SingleStack' } },
    { what: 'ipv4 with two families', props: { zone: 'inet', ipFamily: 'ipv4', ipFamilyPolicy: 'RequireDualStack' } },
    { what: 'a family that does not exist', props: { ipFamily: 'IPv4' as 'ipv4' } },
    { what: 'a secret with upper case', props: { secret: 'Team' } },
    { what: 'a retention of 31 days', props: { retentionPeriodDays: 31 } },
    { what: 'half a day of retention', props: { retentionPeriodDays: 0.5 } },
    {
      what: 'a contradiction with MetalLB',
      props: { addresses: ['172.16.0.2'], annotations: { [METALLB.addresses]: '172.16.0.3' } },
    },
    { what: 'a misspelt key', props: { annotations: { 'ipam.vitistack.io/zonee': 'inet' } } },
    { what: 'a zone on two lines', props: { zone: 'in\n\0et' } },
    { what: 'nothing at all', props: {} },
    { what: 'a good wish', props: { zone: 'inet', ipFamily: 'dual', addresses: ['83.118.168.9'] } },
  ];

  test.each(cases)('say the same of $what', ({ what, props, cluster = dual }) => {
    const full = { ports, zones, clusterFamilies: cluster, ...props };
    const atSynth = ipamServiceProblems(full).map(({ message }) => message);
    expect(atSynth).toEqual(refusals(full, cluster));
    expect(atSynth.length > 0).toBe(!['nothing at all', 'a good wish'].includes(what));
  });

  test('take the zones of an operator', () => {
    const chart = new Chart(Testing.app(), 'chart');
    const operator = new IpamOperator(chart, 'operator', { zones: [{ name: 'inet', prefixes: ['83.118.168.0/24'] }] });
    new IpamService(chart, 'web', { ports, zones: operator.zones, zone: 'inte' });
    expect(() => Testing.synth(chart) as unknown).toThrow(
      /\[chart\/web\] .*no zone is named "inte"; the zones are "inet"/,
    );
  });
});
