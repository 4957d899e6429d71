import { METRICS_SERVICE, OPERATOR_NAMESPACE, WEBHOOK_SERVICE } from '../contract/group';
import type { Option } from './option';

/** Options of the serving certificate; a part of `OPTIONS`. */
export const CERTIFICATE_OPTIONS = {
  webhookCertPath: {
    flag: '--webhook-cert-path',
    env: 'IPAM_WEBHOOK_CERT_PATH',
    type: 'folder',
    default: '',
    help: 'Folder of the serving certificate, reloaded live; empty: the operator makes its own CA and certificate',
  },
  webhookCertName: {
    flag: '--webhook-cert-name',
    env: 'IPAM_WEBHOOK_CERT_NAME',
    type: 'text',
    default: 'tls.crt',
    help: 'File name of the certificate chain in --webhook-cert-path',
  },
  webhookCertKey: {
    flag: '--webhook-cert-key',
    env: 'IPAM_WEBHOOK_CERT_KEY',
    type: 'text',
    default: 'tls.key',
    help: 'File name of the private key in --webhook-cert-path',
  },
  selfSignedNames: {
    flag: '--self-signed-names',
    env: 'IPAM_SELF_SIGNED_NAMES',
    type: 'list',
    default: [WEBHOOK_SERVICE, METRICS_SERVICE].flatMap((service) =>
      ['svc', 'svc.cluster.local'].map((suffix) => `${service}.${OPERATOR_NAMESPACE}.${suffix}`),
    ),
    help: "DNS names in the operator's own certificate, beside localhost, 127.0.0.1 and ::1",
  },
  selfSignedCaFile: {
    flag: '--self-signed-ca-file',
    env: 'IPAM_SELF_SIGNED_CA_FILE',
    type: 'file',
    default: '',
    help: "File to write the operator's own CA certificate to, for its callers; empty: nothing is written",
  },
  selfSignedSecret: {
    flag: '--self-signed-secret-name',
    env: 'IPAM_SELF_SIGNED_SECRET_NAME',
    type: 'text',
    default: '',
    help: "Secret of the operator's namespace that keeps its own CA and certificate; the CA is put into our webhooks, of which there may be none beside --metrics-bind-address",
  },
} as const satisfies Record<string, Option>;
