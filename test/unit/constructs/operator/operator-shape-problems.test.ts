import { Chart, Testing } from 'cdk8s';

import { IpamOperator, ipamOperatorProblems, type IpamOperatorProps } from '../../../../constructs';
import { zones } from '../../../support/operator-objects';

const connection = { name: 'ipam-postgres' };
const token = { name: 'ipam-token' };
const url = 'https://ipam.example';

/** Props as plain JavaScript or YAML may give them, past the types. */
const untyped = (props: unknown): Partial<IpamOperatorProps> => props as Partial<IpamOperatorProps>;

const ROWS: readonly (readonly [string, Partial<IpamOperatorProps>, string])[] = [
  [
    'a second replica with SQLite',
    { replicas: 2 },
    'replicas: 2 is not possible with the SQLite store, whose file has one owner; leave it at 1',
  ],
  [
    'a second replica with SQLite that is named',
    { replicas: 2, store: { sqlite: {} } },
    'replicas: 2 is not possible with the SQLite store, whose file has one owner; leave it at 1',
  ],
  [
    'one replica with PostgreSQL',
    { replicas: 1, store: { postgres: { connection } } },
    'replicas: 1 is not possible with the store postgres; give 2 to 99',
  ],
  [
    'no replica',
    { replicas: 0, store: { remote: { url, token } } },
    'replicas: 0 is not possible with the store remote; give 1 to 99',
  ],
  [
    'half a replica',
    { replicas: 2.5, store: { postgres: { connection } } },
    'replicas: 2.5 is not possible with the store postgres; give 2 to 99',
  ],
  [
    'two stores',
    { store: { sqlite: {}, postgres: { connection } } },
    'store: claims are kept in one place, but sqlite and postgres are given',
  ],
  [
    'PostgreSQL without its Secret',
    untyped({ store: { postgres: {} } }),
    'the store postgres needs store.postgres.connection, which is not set',
  ],
  [
    'PostgreSQL with a connection string in place of the name, without quoting it',
    { store: { postgres: { connection: { name: 'postgresql://ipam:hunter2@db/ipam' } } } },
    'store.postgres.connection: give the name of a Secret (a-z, 0-9, - and ., at most 253 characters); what it holds belongs into the Secret',
  ],
  [
    'PostgreSQL with a connection string of words, without quoting it',
    { store: { postgres: { connection: { name: 'host=db password=hunter2' } } } },
    'store.postgres.connection: give the name of a Secret (a-z, 0-9, - and ., at most 253 characters); what it holds belongs into the Secret',
  ],
  [
    'a Secret without a name',
    { store: { postgres: { connection, ca: { name: '' } } } },
    'store.postgres.ca: give the name of a Secret (a-z, 0-9, - and ., at most 253 characters); what it holds belongs into the Secret',
  ],
  [
    'an empty key of a Secret',
    { store: { postgres: { connection: { ...connection, key: '' } } } },
    'store.postgres.connection: give a key of the Secret (letters, digits, "-", "_" and "."); what it holds belongs into the Secret',
  ],
  [
    'a port that does not exist',
    { store: { postgres: { connection, port: 65536 } } },
    'store.postgres.port: 65536 is not a port; give 1 to 65535',
  ],
  [
    'a remote store without its URL',
    untyped({ store: { remote: { token } } }),
    'the store remote needs store.remote.url, which is not set',
  ],
  [
    'a remote store that is no URL',
    { store: { remote: { url: 'ipam.example', token } } },
    'store.remote.url: "ipam.example" is not a URL with https://',
  ],
  [
    'a remote store where anybody may listen in',
    { store: { remote: { url: 'http://ipam.example', token } } },
    'store.remote.url: "http://ipam.example" is not a URL with https://',
  ],
  [
    'a remote store with blanks around its URL',
    { store: { remote: { url: ' https://ipam.example', token } } },
    'store.remote.url: " https://ipam.example" is not a URL with https://',
  ],
  [
    'a remote store with a version in its URL',
    { store: { remote: { url: 'https://ipam.example/api/v3/', token } } },
    'store.remote.url: "https://ipam.example/api/v3/" ends with the version "v3", which is a setting of its own; leave it out',
  ],
  [
    'a URL with a login, without quoting it',
    { store: { remote: { url: 'https://me:hunter2@ipam.example', token } } },
    'store.remote.url: a URL must not hold a login; give the token as a Secret',
  ],
  [
    'version 3 without a token',
    { store: { remote: { url } } },
    'the store remote with version 3 of the IPAM-API needs store.remote.token or store.remote.certificateSecret, and neither is set',
  ],
  [
    'the API of a store that is elsewhere',
    { store: { remote: { url, token } }, ipamApi: { expose: {} } },
    'ipamApi.expose: there is no store here to serve; give other clusters store.remote.url as well',
  ],
  [
    'a history beside a remote store',
    { store: { remote: { url, token } }, settings: { historyDays: 30 } },
    'settings.historyDays: has no effect here, since store.remote.url keeps the record; give it to the operator that keeps it',
  ],
  [
    'recoverable secrets beside a remote store',
    { store: { remote: { url, apiVersion: 2 } }, settings: { recoverableSecrets: true } },
    'settings.recoverableSecrets: has no effect here, since store.remote.url keeps the record; give it to the operator that keeps it',
  ],
  [
    'clean-up events beside a remote store',
    { store: { remote: { url, certificateSecret: 'login' } }, cleanupEvents: { url: 'https://events.example' } },
    'cleanupEvents.url: there is no record here with store.remote.url; give it to the operator that keeps the record',
  ],
  [
    'an exposed API without a certificate',
    { certificates: 'self-managed', ipamApi: { expose: {} } },
    'ipamApi.expose.certificateSecret: needed where certificates is "self-managed", whose CA is meant for the API server only',
  ],
  [
    'two sources of one certificate',
    { ipamApi: { expose: { certificateSecret: 'a', issuer: { name: 'b' } } } },
    'ipamApi.expose.issuer: has no use beside certificateSecret; give one of them',
  ],
  [
    'a text where anonymous callers are meant',
    untyped({ ipamApi: { expose: { allowAnonymousV2: 'false' } } }),
    'ipamApi.expose.allowAnonymousV2: "false" is not allowed; allowed is true or false',
  ],
  [
    'a port of the API that does not exist',
    { ipamApi: { expose: { port: 0 } } },
    'ipamApi.expose.port: 0 is not a port; give 1 to 65535',
  ],
  [
    'a deadline that no client would await',
    { ipamApi: { expose: { deadlineSeconds: 61 } } },
    'ipamApi.expose.deadlineSeconds: 61 is not allowed; give whole seconds from 1 to 60',
  ],
  [
    'nothing to serve',
    { services: { enabled: false } },
    'services.enabled: false leaves nothing to serve; switch a front door on, or set ipamApi.expose',
  ],
  [
    'no Services, and claims that somebody else keeps',
    { services: { enabled: false }, store: { remote: { url, token } } },
    'services.enabled: false is not possible with the store remote, which has no record to serve; keep the claims here',
  ],
  [
    'a deadline at which the API server has given up',
    { settings: { admissionDeadlineSeconds: 30 } },
    'settings.admissionDeadlineSeconds: 30 is not allowed; give whole seconds from 1 to 29',
  ],
  [
    'a lease that ends too early',
    { settings: { reservationLeaseSeconds: 29 } },
    'settings.reservationLeaseSeconds: 29 is not allowed; give whole seconds from 30 to 86400',
  ],
  [
    'half a second',
    { settings: { shutdownDelaySeconds: 0.5 } },
    'settings.shutdownDelaySeconds: 0.5 is not allowed; give whole seconds from 0 to 60',
  ],
  [
    'a mistyped setting',
    untyped({ settings: { reservationLeaseSecond: 60 } }),
    'settings.reservationLeaseSecond: there is no such prop; did you mean reservationLeaseSeconds?',
  ],
  [
    'another platform',
    untyped({ platform: 'nomad' }),
    'platform: "nomad" is not allowed; allowed is kubernetes or openshift',
  ],
  [
    'another maker of certificates',
    untyped({ certificates: 'acme' }),
    'certificates: "acme" is not allowed; allowed is cert-manager or self-managed',
  ],
  [
    'a port of the API server that does not exist',
    { networkPolicy: { apiServerPorts: [443, 70000] } },
    'networkPolicy.apiServerPorts[1]: 70000 is not a port; give 1 to 65535',
  ],
  [
    'a label by which Pods are selected',
    { podLabels: { 'app.kubernetes.io/name': 'mine' } },
    'podLabels[app.kubernetes.io/name]: is a label of the operator, by which its Pods are found',
  ],
  [
    'a variable with a blank',
    { extraEnv: [{ name: 'A B', value: '' }] },
    'extraEnv[0]: "A B" is not the name of a variable; use letters, digits and "_"',
  ],
  [
    'a variable twice',
    {
      extraEnv: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    },
    'extraEnv[1]: A is extraEnv[0] already',
  ],
  [
    'an option of the operator as variable',
    { extraEnv: [{ name: 'IPAM_STORE', value: 'memory' }] },
    'extraEnv[0]: IPAM_STORE is the option --store of the operator, which has props',
  ],
  ['a variable without a source', { extraEnv: [{ name: 'A' }] }, 'extraEnv[0]: A needs either value or secret'],
  [
    'a secret in the open, without quoting it',
    { extraEnv: [{ name: 'PROXY_PASSWORD', value: 'hunter2' }] },
    'extraEnv[0]: PROXY_PASSWORD looks like a secret, which every reader of the Deployment would see; give secret',
  ],
  [
    'a login in a URL, without quoting it',
    { extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://me:hunter2@proxy.example:3128' }] },
    'extraEnv[0]: HTTPS_PROXY looks like a secret, which every reader of the Deployment would see; give secret',
  ],
  [
    'an object without an identity',
    { extraObjects: [{ kind: 'ConfigMap', metadata: {} }] },
    'extraObjects[0]: the object has no apiVersion, metadata.name, which every object needs',
  ],
  [
    'an object twice',
    {
      extraObjects: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' }, data: {} },
      ],
    },
    'extraObjects[1]: ConfigMap "a" is extraObjects[0] already',
  ],
];

describe('ipamOperatorProblems', () => {
  test.each(ROWS)('refuses %s', (_what, props, message) => {
    const problems = ipamOperatorProblems({ zones, ...props });
    expect(problems.map((problem) => problem.message)).toEqual([message]);
    expect(problems[0]?.code).toBe('settings/invalid');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  test.each<[string, Partial<IpamOperatorProps>]>([
    ['PostgreSQL by a Secret', { store: { postgres: { connection } } }],
    ['numbers at their ends', { settings: { shutdownDelaySeconds: 0, admissionDeadlineSeconds: 29 } }],
    [
      'two versions of a Secret in two namespaces',
      {
        extraObjects: ['a', 'b'].map((namespace) => ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's', namespace },
        })),
      },
    ],
  ])('accepts %s', (_what, props) => {
    expect(ipamOperatorProblems({ zones, ...props })).toEqual([]);
  });
});

describe('IpamOperator', () => {
  test.each(ROWS)('fails at synth for %s, with the path of the construct', (_what, props, message) => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamOperator(chart, 'operator', { zones, ...props });
    expect(() => Testing.synth(chart) as unknown).toThrow(`[chart/operator] ${message}`);
  });
});
