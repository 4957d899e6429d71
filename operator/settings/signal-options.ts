import type { Option } from './option';

/** Folder of the admin socket, where the operator and the command line look for it by themselves. */
export const ADMIN_SOCKET_FOLDER = '/run/ipam';

/** Options of the clean-up by events, of the admin socket and of Splunk; a part of `OPTIONS`. */
export const SIGNAL_OPTIONS = {
  adminSocket: {
    flag: '--admin-socket',
    env: 'IPAM_ADMIN_SOCKET',
    type: 'file',
    default: `${ADMIN_SOCKET_FOLDER}/admin.sock`,
    help: 'Unix socket of the command line `ipam`, an absolute path of at most 90 bytes; every user that may open it is an administrator; at its default it is left out where the folder is missing; empty: none',
  },
  cleanupEventsUrl: {
    flag: '--cleanup-events-url',
    env: 'IPAM_CLEANUP_EVENTS_URL',
    type: 'text',
    default: '',
    help: 'Stream of server-sent events that name clusters which are gone, so that their claims end; empty: none',
  },
  cleanupEventsTokenFile: {
    flag: '--cleanup-events-token-file',
    env: 'IPAM_CLEANUP_EVENTS_TOKEN_FILE',
    type: 'file',
    default: '',
    help: 'File with the bearer token for --cleanup-events-url, read at each connection; empty: no login',
  },
  cleanupEventsCaFile: {
    flag: '--cleanup-events-ca-file',
    env: 'IPAM_CLEANUP_EVENTS_CA_FILE',
    type: 'file',
    default: '',
    help: 'CA certificates that the server of --cleanup-events-url is trusted by; empty: those of Node.js',
  },
  splunkUrl: {
    flag: '--splunk-url',
    env: 'IPAM_SPLUNK_URL',
    type: 'text',
    default: '',
    help: 'Splunk HTTP Event Collector, without its path, that gets each log line too, and each request of the IPAM-API with sourcetype ipam-api:http; empty: none',
  },
  splunkTokenFile: {
    flag: '--splunk-token-file',
    env: 'IPAM_SPLUNK_TOKEN_FILE',
    type: 'file',
    default: '',
    help: 'File with the token for --splunk-url, read again for each batch',
  },
  splunkCaFile: {
    flag: '--splunk-ca-file',
    env: 'IPAM_SPLUNK_CA_FILE',
    type: 'file',
    default: '',
    help: 'CA certificates that the server of --splunk-url is trusted by; empty: those of Node.js',
  },
  splunkIndex: {
    flag: '--splunk-index',
    env: 'IPAM_SPLUNK_INDEX',
    type: 'text',
    default: '',
    help: 'Index of the events at Splunk; empty: the one of the token',
  },
  splunkSource: {
    flag: '--splunk-source',
    env: 'IPAM_SPLUNK_SOURCE',
    type: 'text',
    default: 'vitistack:ipam-api',
    help: 'Field source of the events at Splunk',
  },
  splunkSourcetype: {
    flag: '--splunk-sourcetype',
    env: 'IPAM_SPLUNK_SOURCETYPE',
    type: 'text',
    default: 'ipam-api:app',
    help: 'Field sourcetype of the events at Splunk',
  },
} as const satisfies Record<string, Option>;
