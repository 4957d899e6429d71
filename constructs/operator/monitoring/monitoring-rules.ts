import { props } from '../../props-kit/containers';
import { ANNOTATIONS, DNS_LABEL, DURATION, LABELS } from '../../props-kit/kubernetes-values';
import { NUMBER } from '../../props-kit/values';
import type { DashboardProps, MonitoringProps, PrometheusRuleProps, ServiceMonitorProps } from './monitoring-props';

/** Props of the parts for Prometheus and Grafana. */
export const MONITORING = props<MonitoringProps>({
  serviceMonitor: props<ServiceMonitorProps>({ interval: DURATION, labels: LABELS }),
  prometheusRule: props<PrometheusRuleProps>({ nearlyFullPercent: NUMBER, labels: LABELS }),
  dashboard: props<DashboardProps>({ namespace: DNS_LABEL, labels: LABELS, annotations: ANNOTATIONS }),
});
