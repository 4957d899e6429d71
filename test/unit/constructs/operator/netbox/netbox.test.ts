import { ipamOperatorProblems, type IpamOperatorProps } from '../../../../../constructs';
import {
  argumentsOf,
  namesOf,
  one,
  secretFiles,
  settingsOf,
  synthesized,
  zones,
} from '../../../../support/operator-objects';

const token = { name: 'ipam-token' };

const NETBOX: Partial<IpamOperatorProps> = {
  netbox: { url: 'https://netbox.example:8443', token },
  zonePools: 'claims',
};

/** Props as plain JavaScript or YAML may give them, past the types. */
const untyped = (props: unknown): Partial<IpamOperatorProps> => props as Partial<IpamOperatorProps>;

const messagesOf = (props: Partial<IpamOperatorProps>): readonly string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

const egressOf = (props: Partial<IpamOperatorProps>): unknown =>
  one(synthesized(props), 'NetworkPolicy')['spec']!['egress']!.slice(2);

describe('netbox', () => {
  test('reaches NetBox with the token of a Secret, and leaves the rest to the operator', () => {
    const objects = synthesized(NETBOX);
    expect(secretFiles(objects)).toEqual({ '/etc/ipam-netbox/token/token': 'ipam-token/token' });
    expect(settingsOf(objects)).toMatchObject({
      netboxUrl: 'https://netbox.example:8443',
      netboxTokenFile: '/etc/ipam-netbox/token/token',
      netboxCaFile: '',
    });
    expect(argumentsOf(objects).filter((each) => each.startsWith('--netbox-'))).toHaveLength(2);
  });

  test('says everything else that it is told', () => {
    const objects = synthesized({
      ...NETBOX,
      netbox: {
        url: 'https://netbox.example',
        token: { name: 'netbox', key: 'bearer' },
        ca: { name: 'corp', key: 'root.pem' },
        tag: 'k8s',
        fields: { env: 'prod', domain: 'dc 1' },
        refreshSeconds: 60,
        adopt: true,
      },
    });
    expect(settingsOf(objects)).toMatchObject({
      netboxTokenFile: '/etc/ipam-netbox/token/bearer',
      netboxCaFile: '/etc/ipam-netbox/ca/root.pem',
      netboxTag: 'k8s',
      netboxFields: ['domain=dc 1', 'env=prod'],
      netboxRefreshSeconds: 60,
      netboxAdopt: true,
    });
    expect(secretFiles(objects)).toEqual({
      '/etc/ipam-netbox/token/bearer': 'netbox/bearer',
      '/etc/ipam-netbox/ca/root.pem': 'corp/root.pem',
    });
  });

  test('lets the Pods reach the port of the URL, in the given networks', () => {
    expect(egressOf(NETBOX)).toEqual([{ ports: [{ protocol: 'TCP', port: 8443 }] }]);
    expect(egressOf({ ...NETBOX, networkPolicy: { netboxCidrs: ['10.7.0.0/16'] } })).toEqual([
      { ports: [{ protocol: 'TCP', port: 8443 }], to: [{ ipBlock: { cidr: '10.7.0.0/16' } }] },
    ]);
  });

  test('lets zones have the prefixes that NetBox has, and MetalLB announce them', () => {
    const inet = { name: 'inet', prefixes: [], fromNetBox: true };
    const props = { ...NETBOX, zones: [inet] };
    expect(messagesOf(props)).toEqual([]);
    const objects = synthesized(props);
    expect(one(objects, 'L2Advertisement')['spec']).toEqual({ ipAddressPools: ['inet'] });
    expect(namesOf(objects, 'IPAddressPool')).toEqual([]);
    expect(one(objects, 'ConfigMap', 'ipam-zones')['data']!['zones.yaml']).toContain('fromNetBox: true');
  });
});

describe('ipamOperatorProblems', () => {
  test.each([
    [
      'NetBox with pools of prefixes',
      { ...NETBOX, zonePools: 'prefixes' },
      'zonePools: "prefixes" is not possible with netbox.url, since the prefixes of its zones are known at run time only; give claims',
    ],
    [
      'NetBox beside a remote store',
      { ...NETBOX, store: { remote: { url: 'https://ipam.example', token } } },
      'store: "remote" is not possible with netbox.url: the IPAM-API elsewhere keeps NetBox up to date; leave out one of both',
    ],
    [
      'NetBox without a token',
      untyped({ ...NETBOX, netbox: { url: 'https://netbox.example' } }),
      'netbox.token: is needed with netbox.url, but is not set',
    ],
    [
      'NetBox without a URL',
      { ...NETBOX, netbox: { url: '', token } },
      'netbox.url: an empty text is no URL; leave netbox out, or give one',
    ],
    [
      'a login in the URL, without quoting it',
      { ...NETBOX, netbox: { url: 'https://me:hunter2@netbox.example', token } },
      'netbox.url: a URL must not hold a login; give the token as a file',
    ],
    [
      'a token in place of the name of its Secret, without quoting it',
      { ...NETBOX, netbox: { url: 'https://netbox.example', token: { name: 'Hunter_2' } } },
      'netbox.token: give the name of a Secret (a-z, 0-9, - and ., at most 253 characters); what it holds belongs into the Secret',
    ],
    [
      'a field whose value would be two',
      { ...NETBOX, netbox: { url: 'https://netbox.example', token, fields: { env: 'a,b' } } },
      'netbox.fields[env]: "a,b" holds what parts fields; give a text without commas',
    ],
    [
      'readings in too short a time',
      { ...NETBOX, netbox: { url: 'https://netbox.example', token, refreshSeconds: 1 } },
      'netbox.refreshSeconds: 1 is not allowed; give whole seconds from 10 to 86400',
    ],
    [
      'a zone of NetBox without it',
      { zones: [{ name: 'inet', prefixes: [], fromNetBox: true }] },
      'zones[0].fromNetBox: true is not possible without netbox; give it, or list the prefixes of the zone',
    ],
  ] as readonly (readonly [string, Partial<IpamOperatorProps>, string])[])('refuses %s', (_what, props, message) => {
    expect(messagesOf(props)).toEqual([message]);
  });
});
