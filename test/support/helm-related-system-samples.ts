import type { ChartSample } from './helm-chart-sample';

type Samples = Readonly<Record<string, ChartSample>>;

const wrongTexts = [1, true, [], {}];
const wrongLists = ['x', {}, [1], ['']];
const wrongSwitches = ['true', 1, {}];
const netbox = {
  zonePools: 'claims',
  'netbox.url': 'https://netbox.example',
  'netbox.tokenSecret': 'netbox',
} as const;
const exposed = { 'ipamApi.expose.enabled': true } as const;
const events = { 'cleanupEvents.url': 'https://events.example/stream' } as const;
const splunk = { 'splunk.url': 'https://splunk.example:8088', 'splunk.tokenSecret': 'splunk' } as const;

const SETTINGS: Samples = {
  'settings.historyDays': { value: 36_500, wrong: [0, 36_501, '365'] },
  'settings.historyRowsPerNamespace': { value: 500, wrong: [99, 1_000_001, '500'] },
  'settings.recoverableSecrets': { value: true, wrong: wrongSwitches },
  'settings.clusterId': { value: '0b9c', wrong: wrongTexts },
  'settings.namespacePreset': { value: 'original', wrong: ['none', '', 3] },
};

const NETBOX: Samples = {
  'netbox.url': {
    value: 'https://netbox.example:8443/ipam',
    with: netbox,
    instead: 'https://netbox.example',
    wrong: wrongTexts,
  },
  'netbox.tokenSecret': { value: 'my-netbox', with: netbox, instead: 'netbox', wrong: wrongTexts },
  'netbox.tokenKey': { value: 'bearer', with: netbox, wrong: wrongTexts },
  'netbox.caSecret': { value: 'netbox-ca', with: netbox, wrong: wrongTexts },
  'netbox.caKey': { value: 'root.pem', with: { ...netbox, 'netbox.caSecret': 'ca' }, wrong: wrongTexts },
  'netbox.tag': { value: 'k8s "ipam"', with: netbox, wrong: wrongTexts },
  'netbox.fields': {
    value: { env: 'prod', a1: '012', a: 'two words' },
    with: netbox,
    wrong: ['x', [], { a: 1 }, { a: 'x,y' }, { a: '' }],
  },
  'netbox.refreshSeconds': { value: 60, with: netbox, wrong: [9, 86_401, '60'] },
  'netbox.adopt': { value: true, with: netbox, wrong: wrongSwitches },
  'networkPolicy.netboxCidrs': { value: ['10.7.0.0/16'], with: netbox, wrong: wrongLists },
};

const SIGNALS: Samples = {
  'cleanupEvents.url': { value: 'https://events.example:9443/stream', wrong: wrongTexts },
  'cleanupEvents.tokenSecret': { value: 'events', with: events, wrong: wrongTexts },
  'cleanupEvents.tokenKey': {
    value: 'bearer',
    with: { ...events, 'cleanupEvents.tokenSecret': 'events' },
    wrong: wrongTexts,
  },
  'cleanupEvents.caSecret': { value: 'events-ca', with: events, wrong: wrongTexts },
  'cleanupEvents.caKey': { value: 'root.pem', with: { ...events, 'cleanupEvents.caSecret': 'ca' }, wrong: wrongTexts },
  'networkPolicy.cleanupEventsCidrs': { value: ['10.6.0.0/16'], with: events, wrong: wrongLists },
  'splunk.url': {
    value: 'https://splunk.example',
    with: splunk,
    instead: 'https://splunk.example:8088',
    wrong: wrongTexts,
  },
  'splunk.tokenSecret': { value: 'my-splunk', with: splunk, instead: 'splunk', wrong: wrongTexts },
  'splunk.tokenKey': { value: 'hec', with: splunk, wrong: wrongTexts },
  'splunk.caSecret': { value: 'splunk-ca', with: splunk, wrong: wrongTexts },
  'splunk.caKey': { value: 'root.pem', with: { ...splunk, 'splunk.caSecret': 'ca' }, wrong: wrongTexts },
  'splunk.index': { value: 'network', with: splunk, wrong: wrongTexts },
  'splunk.source': { value: 'k8s:ipam', with: splunk, wrong: ['', 1] },
  'splunk.sourcetype': { value: '_json', with: splunk, wrong: ['', 1] },
  'networkPolicy.splunkCidrs': { value: ['2001:db8::/32'], with: splunk, wrong: wrongLists },
};

const API: Samples = {
  'ipamApi.expose.clientsSecret': { value: 'clients', with: exposed, wrong: wrongTexts },
  'ipamApi.expose.clientsKey': {
    value: 'all.json',
    with: { ...exposed, 'ipamApi.expose.clientsSecret': 'clients' },
    wrong: wrongTexts,
  },
  'ipamApi.expose.clientsConfigMap': { value: 'clients', with: exposed, wrong: ['No', ...wrongTexts] },
  'ipamApi.expose.clientCaSecret': {
    value: 'client-ca',
    with: { ...exposed, 'ipamApi.expose.clientsSecret': 'clients' },
    wrong: wrongTexts,
  },
  'ipamApi.expose.clientCaKey': {
    value: 'root.pem',
    with: { ...exposed, 'ipamApi.expose.clientsSecret': 'clients', 'ipamApi.expose.clientCaSecret': 'client-ca' },
    wrong: wrongTexts,
  },
};

/** Samples for what the record keeps, and for the servers beside the operator. */
export const RELATED_SYSTEM_SAMPLES: Samples = { ...SETTINGS, ...NETBOX, ...SIGNALS, ...API };
