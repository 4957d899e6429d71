import { tree } from './helm-release';
import type { Refused } from './helm-refused';

const VIPS = { 'vips.enabled': true };
const ALONE = { ...VIPS, 'services.enabled': false, 'store.kind': 'objects', zones: [] };
const effect = 'has no effect with the store objects, which keeps no record of zones; leave it out';

/** Values about the VIPs door that chart and constructs refuse. */
export const REFUSED_VIPS: readonly Refused[] = [
  ['a record without a zone', tree({ zones: [] }), 'zones: must not be empty'],
  [
    'two doors for Services without a class',
    tree({ ...VIPS, 'vips.classless': true, 'services.defaultZone': 'example' }),
    'vips.classless: is not possible with services.defaultZone: both serve every Service without a class',
  ],
  [
    'claims of Cluster API without a pool',
    tree({ 'clusterApi.enabled': true }),
    'clusterApi.enabled: has no pools to give addresses from; set vips.enabled or networks.enabled',
  ],
  [
    'a door for nothing',
    tree({ ...VIPS, 'vips.loadBalancerClasses': [] }),
    'vips.loadBalancerClasses: serves nothing; give a class, or set vips.classless',
  ],
  [
    'a class of two doors',
    tree({ ...VIPS, 'services.loadBalancerClasses': ['paas.org/vip'] }),
    'vips.loadBalancerClasses: "paas.org/vip" stands in services.loadBalancerClasses too; leave out one of both',
  ],
  [
    'a migration without the door',
    tree({ 'vips.migration': true }),
    'vips.migration: is a part of vips.enabled; set that too',
  ],
  [
    'zones where no record of them is',
    tree({ ...ALONE, zones: [{ name: 'lan', prefixes: ['10.0.0.0/16'] }] }),
    `zones: ${effect}`,
  ],
  [
    'Services of zones where no record of them is',
    tree({ ...ALONE, 'services.enabled': true }),
    'services.enabled: true is not possible with the store objects, which has no place for addresses of zones',
  ],
  [
    'an IPAM-API where no record of zones is',
    tree({ ...ALONE, 'ipamApi.expose.enabled': true }),
    `ipamApi.expose.enabled: ${effect}`,
    `ipamApi.expose: ${effect}`,
  ],
  ['a history where no record is', tree({ ...ALONE, 'settings.historyDays': 30 }), `settings.historyDays: ${effect}`],
  [
    'NetBox where no zones are',
    tree({ ...ALONE, 'netbox.url': 'https://netbox.example', 'netbox.tokenSecret': 'token' }),
    'store.kind: "objects" is not possible with netbox.url: it has no zones',
    'store: "objects" is not possible with netbox.url: it has no zones',
  ],
  [
    'nothing to serve from objects',
    tree({ ...ALONE, 'vips.enabled': false }),
    'services.enabled: false leaves nothing to serve; switch a front door on, or set ipamApi.expose.enabled',
    'services.enabled: false leaves nothing to serve; switch a front door on, or set ipamApi.expose',
  ],
  [
    'networks of a store that is nowhere else',
    tree({ ...ALONE, 'networkPolicy.storeCidrs': ['10.0.0.0/8'] }),
    'networkPolicy.storeCidrs: has no effect with the store objects, which the API server has; leave',
  ],
];
