import { Chart, Testing } from 'cdk8s';

import { IpamService, ipamServiceProblems, metalLbPoolProblems } from '../../../../constructs';
import { one, type Json } from '../../../support/operator-objects';
import { errorOf, MAKERS } from '../../../support/untyped';

const serviceMessages = (props: object): string[] =>
  ipamServiceProblems({ ports: [{ port: 80 }], ...props }).map(({ message }) => message);

describe('an IpamService of plain JavaScript', () => {
  test.each<[string, object, string]>([
    ['a name', { name: 'Web_1' }, 'name: "Web_1" is not allowed; allowed is a DNS label (a-z'],
    ['a namespace', { namespace: 'A B' }, 'namespace: "A B" is not allowed; allowed is a DNS label'],
    ['ports that are no list', { ports: { port: 80 } }, 'ports: a map is not allowed; allowed is a list'],
    ['a text for a port', { ports: [{ port: '80' }] }, 'ports[0].port: "80" is not allowed; allowed is a number'],
    [
      'a protocol',
      { ports: [{ port: 80, protocol: 'tcp' }] },
      'ports[0].protocol: "tcp" is not allowed; allowed is TCP, UDP or SCTP',
    ],
    ['a name of a port', { ports: [{ port: 80, name: 'My Port' }] }, 'ports[0].name: "My Port" is not allowed'],
    ['a text for addresses', { addresses: '10.0.0.1' }, 'addresses: "10.0.0.1" is not allowed; allowed is a list'],
    [
      'a text for a switch',
      { denyExternalCleanup: 'false' },
      'denyExternalCleanup: "false" is not allowed; allowed is true or false',
    ],
    ['a number for text', { zone: 5 }, 'zone: 5 is not allowed; allowed is a text'],
    ['families', { ipFamilies: ['ipv4'] }, 'ipFamilies[0]: "ipv4" is not allowed; allowed is IPv4 or IPv6'],
    ['a policy', { ipFamilyPolicy: 'Dual' }, 'ipFamilyPolicy: "Dual" is not allowed; allowed is SingleStack'],
    [
      'a traffic policy',
      { externalTrafficPolicy: 'local' },
      'externalTrafficPolicy: "local" is not allowed; allowed is Cluster or Local',
    ],
    ['a class', { loadBalancerClass: '' }, 'loadBalancerClass: "" is not allowed'],
    ['labels', { labels: { a: 'b c' } }, 'labels[a]: "b c" is not allowed'],
    ['a selector', { selector: ['app'] }, 'selector: a list is not allowed; allowed is a map'],
    [
      'another selector',
      { labelSelector: { matchLabels: {} } },
      'labelSelector: a map is not allowed; allowed is a LabelSelector of cdk8s-plus',
    ],
    ['zones that are a list', { zones: [] }, 'zones: a list is not allowed; allowed is the zones of an IpamOperator'],
    ['a Service to join that is none', { joins: 'web' }, 'joins: "web" is not allowed; allowed is another IpamService'],
    [
      'a secret that is none, unshown',
      { generatedSecret: { value: 12345678 } },
      'generatedSecret.value: the given number is not allowed',
    ],
    ['null', { annotations: null }, 'annotations: null is not allowed; leave it out'],
    ['a key of an annotation', { annotations: { 'a b': 1 } }, 'annotations[a b]: "a b" is not allowed'],
  ])('refuses %s', (_what, props, text) => {
    expect(serviceMessages(props)).toEqual([expect.stringContaining(text)]);
    expect(errorOf(MAKERS['IpamService'], { ports: [{ port: 80 }], ...props })).toContain(`[chart/made] ${text}`);
  });

  test('writes no annotation that is undefined', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamService(chart, 'web', { ports: [{ port: 80 }], annotations: { a: undefined as unknown as string, b: 0 } });
    const { metadata } = one(Testing.synth(chart) as Json[], 'Service');
    expect(metadata!['annotations']).toEqual({ b: '0' });
  });
});

describe('a pool of plain JavaScript', () => {
  const poolMessages = (props: object): string[] =>
    metalLbPoolProblems({ name: 'p', addresses: ['192.0.2.0/24'], ...props }).map(({ message }) => message);

  test.each<[string, object, string]>([
    ['a map of L2 advertisements', { l2: {} }, 'l2: a map is not allowed; allowed is a list'],
    ['a map of BGP advertisements', { bgp: {} }, 'bgp: a map is not allowed; allowed is a list'],
    ['null for the list', { l2: null }, 'l2: null is not allowed; leave it out'],
    ['null in the list', { bgp: [null] }, 'bgp[0]: null is not allowed'],
    ['null for a leaf', { bgp: [{ localPref: null }] }, 'bgp[0].localPref: null is not allowed'],
    [
      'a text for a list',
      { l2: [{ interfaces: 'eth0' }] },
      'l2[0].interfaces: "eth0" is not allowed; allowed is a list',
    ],
    ['a selector that is none', { l2: [{ nodeSelectors: [null] }] }, 'l2[0].nodeSelectors[0]: null is not allowed'],
    [
      'addresses that are none',
      { addresses: '192.0.2.0/24' },
      'addresses: "192.0.2.0/24" is not allowed; allowed is a list',
    ],
    ['a number among the addresses', { addresses: [5] }, 'addresses[0]: 5 is not allowed'],
    ['a text for a switch', { autoAssign: 'no' }, 'autoAssign: "no" is not allowed; allowed is true or false'],
    ['a name that is none', { name: 5 }, 'name: 5 is not allowed'],
    ['a cluster without a name', { cluster: '' }, 'cluster: "" is not allowed'],
  ])('refuses %s', (_what, props, text) => {
    expect(poolMessages(props)).toEqual([expect.stringContaining(text)]);
    expect(errorOf(MAKERS['MetalLbPool'], { addresses: ['192.0.2.0/24'], ...props })).toContain(`[chart/made] ${text}`);
  });

  test('of a zone is judged like any other', () => {
    expect(errorOf(MAKERS['ZonePool'], { zone: 'A B' })).toContain('[chart/made] zone: "A B" is not allowed');
    expect(errorOf(MAKERS['ZonePool'], { zone: 'a', prefixes: ['10.0.0.1/24'] })).toContain(
      '[chart/made] prefixes[0]: ',
    );
    expect(errorOf(MAKERS['ZonePool'], { zone: 'a', prefixes: ['10.0.0.0/24'], l2: {} })).toContain('l2: a map');
    expect(errorOf(MAKERS['ZonePool'], { zone: 'a', prefixes: ['10.0.0.0/24'], l2: [] })).toBe('');
  });
});
