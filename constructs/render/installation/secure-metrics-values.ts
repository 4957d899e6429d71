import { METRICS_SERVICE, OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import type { ServiceMonitorProps } from '../../operator/monitoring/monitoring-props';
import { part, type ChartValue } from '../helm/chart-value';
import { valueAt, type ValueReader } from '../helm/value-reader';
import { HAS_WEBHOOKS } from './egress-values';
import type { InstallationProps } from './installation';
import { secretReference, secretValues, shapesOfParts } from './secret-values';

const AT = 'monitoring.secure';
const OWN = `${AT}.certificateSecret`;
const TOKEN = 'monitoring.serviceMonitor.token';

// The certificate that the operator makes itself is there for webhooks too, so each shape says whether there are any.
function enabled(): ChartValue<InstallationProps> {
  const parts = {
    own: valueAt(OWN),
    selfManaged: `eq ${valueAt('certificates')} "self-managed"`,
    webhooks: HAS_WEBHOOKS,
  };
  const withCertificate = (read: ValueReader): InstallationProps => ({
    monitoring: { secure: { certificateSecret: read.text(OWN) } },
  });
  return {
    path: `${AT}.enabled`,
    initial: false,
    schema: { type: 'boolean' },
    comment:
      'Whether `/metrics` is served over HTTPS, to callers whose token has the right `get` on that path, as the ClusterRole ipam-metrics-reader gives it; without, over HTTP and without a token.',
    props: (on, read) => {
      if (on !== true) return {};
      return read.text(OWN) === '' ? { monitoring: { secure: {} } } : withCertificate(read);
    },
    shapes: (read) => [
      { props: {} },
      ...shapesOfParts(valueAt(`${AT}.enabled`), parts, ({ own, selfManaged, webhooks }) => {
        if (own === true) return withCertificate(read);
        if (selfManaged !== true) return { monitoring: { secure: {} } };
        return {
          monitoring: { secure: {} },
          certificates: 'self-managed',
          ...(webhooks === true ? {} : { services: { enabled: false } }),
        };
      }),
    ],
  };
}

/** Values of the metrics over HTTPS. */
export const SECURE_METRICS_VALUES: readonly ChartValue<InstallationProps>[] = [
  enabled(),
  part(OWN, {
    comment: `Secret of type kubernetes.io/tls in ${OPERATOR_NAMESPACE} with a certificate of your own for ${METRICS_SERVICE}.${OPERATOR_NAMESPACE}.svc, and its CA at the key ca.crt; empty is one by the issuer of \`certificates\`.`,
    initial: '',
  }),
  ...secretValues(
    TOKEN,
    `Name of a Secret of ${OPERATOR_NAMESPACE} with the token that Prometheus sends for \`${AT}\`; empty is the token of the ServiceAccount of Prometheus.`,
    { name: '', key: 'token' },
  ),
];

/**
 * Reads the token that Prometheus sends.
 *
 * @param read - real or late-bound
 * @returns the prop, where a token is given
 */
export const tokenOfMonitor = (read: ValueReader): Pick<ServiceMonitorProps, 'token'> =>
  read.text(`${TOKEN}Secret`) === '' ? {} : { token: secretReference(read, TOKEN) };
