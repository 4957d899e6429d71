import type { SecretKeyReference } from '../../props-kit/secret-key';

/** Metrics over HTTPS. */
export interface SecureMetricsProps {
  /**
   * Secret of type kubernetes.io/tls with a certificate of your own, in the operator's namespace; no certificate is asked
   * for then. Its names include `ipam-controller-manager-metrics-service.ipam-system.svc`, and its key `ca.crt` has the CA
   * by which a ServiceMonitor trusts it.
   *
   * @default - cert-manager fills in `ipam-metrics-server-cert`, by the CA of the operator; with `certificates: 'self-managed'`
   * that of the operator, `ipam-self-signed`
   */
  readonly certificateSecret?: string;
}

/** How Prometheus reads the metrics. */
export interface ServiceMonitorProps {
  /**
   * Time between two reads, as Prometheus writes durations.
   *
   * @default '30s'
   */
  readonly interval?: string;
  /**
   * Labels by which your Prometheus chooses its monitors, for example `release: kube-prometheus-stack`.
   *
   * @default - none beside those of every object of the operator
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Secret with the token that Prometheus sends where the metrics are `secure`; the default key is `token`.
   *
   * @default - Prometheus sends the token of its own ServiceAccount, which its operator may forbid, as OpenShift does for
   * projects of users
   */
  readonly token?: SecretKeyReference;
}

/** Which alerts there are, and when they fire. */
export interface PrometheusRuleProps {
  /**
   * Share of the addresses of a zone, an IPGroup or an IPPrefix in use, in percent from 1 to 99, above which `IpamZoneNearlyFull`,
   * `IpamGroupNearlyFull` or `IpamPrefixNearlyFull` fires. Quarantined addresses count as in use.
   *
   * @default 90
   */
  readonly nearlyFullPercent?: number;
  /**
   * Labels by which your Prometheus chooses its rules.
   *
   * @default - none beside those of every object of the operator
   */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Where Grafana finds the dashboard. */
export interface DashboardProps {
  /**
   * Namespace of the ConfigMap.
   *
   * @default 'ipam-system'
   */
  readonly namespace?: string;
  /**
   * Labels by which Grafana's sidecar finds dashboards.
   *
   * @default { grafana_dashboard: '1' }
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Annotations, for example the folder that the sidecar puts the dashboard into.
   *
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Parts for Prometheus and Grafana. Each is there when it is given, `{}` being enough. */
export interface MonitoringProps {
  /**
   * Serves `/metrics` over HTTPS, at port 8443 of the Pods, to callers whose token has the right `get` on the path `/metrics`, as the
   * ClusterRole `ipam-metrics-reader` gives it; the port of the probes then has no metrics.
   *
   * @default - HTTP without a token, at the port of the probes; the NetworkPolicy says which namespaces reach it
   */
  readonly secure?: SecureMetricsProps;
  /**
   * A ServiceMonitor; the cluster needs the CRDs of the Prometheus operator.
   *
   * @default - none
   */
  readonly serviceMonitor?: ServiceMonitorProps;
  /**
   * A PrometheusRule with the alerts of the operator; the cluster needs the CRDs of the Prometheus operator.
   *
   * @default - none
   */
  readonly prometheusRule?: PrometheusRuleProps;
  /**
   * A ConfigMap with a Grafana dashboard.
   *
   * @default - none
   */
  readonly dashboard?: DashboardProps;
}
