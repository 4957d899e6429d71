import { Chart, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import fc from 'fast-check';

import { ipamOperatorProblems, IpamService, ipamServiceProblems, type IpamServiceProps } from '../../../../constructs';
import { parseHostPrefix } from '../../../../operator/addressing/prefix';
import { hasServiceWish, parseServiceAnnotations } from '../../../../operator/contract/service-annotations';
import { one, type Json } from '../../../support/operator-objects';

const ports = [{ port: 80 }];
const messagesOf = (props: Partial<IpamServiceProps>): string[] =>
  ipamServiceProblems({ ports, ...props }).map(({ message }) => message);

function serviceOf(props: IpamServiceProps): Json {
  const chart = new Chart(Testing.app(), 'chart');
  new IpamService(chart, 'svc', props);
  return one(Testing.synth(chart) as Json[], 'Service');
}

/** Reads the error of synth; an empty text where there is none. */
function saidAtSynth(chart: Chart): string {
  try {
    Testing.synth(chart);
    return '';
  } catch (thrown) {
    return String(thrown);
  }
}

const failsAtSynth = (chart: Chart): boolean => saidAtSynth(chart).includes('[chart/svc] ');

describe('the props of an IpamService', () => {
  test('false, 0 and empty texts survive', () => {
    const { metadata, spec } = serviceOf({
      ports: [{ port: 80, nodePort: 0, name: '' }],
      selector: { canary: '' },
      labels: { empty: '' },
      retentionPeriodDays: 0,
      denyExternalCleanup: false,
      allowLocalSharedIp: '',
      allocateLoadBalancerNodePorts: false,
      annotations: {
        'example.com/zero': 0,
        'example.com/false': false,
        'example.com/empty': '',
        'example.com/minus': -0,
      },
    });
    expect(metadata).toEqual({
      name: 'svc',
      labels: { empty: '' },
      annotations: {
        'example.com/zero': '0',
        'example.com/false': 'false',
        'example.com/empty': '',
        'example.com/minus': '0',
        'ipam.vitistack.io/retention-period-days': '0',
        'ipam.vitistack.io/deny-external-cleanup': 'false',
        'ipam.vitistack.io/allow-local-shared-ip': '',
      },
    });
    expect(spec).toEqual({
      type: 'LoadBalancer',
      ports: [{ port: 80, nodePort: 0, name: '', protocol: 'TCP' }],
      selector: { canary: '' },
      allocateLoadBalancerNodePorts: false,
    });
  });

  test.each(['WebService', 'shop_web', 'web.shop', 'a'.repeat(64)])(
    'FU-64 without a name, the id %j is refused as one, and a name mends it',
    (id) => {
      const chart = new Chart(Testing.app(), 'chart');
      new IpamService(chart, id, { ports: [{ port: 80 }] });
      new IpamService(new Construct(chart, 'named'), id, { ports: [{ port: 80 }], name: 'web' });
      const text = `[chart/${id}] name: "${id}" is not allowed; allowed is a DNS label (a-z, 0-9 and -, at most 63 characters). It is the id of the construct; give the prop name`;
      const said = saidAtSynth(chart);
      expect(said).toContain(text);
      expect(said).not.toContain('[chart/named/');
    },
  );

  test('a name that is refused is told once, whatever the id is', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamService(chart, 'WebService', { ports: [{ port: 80 }], name: 'Web' });
    expect(saidAtSynth(chart).match(/is not allowed/gu)).toHaveLength(1);
  });

  test('FU-73 a family in the spelling of Kubernetes is refused once, with what is allowed', () => {
    const wrong = { ipFamily: 'IPv4' as never, zone: 'inet' };
    const told = [expect.stringMatching(/ip-family\]: "IPv4" is not allowed; allowed is "ipv4", "ipv6" or "dual"/u)];
    for (const families of [['IPv4'], ['IPv6']] as const) {
      expect(messagesOf({ ...wrong, clusterFamilies: families })).toEqual(told);
    }
  });

  test('FU-73 a family of the cluster in the spelling of the annotation is refused with that of Kubernetes', () => {
    const clusterFamilies = ['ipv4'] as never;
    expect(messagesOf({ zone: 'inet', clusterFamilies })).toEqual([
      expect.stringMatching(/clusterFamilies\[0\]: "ipv4" is not allowed; allowed is .*IPv4/u),
    ]);
    const zones = [{ name: 'inet', prefixes: ['10.0.0.0/24'] }];
    expect(ipamOperatorProblems({ zones, clusterFamilies }).map(({ message }) => message)).toEqual([
      expect.stringMatching(/"ipv4" is not allowed; .*IPv4/u),
    ]);
  });

  test('FU-64 a name may begin with a digit', () => {
    expect(messagesOf({ name: '3scale' })).toEqual([]);
    expect(serviceOf({ ports, name: '3scale' })).toMatchObject({ metadata: { name: '3scale' } });
  });

  test('an empty text is a wish, and refused where it means nothing', () => {
    expect(messagesOf({ zone: '' })).toEqual([expect.stringContaining('an empty value is not allowed')]);
    expect(messagesOf({ secret: '' })).toEqual([expect.stringContaining('an empty value is not allowed')]);
    for (const addresses of [[''], [' '], ['192.0.2.1', '']]) {
      const at = addresses.length - 1;
      expect(messagesOf({ addresses })).toEqual([
        expect.stringContaining(`addresses[${String(at)}]: "${addresses[at]!}" is not allowed`),
      ]);
    }
  });

  test.each([
    ['no port', { ports: [] }, 'ports: there is none; a LoadBalancer Service has at least one'],
    ['port 0', { ports: [{ port: 0 }] }, 'ports[0].port: 0 is not a port; allowed is 1 to 65535'],
    ['port 65536', { ports: [{ port: 65536 }] }, 'ports[0].port: 65536 is not a port'],
    ['half a port', { ports: [{ port: 80, targetPort: 0.5 }] }, 'ports[0].targetPort: 0.5 is not a port'],
    ['a negative node port', { ports: [{ port: 80, nodePort: -1 }] }, 'ports[0].nodePort: -1 is not a port'],
    [
      'a port twice',
      {
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b', protocol: 'TCP' },
        ],
      },
      'ports[1]: 80/TCP is in ports[0] already; keep one of them',
    ],
    [
      'a name twice',
      {
        ports: [
          { port: 80, name: 'a' },
          { port: 81, name: 'a' },
        ],
      },
      'ports[1].name: "a" is the name of ports[0] too',
    ],
    [
      'a missing name among several',
      { ports: [{ port: 80, name: 'a' }, { port: 81 }] },
      'ports[1].name: it is missing; where a Service has several ports, each has a name of its own',
    ],
    ['POOL-11 a mistyped prop', { adresses: ['10.0.0.1'] }, 'adresses: there is no such prop; did you mean addresses?'],
    ['POOL-11 a prop like none', { colour: 'red' }, 'colour: there is no such prop; the props are name, namespace'],
    [
      'POOL-11 a mistyped prop of a port',
      { ports: [{ port: 80, nodeport: 1 }] },
      'ports[0].nodeport: there is no such prop; did you mean nodePort?',
    ],
  ] as readonly (readonly [string, Partial<IpamServiceProps>, string])[])(
    'are refused with %s',
    (_what, props, text) => {
      expect(messagesOf(props)).toEqual([expect.stringContaining(text)]);
    },
  );

  test('one port number may serve two protocols', () => {
    const dns = [
      { port: 53, protocol: 'UDP', name: 'udp' },
      { port: 53, protocol: 'TCP', name: 'tcp' },
    ] as const;
    expect(messagesOf({ ports: dns })).toEqual([]);
  });

  describe('as wishes', () => {
    const texts = fc.oneof(
      fc.constantFrom('', ' ', 'inet', 'no', '0o12', '=', 'default', 'a.b', 'A', 'ü', 'x'.repeat(300)),
      fc.string({ maxLength: 12 }),
    );
    const addresses = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('10.0.0.1/32', '10.0.0.0/24', '2001:DB8::1/128', '010.0.0.1', ' 10.0.0.1 ', '', '::1', '1,2'),
    );
    const wish = fc.record(
      {
        zone: texts,
        addresses: fc.array(addresses, { maxLength: 3 }),
        ipFamily: fc.constantFrom('ipv4', 'ipv6', 'dual', 'IPv4' as 'ipv4', '' as 'ipv4'),
        secret: texts,
        retentionPeriodDays: fc.oneof(fc.integer({ min: -2, max: 40 }), fc.constantFrom(-0, 0.5, NaN, 1e21, 1e-7)),
        denyExternalCleanup: fc.boolean(),
        allowLocalSharedIp: texts,
      },
      { requiredKeys: [] },
    );

    const canonical = (list: readonly string[]): string[] =>
      list
        .flatMap((text) => text.split(','))
        .map((text) => text.trim())
        .filter((text) => text !== '')
        .map((text) => {
          const parsed = parseHostPrefix(text);
          return parsed.ok ? parsed.value.toString() : `not an address: ${text}`;
        });

    test('fail at synth, or mean the same to the parser of the webhook', () => {
      let accepted = 0;
      fc.assert(
        fc.property(wish, (props) => {
          const annotations = (built: IpamService): Record<string, string> =>
            (built.service.toJson() as { metadata: { annotations?: Record<string, string> } }).metadata.annotations ??
            {};
          const chart = new Chart(Testing.app(), 'chart');
          const written = annotations(new IpamService(chart, 'svc', { ports, ...props }));
          const problems = ipamServiceProblems({ ports, ...props });
          const read = parseServiceAnnotations(written);
          expect(failsAtSynth(chart)).toBe(problems.length > 0);
          if (problems.length > 0) return;
          accepted += 1;
          expect(read.problems).toEqual([]);
          const { addresses: wanted = [], retentionPeriodDays, ...rest } = props;
          expect(read.wish.addresses.map(String)).toEqual(canonical(wanted));
          expect(read.wish).toMatchObject(rest);
          expect(read.wish.retentionPeriodDays).toBe(
            retentionPeriodDays === undefined ? undefined : retentionPeriodDays + 0,
          );
          expect(Object.keys(read.wish).toSorted()).toEqual(Object.keys({ ...props, addresses: [] }).toSorted());
          const asks = Object.keys(props).some((key) => key !== 'addresses') || canonical(wanted).length > 0;
          expect(hasServiceWish(written)).toBe(asks);
        }),
        { numRuns: 600 },
      );
      // about one wish in 25 is good; none of 600 would mean that the law was never put to the test
      expect(accepted).toBeGreaterThan(0);
    });
  });
});

describe('the props of an IpamService, as Kubernetes takes them', () => {
  const messagesOf = (props: object): readonly string[] =>
    ipamServiceProblems({ ports: [{ port: 80 }], ...props }).map(({ message }) => message);

  test.each(['', '8080', 'Http', 'a--b', '-a', 'a-', 'sixteen-letters-', 'a b'])(
    'no port has the name %j',
    (targetPort) => {
      expect(messagesOf({ ports: [{ port: 80, targetPort }] })).toEqual([
        `ports[0].targetPort: "${targetPort}" is not allowed; allowed is the number of a port, or its name (at most 15 of a-z, 0-9 and single "-" between them, with a letter)`,
      ]);
    },
  );

  test.each(['http', 'h', '8080-tcp', 'fifteen-letters'])('a port may have the name %j', (targetPort) => {
    expect(messagesOf({ ports: [{ port: 80, targetPort }] })).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      'a blank sharing key',
      { allowLocalSharedIp: ' ' },
      'allowLocalSharedIp: " " is not allowed; allowed is a text that is not blank',
    ],
    ['no family of the cluster', { clusterFamilies: [] }, 'clusterFamilies: an empty list is not allowed'],
    [
      'a family of the cluster twice',
      { clusterFamilies: ['IPv4', 'IPv4'] },
      'clusterFamilies[1]: "IPv4" is clusterFamilies[0]',
    ],
    ['a selector in a Map', { selector: new Map([['a', 'b']]) }, 'selector: a value of class Map is not allowed'],
    ['labels in a Date', { labels: new Date(0) }, 'labels: a value of class Date is not allowed'],
    ['annotations in a Map', { annotations: new Map() }, 'annotations: a value of class Map is not allowed'],
  ])('%s is refused', (_what, props, message) => {
    expect(messagesOf(props)).toEqual([expect.stringContaining(message)]);
  });
});
