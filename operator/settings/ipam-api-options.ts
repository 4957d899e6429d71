import type { Option } from './option';

/** Options of the logins of the IPAM-API; a part of `OPTIONS`. */
export const IPAM_API_LOGIN_OPTIONS = {
  ipamApiClientsFile: {
    flag: '--ipam-api-clients-file',
    env: 'IPAM_API_CLIENTS_FILE',
    type: 'file',
    default: '',
    help: 'Clients of version 3 of the IPAM-API (YAML or JSON, hashes of tokens or certificates, roles, quotas), read again when it changes; empty: no client may call it',
  },
  ipamApiClientCaFile: {
    flag: '--ipam-api-client-ca-file',
    env: 'IPAM_API_CLIENT_CA_FILE',
    type: 'file',
    default: '',
    help: 'CA certificates that client certificates of the IPAM-API are trusted by; empty: tokens only',
  },
} as const satisfies Record<string, Option>;
