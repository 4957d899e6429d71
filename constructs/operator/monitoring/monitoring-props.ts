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
