import type { Json } from '../../constructs/render/helm/value-reader';
import { OPTIONS } from '../../operator/settings/options';
import { tree, type Values } from './helm-release';

const LAN = { name: 'lan', prefixes: ['10.0.0.0/16'] };
const zones = (...list: readonly Json[]): Values => ({ zones: list });
const told = (settings: Json): Values => zones({ ...LAN, ...(settings as object) });
const REMOTE = { 'store.kind': 'remote', 'store.remote.url': 'https://x.example', 'store.remote.tokenSecret': 'token' };
const EXPOSED = { 'ipamApi.expose.enabled': true };
const SECRET_NAME =
  'give the name of a Secret (a-z, 0-9, - and ., at most 253 characters); what it holds belongs into the Secret';
const SECRET_KEY =
  'give a key of the Secret (letters, digits, "-", "_" and "."); what it holds belongs into the Secret';

/** Values, what the chart says about them, and what the constructs say where their props have other names. */
export type Refused = readonly [what: string, values: Values, chart: string, constructs?: string];

/** Values that the checks of the chart refuse. */
export const REFUSED: readonly Refused[] = [
  [
    'an unknown default zone',
    { services: { defaultZone: 'wan' }, ...zones(LAN, { name: 'dmz', prefixes: ['10.1.0.0/16'] }) },
    'services.defaultZone: no zone is named "wan"; the zones are lan, dmz',
  ],
  [
    'a prefix without a length',
    zones({ name: 'lan', prefixes: ['10.0.0.0'] }),
    'zones[0].prefixes[0]: "10.0.0.0" is not a prefix',
  ],
  [
    'a prefix with too long a length',
    zones({ name: 'lan', prefixes: ['10.0.0.0/33'] }),
    'zones[0].prefixes[0]: "10.0.0.0/33" is not a prefix: length "33" is outside 0 to 32 for IPv4',
  ],
  [
    'a prefix with host bits',
    zones({ name: 'lan', prefixes: ['10.0.0.0/8'] }, { name: 'six', prefixes: ['2001:db8:0:0:1::5/64'] }),
    'zones[1].prefixes[0]: "2001:db8:0:0:1::5/64" has bits set after its length of 64; write "2001:db8::/64"',
  ],
  [
    'addresses that cannot be assigned',
    zones({ name: 'lan', prefixes: ['224.0.0.0/24'] }),
    'zones[0].prefixes[0]: "224.0.0.0/24" holds addresses that no Service can use (multicast)',
  ],
  [
    'prefixes of one zone that overlap',
    zones({ name: 'lan', prefixes: ['10.0.1.0/24', '10.0.0.0/16'] }),
    'zones[0].prefixes[0]: "10.0.1.0/24" overlaps "10.0.0.0/16" of the same zone (zones[0].prefixes[1]); keep one of them',
  ],
  [
    'zones of one network that overlap',
    zones(LAN, { name: 'dmz', prefixes: ['2001:db8::/64', '10.0.128.0/17'] }),
    'zones[1].prefixes[1]: "10.0.128.0/17" of zone "dmz" overlaps "10.0.0.0/16" of zone "lan" (zones[0].prefixes[0]) in network "default"; zones of one network share no address',
  ],
  [
    'zones of two networks that overlap, since one MetalLB holds both',
    zones(LAN, { name: 'dmz', network: 'b', prefixes: ['10.0.0.0/16'] }),
    '"10.0.0.0/16" of zone "dmz" (network "b") overlaps "10.0.0.0/16" of zone "lan" (network "default"); the MetalLB of one cluster cannot hold both',
  ],
  [
    'a name of two zones',
    zones(LAN, { name: 'lan', prefixes: ['10.1.0.0/16'] }),
    'zones[1].name: "lan" is already the name of another zone (zones[0].name); names are unique',
  ],
  [
    'the name of the pool that must not exist',
    zones({ ...LAN, name: 'ipam-waiting' }),
    'zones[0].name: "ipam-waiting" is reserved',
  ],
  ['an excluded text that is none', told({ excluded: ['10.0.0'] }), 'zones[0].excluded[0]: "10.0.0" is not an '],
  [
    'a range that ends before it starts',
    told({ excluded: ['10.0.0.9 - 10.0.0.1'] }),
    'zones[0].excluded[0]: "10.0.0.9 - 10.0.0.1" ends before it starts; write "10.0.0.1-10.0.0.9"',
  ],
  [
    'a range of two families',
    told({ excluded: ['10.0.0.1-::1'] }),
    'zones[0].excluded[0]: "10.0.0.1-::1" mixes IPv4 and IPv6; both ends of a range have one family',
  ],
  [
    'an exclusion of nothing',
    told({ excluded: ['10.9.0.0/24'] }),
    'zones[0].excluded[0]: "10.9.0.0/24" lies in no prefix of the zone (10.0.0.0/16), so it excludes nothing',
  ],
  [
    'an exclusion of everything',
    told({ excluded: ['10.0.128.0/17', '10.0.0.0-10.0.127.255'] }),
    'zones[0].excluded: every address of the zone (10.0.0.0/16) is excluded, so it could give none; exclude less',
  ],
  [
    'a condition without values',
    told({ namespaces: { matchExpressions: [{ key: 'a', operator: 'NotIn' }] } }),
    'zones[0].namespaces.matchExpressions[0]: operator NotIn needs at least one entry in values',
  ],
  [
    'a condition with values that it does not take',
    told({ l2: [{ nodeSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }] }] }),
    'zones[0].l2[0].nodeSelectors[0].matchExpressions[0]: operator Exists takes no values',
  ],
  [
    'settings of advertisements that are not made',
    told({ advertise: 'l2', bgp: [{ localPref: 1 }] }),
    'zones[0].bgp: advertise is "l2", so these settings have no effect; leave one of the two out',
  ],
  [
    'an aggregation that is wider than a prefix',
    zones({ name: 'lan', prefixes: ['10.0.0.0/28'], bgp: [{ aggregationLength: 24 }] }),
    'zones[0].bgp[0].aggregationLength: 24 is shorter than "10.0.0.0/28" (zones[0].prefixes[0]), whose largest block is a /28; MetalLB then refuses all its pools, allowed is 28 to 32',
  ],
  [
    'an aggregation of pools of claims',
    { zonePools: 'claims', ...told({ bgp: [{ aggregationLength: 24 }] }) },
    'zones[0].bgp[0].aggregationLength: zonePools "claims" makes pools of single addresses, which MetalLB does not aggregate; leave it out',
  ],
  [
    'a community that is too large',
    told({ bgp: [{ communities: ['65000:1', '65536:1'] }] }),
    'zones[0].bgp[0].communities[1]: "65536:1" is not a BGP community',
  ],
  [
    'two preferences of the same routes',
    told({
      bgp: [
        { localPref: 100, peers: ['a', 'b'] },
        { localPref: 200, peers: ['b'] },
      ],
    }),
    'zones[0].bgp[1].localPref: 200 is not possible, since zones[0].bgp[0] tells the same peers 100 for the same routes',
  ],
  [
    'a zone that the cluster has no family for',
    { clusterFamilies: ['IPv4'], ...zones({ name: 'six', prefixes: ['2001:db8::/64'] }) },
    'zone "six" has no prefix that this cluster can use: clusterFamilies is IPv4; add a prefix or remove the zone',
  ],
  [
    'Services that pass without an address beside pools of whole zones',
    { whenUnavailable: 'admit' },
    'whenUnavailable: "admit" needs zonePools "claims", since MetalLB would give a Service that passed while the webhook was away any address of the pool that it names; set zonePools, or leave "deny"',
  ],
  [
    'an operator that serves nobody',
    tree({ 'services.enabled': false }),
    'services.enabled: false leaves nothing to serve; switch a front door on, or set ipamApi.expose',
  ],
  [
    'a remote store without a URL',
    tree({ ...REMOTE, 'store.remote.url': '' }),
    'the store remote needs store.remote.url',
  ],
  [
    'a remote store without TLS',
    tree({ ...REMOTE, 'store.remote.url': 'http://x.example' }),
    'store.remote.url: "http://x.example" is not a URL with https://',
  ],
  [
    'a remote store with a version in its URL',
    tree({ ...REMOTE, 'store.remote.url': 'https://x.example/v2/' }),
    'store.remote.url: "https://x.example/v2/" ends with the version',
  ],
  [
    'a remote store with a query in its URL',
    tree({ ...REMOTE, 'store.remote.url': 'https://x.example?a=b' }),
    'store.remote.url: "https://x.example?a=b" has a query or fragment; give scheme, host and path only',
  ],
  [
    'a remote store of version 3 without a token',
    tree({ ...REMOTE, 'store.remote.tokenSecret': '' }),
    'the store remote with version 3 of the IPAM-API needs store.remote.tokenSecret or store.remote.certificateSecret, and neither is set',
    'the store remote with version 3 of the IPAM-API needs store.remote.token or store.remote.certificateSecret, and neither is set',
  ],
  [
    'clean-up events beside a remote store',
    tree({ ...REMOTE, 'cleanupEvents.url': 'https://events.example' }),
    'cleanupEvents.url: there is no record here with store.remote.url; give it to the operator that keeps the record',
    'cleanupEvents.url: there is no record here with store.remote.url; give it to the operator that keeps the record',
  ],
  [
    'a client certificate that is no name of a Secret',
    tree({ ...REMOTE, 'store.remote.certificateSecret': 'Not A Name' }),
    'store.remote.certificateSecret: give the name of a Secret',
    'store.remote.certificateSecret',
  ],
  [
    'an IPAM-API for other clusters that has no store',
    tree({ ...REMOTE, ...EXPOSED }),
    'ipamApi.expose.enabled: there is no store here to serve; give other clusters store.remote.url as well',
    'ipamApi.expose: there is no store here to serve; give other clusters store.remote.url as well',
  ],
  [
    'an issuer beside a certificate',
    tree({ ...EXPOSED, 'ipamApi.expose.issuer.name': 'company', 'ipamApi.expose.certificateSecret': 'mine' }),
    'ipamApi.expose.issuer.name: has no use beside certificateSecret; give one of them',
    'ipamApi.expose.issuer: has no use beside certificateSecret; give one of them',
  ],
  [
    'an IPAM-API with a certificate that is for the API server only',
    tree({ ...EXPOSED, certificates: 'self-managed' }),
    'ipamApi.expose.certificateSecret: needed where certificates is "self-managed", whose CA is meant for the API server only',
  ],
  [
    'the name of a Secret that is none',
    tree({ ...EXPOSED, 'ipamApi.expose.certificateSecret': 'a b' }),
    `ipamApi.expose.certificateSecret: ${SECRET_NAME}`,
  ],
  [
    'a key of a Secret that is none',
    tree({ 'store.kind': 'postgres', 'store.postgres.connectionKey': '' }),
    `store.postgres.connectionKey: ${SECRET_KEY}`,
    `store.postgres.connection: ${SECRET_KEY}`,
  ],
  [
    'a network that is none',
    tree({ 'networkPolicy.apiServerCidrs': ['10.0.0.0/8', '10.0.0.1/24'] }),
    'networkPolicy.apiServerCidrs[1]: "10.0.0.1/24" has bits set after its length of 24; write "10.0.0.0/24"',
  ],
  [
    'a variable that shells do not take',
    tree({ extraEnv: [{ name: 'A-B', value: '' }] }),
    'extraEnv[0]: "A-B" is not the name of a variable',
  ],
  [
    'a variable that is given twice',
    tree({
      extraEnv: [
        { name: 'A', value: '' },
        { name: 'A', value: '1' },
      ],
    }),
    'extraEnv[1]: A is extraEnv[0] already',
  ],
  [
    'a variable that is an option',
    tree({ extraEnv: [{ name: OPTIONS.logLevel.env, value: 'debug' }] }),
    `extraEnv[0]: ${OPTIONS.logLevel.env} is the option ${OPTIONS.logLevel.flag} of the operator, which has `,
  ],
  [
    'a variable that could be an option of a later version',
    tree({ extraEnv: [{ name: 'IPAM_LATER', value: '1' }] }),
    'extraEnv[0]: IPAM_LATER is not possible, since IPAM_… are options of the operator, which have ',
  ],
  [
    'a variable with two sources',
    tree({ extraEnv: [{ name: 'A', value: '', secret: { name: 'a' } }] }),
    'extraEnv[0]: A needs either value or secret',
  ],
  [
    'a variable of a Secret without a name',
    tree({ extraEnv: [{ name: 'A', secret: { name: '' } }] }),
    `extraEnv[0].secret.name: ${SECRET_NAME}`,
    `extraEnv[0].secret: ${SECRET_NAME}`,
  ],
  [
    'a label that selects the Pods',
    tree({ podLabels: { 'app.kubernetes.io/name': 'mine' } }),
    'podLabels[app.kubernetes.io/name]: is a label of the operator, by which its Pods are found',
  ],
  [
    'a request above its limit',
    tree({ 'resources.limits.cpu': '40m' }),
    'resources.limits.cpu: "40m" is less than resources.requests.cpu ("50m"); give at least as much',
    'resources.cpuLimit: "40m" is less than resources.cpuRequest ("50m"); give at least as much',
  ],
  [
    'an object that is given twice',
    tree({
      extraObjects: ['v1', 'v1'].map((apiVersion) => ({
        apiVersion,
        kind: 'Secret',
        metadata: { name: 'a', namespace: 'b' },
      })),
    }),
    'extraObjects[1]: Secret "a" is extraObjects[0] already',
  ],
  [
    'an object without the namespace that it needs',
    tree({ extraObjects: [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } }] }),
    'extraObjects[0].metadata.namespace: Deployment "a" needs one, for example "ipam-system" beside the operator',
  ],
  [
    'an object with a namespace that it cannot have',
    tree({
      extraObjects: [
        { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'a', namespace: 'b' } },
      ],
    }),
    'extraObjects[0].metadata.namespace: "b" is not possible, since StorageClass "a" stands in no namespace; leave it out',
  ],
  [
    'a CA that somebody else puts there',
    tree({
      extraObjects: [
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: 'a' },
          webhooks: [{ name: 'a.b.c', clientConfig: { caBundle: 'x', url: 'https://x' } }],
        },
      ],
    }),
    'extraObjects[0].webhooks[0].clientConfig.caBundle: the injector of the CA and this manifest would overwrite each other; leave it out',
  ],
];

const EFFECTLESS = {
  'networkPolicy.monitoringNamespaces': [
    { 'networkPolicy.enabled': false },
    ['a'],
    'has no effect while networkPolicy',
  ],
  'networkPolicy.apiServerCidrs': [
    { 'networkPolicy.enabled': false },
    ['10.0.0.0/8'],
    'has no effect while networkPolicy',
  ],
  'networkPolicy.apiServerPorts': [
    { 'networkPolicy.enabled': false },
    [6443],
    'has no effect while networkPolicy.enabled',
  ],
  'networkPolicy.storeCidrs': [{}, ['10.0.0.0/8'], 'has no effect with the store sqlite, which is in the Pod; leave'],
  'crds.keep': [
    { 'crds.install': false },
    false,
    'has no effect while crds.install is false; leave one of the two out',
  ],
  'crds.breakGlassGroup': [{ 'crds.install': false }, 'sre', 'has no effect while crds.install is false; leave one of'],
  'ipamApi.expose.dnsNames': [
    { ...EXPOSED, 'ipamApi.expose.certificateSecret': 'mine' },
    ['ipam.example'],
    'has no effect beside certificateSecret, whose certificate has its own names; leave one of the two out',
  ],
} as const;

/** Values without effect, groups that hold everybody, and objects that hide others; refused by both as well. */
export const REFUSED_TOO: readonly Refused[] = [
  ...Object.entries(EFFECTLESS).map(([path, [others, value, message]]): Refused => [
    `${path} without effect`,
    tree({ ...others, [path]: value }),
    `${path}: ${message}`,
  ]),
  [
    'a token for version 2, which knows no login',
    tree({ ...REMOTE, 'store.remote.apiVersion': 2 }),
    'store.remote.tokenSecret: version 2 of the IPAM-API knows no login, so a token has no use; leave it out, or speak',
    'store.remote.token: version 2 of the IPAM-API knows no login, so a token has no use; leave it out, or speak version 3',
  ],
  [
    'a group that everybody is in',
    tree({ 'crds.breakGlassGroup': 'system:authenticated' }),
    'crds.breakGlassGroup: "system:authenticated" is not allowed; allowed is the name of a group, without blanks at its ends, of few people: not one that the API server puts every user in (system:…)',
  ],
  [
    'a list in place of an object',
    tree({ extraObjects: [{ apiVersion: 'v1', kind: 'List', metadata: { name: 'a' }, items: [] }] }),
    'extraObjects[0]: "List" with items is a list of objects; give each object on its own',
  ],
  [
    'a blank namespace of an object',
    tree({ extraObjects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: ' ' } }] }),
    'extraObjects[0].metadata.namespace: " " is not allowed; allowed is a DNS label',
  ],
];

/** Values that may hold a secret, which nobody prints. */
export const HIDDEN: readonly Refused[] = [
  [
    'a connection string in place of its Secret',
    tree({ 'store.kind': 'postgres', 'store.postgres.connectionSecret': 'postgres://me:hush@db/ipam' }),
    `store.postgres.connectionSecret: ${SECRET_NAME}`,
    `store.postgres.connection: ${SECRET_NAME}`,
  ],
  [
    'a token in place of its Secret',
    tree({ ...REMOTE, 'store.remote.tokenSecret': 'hush==' }),
    `store.remote.tokenSecret: ${SECRET_NAME}`,
    `store.remote.token: ${SECRET_NAME}`,
  ],
  [
    'a login in a URL',
    tree({ ...REMOTE, 'store.remote.url': 'https://me:hush@x.example' }),
    'store.remote.url: a URL must not hold a login; give the token as a Secret',
  ],
  [
    'a login in a URL of another scheme',
    tree({ ...REMOTE, 'store.remote.url': 'http://me:hush@x.example' }),
    'store.remote.url: not a URL with https://',
  ],
  [
    'a secret in a variable',
    tree({ extraEnv: [{ name: 'MY_TOKEN', value: 'hush' }] }),
    'extraEnv[0]: MY_TOKEN looks like a secret, which every reader of the Deployment would see; give secret',
  ],
  [
    'a login in a variable',
    tree({ extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://me:hush@proxy.example' }] }),
    'extraEnv[0]: HTTPS_PROXY looks like a secret, which every reader of the Deployment would see; give secret',
  ],
];
