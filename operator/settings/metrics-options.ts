import type { Option } from './option';

/** Options of the metrics over HTTPS; a part of `OPTIONS`. */
export const METRICS_OPTIONS = {
  metricsBindAddress: {
    flag: '--metrics-bind-address',
    env: 'IPAM_METRICS_BIND_ADDRESS',
    type: 'listen',
    optional: true,
    default: '',
    help: 'Where /metrics listens over HTTPS, such as :8443, for callers with a token that may get /metrics; no other port has it then. Empty: no such listener',
  },
  metricsCertPath: {
    flag: '--metrics-cert-path',
    env: 'IPAM_METRICS_CERT_PATH',
    type: 'folder',
    default: '',
    help: "Folder of the certificate of --metrics-bind-address (tls.crt, tls.key), reloaded live; empty: the operator's serving certificate",
  },
} as const satisfies Record<string, Option>;
