import type { Option } from './option';

/** Options of NetBox as outside source; a part of `OPTIONS`. */
export const NETBOX_OPTIONS = {
  netboxUrl: {
    flag: '--netbox-url',
    env: 'IPAM_NETBOX_URL',
    type: 'text',
    default: '',
    help: 'Root of NetBox, with https:// and without /api; its zones are served and its prefixes kept up to date; empty: none',
  },
  netboxTokenFile: {
    flag: '--netbox-token-file',
    env: 'IPAM_NETBOX_TOKEN_FILE',
    type: 'file',
    default: '',
    help: 'File with the token for --netbox-url, read at each call',
  },
  netboxCaFile: {
    flag: '--netbox-ca-file',
    env: 'IPAM_NETBOX_CA_FILE',
    type: 'file',
    default: '',
    help: 'CA certificates that NetBox is trusted by; empty: those of Node.js',
  },
  netboxTag: {
    flag: '--netbox-tag',
    env: 'IPAM_NETBOX_TAG',
    type: 'text',
    default: '',
    help: 'Name of a tag of NetBox that each prefix of ours gets, for permissions with constraints; empty: none',
  },
  netboxFields: {
    flag: '--netbox-fields',
    env: 'IPAM_NETBOX_FIELDS',
    type: 'list',
    default: ['domain=na', 'env=na', 'purpose=na'],
    help: 'Custom fields, as name=value, that each prefix of ours gets beside k8s_uuid, k8s_zone and the infra of its container',
  },
  netboxAdopt: {
    flag: '--netbox-adopt',
    env: 'IPAM_NETBOX_ADOPT',
    type: 'switch',
    default: false,
    help: 'Take over prefixes in NetBox that the original IPAM-API made, for addresses that are imported or asked for by number; only while its claims are imported',
  },
  netboxRefreshSeconds: {
    flag: '--netbox-refresh',
    env: 'IPAM_NETBOX_REFRESH',
    type: 'number',
    unit: 'seconds',
    min: 10,
    max: 86_400,
    default: 600,
    help: 'Time between two readings of the zones in NetBox, and between two comparisons of its prefixes with the record',
  },
} as const satisfies Record<string, Option>;
