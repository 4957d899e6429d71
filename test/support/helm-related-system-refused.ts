import type { Json } from '../../constructs/render/helm/value-reader';
import type { Refused } from './helm-refused';
import { tree, type Values } from './helm-release';

const NETBOX = {
  zonePools: 'claims',
  'netbox.url': 'https://netbox.example',
  'netbox.tokenSecret': 'netbox',
} as const;
const REMOTE = { 'store.kind': 'remote', 'store.remote.url': 'https://x.example', 'store.remote.tokenSecret': 'token' };
const given = (...parts: readonly Readonly<Record<string, Json>>[]): Values =>
  tree(Object.assign({}, ...parts) as Values);
const SECRET_NAME =
  'give the name of a Secret (a-z, 0-9, - and ., at most 253 characters); what it holds belongs into the Secret';

/** Values about zones of NetBox and about servers beside the operator that the checks of the chart refuse. */
export const REFUSED_RELATED_SYSTEMS: readonly Refused[] = [
  [
    'no Services beside a remote store',
    given(REMOTE, { 'services.enabled': false }),
    'services.enabled: false is not possible with the store remote, which has no record to serve; keep the claims here',
  ],
  ['a zone without prefixes', { zones: [{ name: 'lan', prefixes: [] }] }, 'zones[0].prefixes: must not be empty'],
  [
    'a zone of a NetBox of which nothing is known',
    { zones: [{ name: 'lan', prefixes: [], fromNetBox: true }] },
    'zones[0].fromNetBox: true is not possible without netbox',
  ],
  [
    'a zone of NetBox with prefixes of its own',
    { ...given(NETBOX), zones: [{ name: 'lan', prefixes: ['10.0.0.0/24'], fromNetBox: true }] },
    'zones[0].prefixes: must be empty, since the prefixes come from NetBox; leave out one of both',
  ],
  [
    'NetBox with pools that hold prefixes',
    given(NETBOX, { zonePools: 'prefixes' }),
    'zonePools: "prefixes" is not possible with netbox.url, since the prefixes of its zones are known at run time only; give claims',
  ],
  [
    'NetBox without a token',
    given(NETBOX, { 'netbox.tokenSecret': '' }),
    'netbox.tokenSecret: is needed with netbox.url, but is not set',
    'netbox.token: is needed with netbox.url, but is not set',
  ],
  [
    'NetBox beside a remote store',
    given(NETBOX, {
      'store.kind': 'remote',
      'store.remote.url': 'https://x.example',
      'store.remote.tokenSecret': 'token',
    }),
    'store.kind: "remote" is not possible with netbox.url: the IPAM-API elsewhere keeps NetBox up to date; leave out one of both',
    'store: "remote" is not possible with netbox.url: the IPAM-API elsewhere keeps NetBox up to date; leave out one of both',
  ],
  [
    'a NetBox in the clear',
    given(NETBOX, { 'netbox.url': 'http://netbox.example' }),
    'netbox.url: "http://netbox.example" is not a URL with https://',
  ],
  [
    'the API of NetBox in place of its root',
    given(NETBOX, { 'netbox.url': 'https://netbox.example/api/' }),
    'netbox.url: "https://netbox.example/api/" ends with /api, which is added; leave it out',
  ],
  [
    'a NetBox with a query',
    given(NETBOX, { 'netbox.url': 'https://netbox.example?a=b' }),
    'netbox.url: "https://netbox.example?a=b" has a query or fragment; give scheme, host and path only',
  ],
  [
    'networks of a NetBox that is not there',
    given({ 'networkPolicy.netboxCidrs': ['10.0.0.0/8'] }),
    'networkPolicy.netboxCidrs: has no effect without netbox; leave one of the two out',
  ],
  ...[
    { 'settings.historyDays': 30 },
    { 'settings.historyRowsPerNamespace': 500 },
    { 'settings.recoverableSecrets': true },
  ].map((setting): Refused => {
    const [value = ''] = Object.keys(setting);
    const message = `${value}: has no effect here, since store.remote.url keeps the record; give it to the operator that keeps it`;
    return [`${value} beside a remote store`, given(REMOTE, setting), message];
  }),
  [
    'a stream of events in the clear',
    given({ 'cleanupEvents.url': 'http://events.example' }),
    'cleanupEvents.url: "http://events.example" is not a URL with https://, nor with http:// on this very machine',
  ],
  [
    'Splunk without a token',
    given({ 'splunk.url': 'https://splunk.example' }),
    'splunk.url needs splunk.tokenSecret, which is not set',
    'splunk.url needs splunk.token, which is not set',
  ],
  [
    'a CA of clients where there are none',
    given({ 'ipamApi.expose.enabled': true, 'ipamApi.expose.clientCaSecret': 'ca' }),
    'ipamApi.expose.clientCaSecret: has no effect without clients, of which none may call version 3; leave it out, or give clients',
    'ipamApi.expose.clientCa: has no effect without clients, of which none may call version 3; leave it out, or give clients',
  ],
];

/** Values that hold a secret by mistake, which no message may show. */
export const HIDDEN_RELATED_SYSTEMS: readonly Refused[] = [
  [
    'a login in the URL of NetBox',
    given(NETBOX, { 'netbox.url': 'https://me:hush@netbox.example' }),
    'netbox.url: a URL must not hold a login; give the token as a file',
  ],
  [
    'a token of Splunk in place of the name of its Secret',
    given({ 'splunk.url': 'https://splunk.example', 'splunk.tokenSecret': 'Hush_hush' }),
    `splunk.tokenSecret: ${SECRET_NAME}`,
    `splunk.token: ${SECRET_NAME}`,
  ],
];
