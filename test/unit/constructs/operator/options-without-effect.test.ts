import { ipamOperatorProblems } from '../../../../constructs';
import { zones } from '../../../support/operator-objects';

const postgres = { store: { postgres: { connection: { name: 'ipam-postgres' } } } };
const remote = { url: 'https://ipam.example', apiVersion: 2 } as const;
const messagesOf = (props: object): readonly string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

const DISABLED = 'has no effect while networkPolicy.enabled is false; leave one of the two out';
const NOT_INSTALLED = 'has no effect while crds.install is false; leave one of the two out';

describe('a prop without effect', () => {
  test.each<[string, object, string]>([
    [
      'namespaces of a policy that is not made',
      { networkPolicy: { enabled: false, monitoringNamespaces: ['monitoring'] } },
      `networkPolicy.monitoringNamespaces: ${DISABLED}`,
    ],
    [
      'networks of a policy that is not made',
      { networkPolicy: { enabled: false, apiServerCidrs: ['10.0.0.0/8'] } },
      `networkPolicy.apiServerCidrs: ${DISABLED}`,
    ],
    [
      'ports of a policy that is not made',
      { networkPolicy: { enabled: false, apiServerPorts: [6443] } },
      `networkPolicy.apiServerPorts: ${DISABLED}`,
    ],
    [
      'networks of a store in a policy that is not made',
      { ...postgres, networkPolicy: { enabled: false, storeCidrs: ['10.0.0.0/8'] } },
      `networkPolicy.storeCidrs: ${DISABLED}`,
    ],
    [
      'networks of a store that is in the Pod',
      { networkPolicy: { storeCidrs: ['10.0.0.0/8'] } },
      'networkPolicy.storeCidrs: has no effect with the store sqlite, which is in the Pod; leave one of the two out',
    ],
    ['what becomes of definitions of others', { crds: { install: false, keep: false } }, `crds.keep: ${NOT_INSTALLED}`],
    [
      'who may go past a policy of others',
      { crds: { install: false, breakGlassGroup: 'sre' } },
      `crds.breakGlassGroup: ${NOT_INSTALLED}`,
    ],
    [
      'names for a certificate that is there',
      { ipamApi: { expose: { certificateSecret: 'mine', dnsNames: ['ipam.example'] } } },
      'ipamApi.expose.dnsNames: has no effect beside certificateSecret, whose certificate has its own names; leave one of the two out',
    ],
    [
      'a token that nobody asks for',
      { store: { remote: { ...remote, token: { name: 'token' } } } },
      'store.remote.token: version 2 of the IPAM-API knows no login, so a token has no use; leave it out, or speak version 3',
    ],
  ])('is refused: %s', (_what, props, message) => {
    expect(messagesOf(props)).toEqual([message]);
  });

  test.each<[string, object]>([
    ['empty lists', { networkPolicy: { enabled: false, apiServerCidrs: [], monitoringNamespaces: [] } }],
    ['the ports that are meant anyway', { networkPolicy: { enabled: false, apiServerPorts: [443, 6443] } }],
    ['what is kept anyway', { crds: { install: false, keep: true, breakGlassGroup: 'ipam-break-glass' } }],
    ['networks of PostgreSQL', { ...postgres, networkPolicy: { storeCidrs: ['10.0.0.0/8'] } }],
  ])('is none: %s', (_what, props) => {
    expect(messagesOf(props)).toEqual([]);
  });
});

describe('a prop that Kubernetes would refuse later', () => {
  const affinity = (expression: object) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
      },
    },
  });
  const AT =
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]';

  test.each<[string, object, string]>([
    ['an empty toleration', { tolerations: [{}] }, 'tolerations[0]: without a key it bears no taint'],
    [
      'a value beside Exists',
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      'tolerations[0]: operator Exists takes no value; leave it out',
    ],
    [
      'a time without an eviction',
      { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5 }] },
      'tolerations[0]: tolerationSeconds counts with effect NoExecute only',
    ],
    [
      'a key of a taint',
      { tolerations: [{ key: 'a b', operator: 'Exists' }] },
      'tolerations[0].key: "a b" is not allowed',
    ],
    ['In without values', affinity({ key: 'a', operator: 'In' }), `${AT}: operator In needs values; give at least one`],
    [
      'Exists with values',
      affinity({ key: 'a', operator: 'Exists', values: ['b'] }),
      `${AT}: operator Exists takes no`,
    ],
    ['Gt with two values', affinity({ key: 'a', operator: 'Gt', values: ['1', '2'] }), `${AT}: operator Gt compares`],
    [
      'a number of domains that nobody insists on',
      { topologySpread: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 }] },
      'topologySpread[0]: minDomains counts with whenUnsatisfiable DoNotSchedule only',
    ],
    [
      'a pull secret twice',
      { image: { pullSecrets: ['a', 'b', 'a'] } },
      'image.pullSecrets[2]: "a" is image.pullSecrets[0] already',
    ],
    [
      'a port twice',
      { networkPolicy: { apiServerPorts: [443, 443] } },
      'networkPolicy.apiServerPorts[1]: 443 is networkPolicy.apiServerPorts[0] already',
    ],
    [
      'a name of a certificate twice',
      { ipamApi: { expose: { dnsNames: ['a.example', 'a.example'] } } },
      'ipamApi.expose.dnsNames[1]: "a.example" is ipamApi.expose.dnsNames[0] already',
    ],
    ...['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts', 'system:nodes', 'system:'].map(
      (group): [string, object, string] => [
        `the group ${group} to break glass`,
        { crds: { breakGlassGroup: group } },
        `crds.breakGlassGroup: "${group}" is not allowed; allowed is the name of a group, without blanks at its ends, of few people`,
      ],
    ),
    ['labels in a Map', { podLabels: new Map([['a', 'b']]) }, 'podLabels: a value of class Map is not allowed'],
    ['a Date for labels', { podLabels: new Date(0) }, 'podLabels: a value of class Date is not allowed'],
    [
      'settings in a Map',
      { settings: new Map() },
      'settings: a value of class Map is not allowed; allowed is a map of props',
    ],
  ])('is refused: %s', (_what, props, message) => {
    expect(messagesOf(props)).toEqual([expect.stringContaining(message)]);
  });

  test.each(['system:masters', 'system:serviceaccounts:gitops', 'sre', 'oidc:on call'])(
    'is none: the group %s',
    (group) => {
      expect(messagesOf({ crds: { breakGlassGroup: group } })).toEqual([]);
    },
  );
});

describe('zones that JSON cannot hold', () => {
  const circular: Record<string, unknown> = { name: 'lan', prefixes: ['10.0.0.0/8'] };
  circular['namespaces'] = circular;

  test.each<[string, object, string]>([
    ['a BigInt', { name: 'lan', prefixes: ['10.0.0.0/8'], quota: 5n }, 'zones[0].quota: a bigint is not allowed'],
    ['a circle', circular, 'zones[0].namespaces: holds itself, so it has no end'],
    [
      'a Map, of which nothing would be left',
      { name: 'lan', prefixes: ['10.0.0.0/8'], namespaces: { matchLabels: new Map([['a', 'b']]) } },
      'zones[0].namespaces.matchLabels: a value of class Map is not allowed',
    ],
    [
      'a Date',
      { name: 'lan', prefixes: ['10.0.0.0/8'], network: new Date(0) },
      'zones[0].network: a value of class Date',
    ],
    ['a function', { name: () => 'lan', prefixes: [] }, 'zones[0].name: a function is not allowed'],
  ])('are refused: %s', (_what, zone, message) => {
    expect(messagesOf({ zones: [zone] })).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
  });
});
