import { Chart, Testing } from 'cdk8s';

import { IpamService, type IpamServiceProps } from '../../../../constructs';
import { one, type Json } from '../../../support/operator-objects';

type Props = Partial<IpamServiceProps>;

const holder: Props = {
  zone: 'inet',
  addresses: ['192.0.2.53'],
  allowLocalSharedIp: 'k',
  ports: [{ port: 53, protocol: 'UDP' }],
  selector: { app: 'x' },
};
const joining: Props = { ports: [{ port: 53, protocol: 'TCP' }], selector: { app: 'x' } };

/** The two Services of REQ-03, each changed a little. */
function pairOf(a: Props, b: Props): { readonly chart: Chart; readonly second: IpamService } {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'apps' });
  const joins = new IpamService(chart, 'a', { ports: [], ...holder, ...a });
  return { chart, second: new IpamService(chart, 'b', { ports: [], ...joining, ...b, joins }) };
}

const pair = (a: Props, b: Props): Chart => pairOf(a, b).chart;

function problemsOf(a: Props, b: Props): readonly string[] {
  try {
    Testing.synth(pair(a, b));
    return [];
  } catch (thrown) {
    return String(thrown)
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

describe('an IpamService that joins the address of another one', () => {
  test('REQ-03 takes over everything that both have to say alike, and is applied after it', () => {
    const a: Props = {
      ipFamily: 'ipv4',
      secret: 'team',
      externalTrafficPolicy: 'Local',
      ports: [{ port: 53, protocol: 'UDP' }],
    };
    const objects = Testing.synth(pair(a, {})) as Json[];
    const [first, second] = objects.map(({ metadata }) => metadata!['annotations']);
    expect(objects.map(({ metadata }) => metadata!['name'])).toEqual(['a', 'b']);
    expect(second).toEqual(first);
    expect(one(objects, 'Service', 'b')['spec']).toEqual({
      type: 'LoadBalancer',
      selector: { app: 'x' },
      ports: [{ port: 53, protocol: 'TCP' }],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      externalTrafficPolicy: 'Local',
    });
  });

  test('takes over the name of a generated secret, not the Secret', () => {
    const objects = Testing.synth(pair({ generatedSecret: { value: 'correct-horse' } }, {})) as Json[];
    expect(objects.map(({ kind }) => kind)).toEqual(['Secret', 'Service', 'Service']);
    expect(one(objects, 'Service', 'b')['metadata']!['annotations']).toMatchObject({
      'ipam.vitistack.io/secret': 'a-ipam',
    });
  });

  test('may be joined itself', () => {
    const { chart, second } = pairOf({}, {});
    new IpamService(chart, 'c', { ports: [{ port: 853 }], joins: second });
    expect(one(Testing.synth(chart) as Json[], 'Service', 'c')['metadata']!['annotations']).toMatchObject({
      'ipam.vitistack.io/addresses': '192.0.2.53',
      'ipam.vitistack.io/allow-local-shared-ip': 'k',
    });
  });

  test.each([
    ['B, another protocol', {}, {}],
    ['all Local with the same selector', { externalTrafficPolicy: 'Local' }, {}],
    ['the same address in another spelling', { addresses: ['2001:db8::1'] }, { addresses: ['2001:DB8:0::1/128'] }],
    ['the secret by its name', {}, { secret: 'default' }],
    ['another namespace with the same secret', { secret: 'team' }, { namespace: 'other' }],
  ] as readonly (readonly [string, Props, Props])[])('REQ-03 shares: %s', (_what, a, b) => {
    expect(problemsOf(a, b)).toEqual([]);
  });

  const udp: Props = { ports: [{ port: 53, protocol: 'UDP' }] };
  const other: Props = { ports: [{ port: 443 }], selector: { app: 'y' }, externalTrafficPolicy: 'Local' };
  test.each([
    [
      'C, the same port and protocol',
      {},
      udp,
      'both use port 53/UDP, but Services on one address need different ports',
    ],
    ['D, no key', {}, { allowLocalSharedIp: '' }, 'this Service has no sharing key'],
    ['a holder without a key', { allowLocalSharedIp: '' }, {}, 'this Service has no sharing key'],
    [
      'a holder without a key, and one of its own',
      { allowLocalSharedIp: '' },
      { allowLocalSharedIp: 'k' },
      '"apps/a" has no sharing key',
    ],
    [
      'E, Local beside Cluster',
      { externalTrafficPolicy: 'Cluster' },
      other,
      'has externalTrafficPolicy Local and "apps/a" has Cluster',
    ],
    ['Local with another selector', { externalTrafficPolicy: 'Local' }, other, 'need the same pods'],
    ['G, another key', {}, { allowLocalSharedIp: 'j' }, 'the sharing key "j" is not the one of "apps/a"'],
    ['H, another namespace with the default secret', {}, { namespace: 'other' }, '"apps/a" is in another namespace'],
    ['another zone', {}, { zone: 'hnet-private' }, 'zone is hnet-private here and inet on "apps/a"'],
    ['another address', {}, { addresses: ['192.0.2.54'] }, 'addresses is 192.0.2.54 here and 192.0.2.53 on "apps/a"'],
    ['another secret', { secret: 'team' }, { secret: 'mine' }, 'secret is mine here and team on "apps/a"'],
    ['no fixed address', { addresses: [] }, {}, '"apps/a" asks for no fixed address'],
  ] as readonly (readonly [string, Props, Props, string])[])('REQ-03 does not share: %s', (...[, a, b, text]) => {
    expect(problemsOf(a, b)).toEqual([expect.stringContaining(text)]);
    expect(problemsOf(a, b)[0]).toMatch(/^\[chart\/b\] joins: /);
  });
});
