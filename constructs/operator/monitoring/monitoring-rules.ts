import { props } from '../../props-kit/containers';
import { ANNOTATIONS, DNS_LABEL, DURATION, LABELS } from '../../props-kit/kubernetes-values';
import { SECRET_KEY } from '../../props-kit/secret-key';
import { HIDDEN_TEXT, NUMBER } from '../../props-kit/values';
import type {
  DashboardProps,
  MonitoringProps,
  PrometheusRuleProps,
  SecureMetricsProps,
  ServiceMonitorProps,
} from './monitoring-props';

/** Props of the parts for Prometheus and Grafana. */
export const MONITORING = props<MonitoringProps>({
  secure: props<SecureMetricsProps>({ certificateSecret: HIDDEN_TEXT }),
  serviceMonitor: props<ServiceMonitorProps>({ interval: DURATION, labels: LABELS, token: SECRET_KEY }),
  prometheusRule: props<PrometheusRuleProps>({ nearlyFullPercent: NUMBER, labels: LABELS }),
  dashboard: props<DashboardProps>({ namespace: DNS_LABEL, labels: LABELS, annotations: ANNOTATIONS }),
});
