import { ApiObject, App, Chart, Testing } from 'cdk8s';
import {
  admissionOf,
  expectNoIpamProblems,
  IpamOperator,
  ipamProblems,
  IpamService,
  synthIpam,
  type IpFamily,
} from '../../../../constructs';
import { IPAM, METALLB } from '../../../../operator/contract/group';
import { parseZones, type ZoneCatalogue } from '../../../../operator/contract/zones';
import { isIpamError } from '../../../../operator/errors/ipam-error';
import { DoorWorld, ZONES } from '../../../support/door-world';
import { service } from '../../../support/review-builder';

const catalogue = (document: unknown = ZONES): ZoneCatalogue => {
  const parsed = parseZones(document);
  if (!parsed.ok) throw new TypeError('the zones of the test are wrong');
  return parsed.value;
};
const zones = catalogue();
const ports = [{ port: 443 }];

describe('admissionOf', () => {
  test.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['nothing, which means the default zone', {}, {}],
    ['a zone', { [IPAM.zone]: 'inet' }, {}],
    ['an address', { [IPAM.zone]: 'inet', [IPAM.addresses]: '192.0.2.9' }, {}],
    ['dual', { [IPAM.zone]: 'inet', [IPAM.ipFamily]: 'dual' }, {}],
    ['ipv6', { [IPAM.zone]: 'inet', [IPAM.ipFamily]: 'ipv6' }, {}],
    ['ipv6 in the spec', { [IPAM.zone]: 'inet' }, { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }],
    ['PreferDualStack', { [IPAM.zone]: 'inet' }, { ipFamilyPolicy: 'PreferDualStack' }],
    ['RequireDualStack', { [IPAM.zone]: 'inet' }, { ipFamilyPolicy: 'RequireDualStack' }],
    ['a zone that does not exist', { [IPAM.zone]: 'inett' }, {}],
    ['a zone without the family', { [IPAM.ipFamily]: 'ipv6' }, { ipFamilies: ['IPv6'] }],
    ['an address outside of the zone', { [IPAM.zone]: 'inet', [IPAM.addresses]: '10.0.0.9' }, {}],
    ['no address at all', { [IPAM.addresses]: 'gateway' }, {}],
    ['two addresses of one family', { [IPAM.addresses]: '10.0.0.8,10.0.0.9' }, {}],
    ['the address of MetalLB', { [METALLB.addresses]: '10.0.0.9' }, {}],
    ['two different wishes', { [IPAM.addresses]: '10.0.0.8', [METALLB.addresses]: '10.0.0.9' }, {}],
    [
      'a contradiction in a zone that does not exist',
      { [IPAM.zone]: 'inett', [IPAM.addresses]: '10.0.0.8', [METALLB.addresses]: '10.0.0.9' },
      {},
    ],
    ['spec.loadBalancerIP', {}, { loadBalancerIP: '10.0.0.9' }],
    [
      'spec.loadBalancerIP with two families',
      { [IPAM.zone]: 'inet', [IPAM.ipFamily]: 'dual' },
      { loadBalancerIP: '192.0.2.9', ipFamilyPolicy: 'RequireDualStack' },
    ],
    ['a class of somebody else', {}, { loadBalancerClass: 'example.com/lb' }],
    ['another type', {}, { type: 'ClusterIP' }],
    ['too long a retention', { [IPAM.retentionPeriodDays]: '31' }, {}],
    ['several mistakes at once', { [IPAM.zone]: 'inett', [IPAM.retentionPeriodDays]: '31' }, {}],
  ])('says of %s what the webhooks say, on every kind of cluster', async (_, annotations, spec) => {
    for (const clusterFamilies of [['IPv4'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4']] satisfies IpFamily[][]) {
      const object = service(annotations, spec);
      const said = admissionOf(object, zones, { clusterFamilies });
      const world = new DoorWorld({ families: clusterFamilies.map((family) => (family === 'IPv4' ? 4 : 6)) });
      const { stored, denied } = await world.create(object);
      const given = await world.held();
      await world.app.close();
      expect({ clusterFamilies, refused: said.verdict === 'refused' }).toEqual({
        clusterFamilies,
        refused: denied !== undefined,
      });
      for (const { message } of said.refusals) expect(denied?.message).toContain(message);
      expect(given).toBe(said.families.length);
      expect(stored?.metadata.annotations?.[METALLB.pool]).toBe(said.verdict === 'asks' ? said.zone : undefined);
    }
  });

  test('names zone, families and wished addresses', () => {
    const object = service({ [IPAM.zone]: 'inet', [IPAM.ipFamily]: 'dual', [IPAM.addresses]: '192.0.2.9' });
    expect(admissionOf(object, zones)).toEqual({
      verdict: 'asks',
      zone: 'inet',
      families: ['IPv4', 'IPv6'],
      addresses: ['192.0.2.9'],
      refusals: [],
    });
  });

  test.each([
    ['kube-system', {}],
    ['quiet', { excludedNamespaces: ['quiet'] }],
  ])('leaves a Service of the excluded namespace %s alone', (namespace, options) => {
    const object = service({ [IPAM.zone]: 'inett' }, {}, { namespace });
    expect(admissionOf(object, zones, options).verdict).toBe('not-ours');
  });

  test('takes a class that the operator handles', () => {
    const object = service({}, { loadBalancerClass: 'example.com/lb' });
    expect(admissionOf(object, zones, { loadBalancerClasses: ['example.com/lb'] }).verdict).toBe('asks');
  });

  test('holds the labels of the namespace against the zone', () => {
    const closed = catalogue({
      version: 1,
      zones: [{ name: 'inet', prefixes: ['192.0.2.0/24'], namespaces: { matchLabels: { internet: 'allowed' } } }],
    });
    const object = service({ [IPAM.zone]: 'inet' });
    expect(admissionOf(object, closed)).toMatchObject({ verdict: 'refused', refusals: [{ code: 'zone/forbidden' }] });
    expect(admissionOf(object, closed, { namespaceLabels: { internet: 'allowed' } }).verdict).toBe('asks');
  });

  test('is not surprised by anything', () => {
    expect(admissionOf({}, zones).verdict).toBe('not-ours');
    expect(admissionOf({ metadata: {}, spec: 'x' }, zones).verdict).toBe('not-ours');
  });
});

describe('synthIpam', () => {
  test('sorts the objects of a chart', () => {
    const chart = Testing.chart();
    const { zones: ours } = new IpamOperator(chart, 'ipam', { zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }] });
    new IpamService(chart, 'web', { ports, zones: ours, zone: 'lan' });
    const found = synthIpam(chart);
    expect(found.services.map(({ metadata }) => metadata.name)).toEqual(['web']);
    expect(found.pools.map(({ metadata }) => metadata.name)).toEqual(['lan']);
    expect(found.zones?.names).toEqual(['lan']);
    expect(found.objects.length).toBeGreaterThan(10);
  });

  test('runs the validations of the constructs', () => {
    const chart = Testing.chart();
    new IpamService(chart, 'web', { ports, zones, zone: 'inett' });
    expect(() => synthIpam(chart)).toThrow(/no zone is named "inett"/);
  });
});

describe('expectNoIpamProblems', () => {
  /** A Service that was written without our construct. */
  const foreign = (chart: Chart, annotations: Readonly<Record<string, string>>) =>
    new ApiObject(chart, 'Foreign', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'foreign', namespace: 'web', annotations },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });

  test('passes where nothing is wrong', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'ipam');
    new IpamOperator(chart, 'operator', { zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }] });
    foreign(new Chart(app, 'web'), { [IPAM.zone]: 'lan' });
    expect(() => {
      expectNoIpamProblems(app);
    }).not.toThrow();
  });

  test('finds a Service of another chart that the webhooks would refuse, by the zones of the app', () => {
    const app = Testing.app();
    new IpamOperator(new Chart(app, 'ipam'), 'operator', { zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }] });
    foreign(new Chart(app, 'web'), { [IPAM.zone]: 'lann' });
    expect(ipamProblems(app)).toEqual([expect.stringMatching(/^\[Service foreign\] .*no zone is named "lann"/)]);
  });

  test('finds a Service by zones that are given', () => {
    const chart = Testing.chart();
    foreign(chart, { [IPAM.zone]: 'inett' });
    expect(ipamProblems(chart)).toEqual([]);
    expect(ipamProblems(chart, { zones })).toHaveLength(1);
  });

  test('takes the zones of the app also where the operator stands in another chart', () => {
    const app = Testing.app();
    new IpamOperator(new Chart(app, 'ipam'), 'operator', {
      zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }],
      cluster: 'a',
    });
    const web = new Chart(app, 'web');
    foreign(web, { [IPAM.zone]: 'lann' });
    expect(ipamProblems(web)).toEqual([expect.stringMatching(/no zone is named "lann"/)]);
    new IpamOperator(new Chart(app, 'other'), 'operator', {
      zones: [{ name: 'lann', prefixes: ['192.0.2.0/24'] }],
      cluster: 'b',
    });
    expect(ipamProblems(web)).toEqual([]);
  });

  test('tells of a chart what is wrong elsewhere in its app, without which nothing is written', () => {
    const app = Testing.app();
    new IpamService(new Chart(app, 'other'), 'shop', { ports, zones, zone: 'inett' });
    expect(ipamProblems(new Chart(app, 'web'))).toEqual([expect.stringMatching(/^\[other\/shop\] .*inett/)]);
  });

  test('judges without any zones what needs none', () => {
    const chart = Testing.chart();
    foreign(chart, { [IPAM.zone]: 'any', [IPAM.addresses]: 'gateway' });
    expect(ipamProblems(chart)).toEqual([expect.stringMatching(/^\[Service foreign\] .*"gateway"/)]);
  });

  test('asks for a zone where the given zones have no default', () => {
    const chart = Testing.chart();
    foreign(chart, { [IPAM.ipFamily]: 'ipv4' });
    const without = catalogue({ version: 1, zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }] });
    expect(ipamProblems(chart, { zones: without })).toEqual([
      expect.stringMatching(/^\[Service foreign\] .*default zone/),
    ]);
    expect(ipamProblems(chart)).toEqual([]);
  });

  test('FU-03 takes the zone of an address that is asked for, by whichever key', () => {
    const zones = catalogue({ version: 1, zones: [{ name: 'lan', prefixes: ['192.0.2.0/24'] }] });
    const service = (annotations: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'a', annotations },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
    const asked = (key: string) => admissionOf(service({ [key]: '192.0.2.9' }), zones);

    for (const key of [IPAM.addresses, 'metallb.io/loadBalancerIPs', 'metallb.universe.tf/loadBalancerIPs'])
      expect(asked(key)).toMatchObject({ verdict: 'asks', zone: 'lan', addresses: ['192.0.2.9'] });
    expect(admissionOf(service({ 'metallb.io/loadBalancerIPs': '198.51.100.1' }), zones).verdict).toBe('not-ours');
    const both = { [IPAM.optOut]: 'true', 'metallb.io/address-pool': 'lan' };
    expect(admissionOf(service(both), zones)).toMatchObject({
      verdict: 'refused',
      refusals: [{ code: 'wish/contradiction' }],
    });
  });

  test('finds nothing in an app without charts, and looks at the chart of what stands in one', () => {
    expect(ipamProblems(new App())).toEqual([]);
    const chart = Testing.chart();
    const inside = foreign(chart, { [IPAM.zone]: 'inett' });
    expect(ipamProblems(inside, { zones })).toHaveLength(1);
  });

  test('finds pools that overlap and webhooks that lock', () => {
    const chart = Testing.chart();
    for (const [name, address] of [
      ['a', '192.0.2.0/24'],
      ['b', '192.0.2.0/25'],
    ] as const) {
      new ApiObject(chart, name, {
        apiVersion: 'metallb.io/v1beta1',
        kind: 'IPAddressPool',
        metadata: { name },
        spec: { addresses: [address] },
      });
    }
    new ApiObject(chart, 'Hook', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'hook' },
      webhooks: [{ name: 'a.b.c', sideEffects: 'None', failurePolicy: 'Ignore' }],
    });
    expect(ipamProblems(chart)).toEqual([
      expect.stringMatching(/^\[IPAddressPool b\] pools\/disjoint: /),
      expect.stringMatching(/^\[ValidatingWebhookConfiguration hook\] webhook\/timeout: /),
    ]);
  });

  test('throws every problem of the constructs, with their paths', () => {
    const app = new App();
    const chart = new Chart(app, 'web');
    new IpamService(chart, 'shop', { ports, zones, zone: 'inett' });
    new IpamService(chart, 'api', { ports, retentionPeriodDays: -1 });
    let thrown: unknown;
    try {
      expectNoIpamProblems(app);
    } catch (error) {
      thrown = error;
    }
    expect(isIpamError(thrown, 'settings/invalid')).toBe(true);
    const lines = (thrown as Error).message.split('\n');
    expect(lines[0]).toContain('2 problems');
    expect(lines[1]).toMatch(/\[web\/shop\] .*inett/);
    expect(lines[2]).toMatch(/\[web\/api\] .*retention/);
  });
});

describe('the helpers, called from plain JavaScript', () => {
  const untyped = { synthIpam, admissionOf, ipamProblems, expectNoIpamProblems } as unknown as Readonly<
    Record<string, (...given: unknown[]) => unknown>
  >;
  const thrownBy = (helper: string, given: readonly unknown[]): string => {
    try {
      untyped[helper]?.(...given);
      return '';
    } catch (thrown) {
      return isIpamError(thrown, 'settings/invalid') ? thrown.message : `another error: ${String(thrown)}`;
    }
  };
  const object = service({});
  const ZONES_ASKED = 'the zones of an IpamOperator or of zonesFromFile';
  const SCOPE = 'an app, a chart or another construct';

  test.each<[string, string, () => unknown[], string]>([
    ['synthIpam', 'nothing', () => [], 'chart: nothing is not allowed; allowed is a chart of cdk8s'],
    [
      'synthIpam',
      'an app',
      () => [new App()],
      'chart: a value of class App is not allowed; allowed is a chart of cdk8s',
    ],
    [
      'admissionOf',
      'no service',
      () => [null, zones],
      'service: null is not allowed; leave it out, or give a Service as JSON',
    ],
    ['admissionOf', 'no zones', () => [object], `zones: nothing is not allowed; allowed is ${ZONES_ASKED}`],
    [
      'admissionOf',
      'an empty list of zones',
      () => [object, []],
      `zones: a list is not allowed; allowed is ${ZONES_ASKED}`,
    ],
    [
      'admissionOf',
      'families in small letters',
      () => [object, zones, { clusterFamilies: ['ipv4'] }],
      'clusterFamilies[0]: "ipv4" is not allowed; allowed is IPv4 or IPv6',
    ],
    [
      'admissionOf',
      'no family',
      () => [object, zones, { clusterFamilies: [] }],
      'clusterFamilies: an empty list is not allowed; leave it out, or give a list, each item IPv4 or IPv6',
    ],
    [
      'admissionOf',
      'one family twice',
      () => [object, zones, { clusterFamilies: ['IPv4', 'IPv4'] }],
      'clusterFamilies[1]: "IPv4" is clusterFamilies[0] already; give each at most once',
    ],
    [
      'admissionOf',
      'an option that does not exist',
      () => [object, zones, { clusterFamily: ['IPv4'] }],
      'clusterFamily: there is no such prop; did you mean clusterFamilies?',
    ],
    ['admissionOf', 'zones among options', () => [object, zones, { zones }], 'zones: there is no such prop'],
    [
      'admissionOf',
      'labels in a Map',
      () => [object, zones, { namespaceLabels: new Map([['a', 'b']]) }],
      'namespaceLabels: a value of class Map is not allowed',
    ],
    ['admissionOf', 'options that are null', () => [object, zones, null], 'props: null is not allowed'],
    ['ipamProblems', 'nothing', () => [], `scope: nothing is not allowed; allowed is ${SCOPE}`],
    [
      'ipamProblems',
      'an empty list of zones',
      () => [new App(), { zones: [] }],
      `zones: a list is not allowed; allowed is ${ZONES_ASKED}`,
    ],
    ['expectNoIpamProblems', 'a text', () => ['app'], `scope: "app" is not allowed; allowed is ${SCOPE}`],
    [
      'expectNoIpamProblems',
      'an unknown option',
      () => [new App(), { zone: zones }],
      'zone: there is no such prop; did you mean zones?',
    ],
  ])('%s refuses %s', (...[helper, , given, message]) => {
    expect(thrownBy(helper, given())).toContain(message);
  });

  test('say everything at once', () => {
    expect(thrownBy('admissionOf', [undefined, undefined, { x: 1 }]).split('\n')).toHaveLength(3);
  });
});
