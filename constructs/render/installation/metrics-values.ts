import { METRICS_SERVICE, OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import type { ServiceMonitorProps } from '../../operator/monitoring/monitoring-props';
import { choice, part, type ChartValue } from '../helm/chart-value';
import { valueAt, type ValueReader } from '../helm/value-reader';
import { HAS_WEBHOOKS } from './egress-values';
import type { InstallationProps } from './installation';
import { secretReference, secretValues, shapesOfParts } from './secret-values';
import { DURATION, LABELS } from './value-schemas';

const AT = 'monitoring.secure';
const OWN = `${AT}.certificateSecret`;
const MONITOR = 'monitoring.serviceMonitor';
const TOKEN = `${MONITOR}.token`;

// The certificate that the operator makes itself is there for webhooks too, so each shape says whether there are any.
function secured(): ChartValue<InstallationProps> {
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

// Templates have the token among what depends on `monitoring.secure`.
function monitored(): ChartValue<InstallationProps> {
  const common = (read: ValueReader): ServiceMonitorProps => ({
    interval: read.text(`${MONITOR}.interval`),
    labels: read.entries(`${MONITOR}.labels`),
  });
  const value = choice(
    `${MONITOR}.enabled`,
    { comment: 'A ServiceMonitor; the cluster needs the CRDs of the Prometheus operator.', allowed: [false, true] },
    (on, read): InstallationProps => (on ? { monitoring: { serviceMonitor: common(read) } } : {}),
  );
  return {
    ...value,
    props: (on, read) => {
      if (on !== true) return {};
      const token = read.text(`${TOKEN}Secret`) === '' ? undefined : secretReference(read, TOKEN);
      return { monitoring: { serviceMonitor: { ...common(read), ...(token === undefined ? {} : { token }) } } };
    },
  };
}

/** Values of the metrics, and of what reads them. */
export const METRICS_VALUES: readonly ChartValue<InstallationProps>[] = [
  secured(),
  part(OWN, {
    comment: `Secret of type kubernetes.io/tls in ${OPERATOR_NAMESPACE} with a certificate of your own for ${METRICS_SERVICE}.${OPERATOR_NAMESPACE}.svc, and its CA at the key ca.crt; empty is one by the issuer of \`certificates\`.`,
    initial: '',
  }),
  monitored(),
  part(`${MONITOR}.interval`, { comment: 'Time between two reads.', initial: '30s', schema: DURATION }),
  part(`${MONITOR}.labels`, {
    comment: 'Labels by which your Prometheus chooses its monitors, for example release: kube-prometheus-stack.',
    initial: {},
    schema: LABELS,
  }),
  ...secretValues(
    TOKEN,
    `Name of a Secret of ${OPERATOR_NAMESPACE} with the token that Prometheus sends for \`${AT}\`; empty is the token of the ServiceAccount of Prometheus.`,
    { name: '', key: 'token' },
  ),
];
