import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES, SELECTOR_LABELS } from '../../objects/names';
import type { Alert } from './alert';
import { dashboardJson } from './dashboard';
import type { EndpointSecurity } from './endpoint-security';
import type { DashboardProps, MonitoringProps, PrometheusRuleProps, ServiceMonitorProps } from './monitoring-props';
import type { Panel } from './panel';

const API_VERSION = 'monitoring.coreos.com/v1';

/** Name of the objects for Prometheus and Grafana. */
const NAME = NAMES.deployment;

/** Alerts of one concern, evaluated together. */
export interface AlertGroup {
  readonly name: string;
  readonly rules: readonly Alert[];
}

/** Alerts and panels of the operator. */
export interface MonitoringRows {
  readonly alerts: readonly AlertGroup[];
  readonly panels: readonly Panel[];
}

/** What stands in the parts for Prometheus and Grafana. */
interface MonitoringParts extends MonitoringRows {
  /** How Prometheus connects. */
  readonly security: EndpointSecurity;
}

/** Objects by which Prometheus and Grafana show and judge the operator. */
export class OperatorMonitoring extends Construct {
  /**
   * Declares the parts that are asked for.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - the parts that are asked for, and what stands in them
   */
  constructor(scope: Construct, id: string, props: MonitoringProps & MonitoringParts) {
    super(scope, id);
    if (props.serviceMonitor !== undefined) this.#declareMonitor(props.serviceMonitor, props.security);
    if (props.prometheusRule !== undefined) this.#declareRule(props.prometheusRule, props.alerts);
    if (props.dashboard !== undefined) this.#declareDashboard(props.dashboard, props.panels);
  }

  #declareMonitor({ interval = '30s', labels = {} }: ServiceMonitorProps, security: EndpointSecurity): void {
    new ApiObject(this, 'ServiceMonitor', {
      apiVersion: API_VERSION,
      kind: 'ServiceMonitor',
      metadata: { name: NAME, namespace: OPERATOR_NAMESPACE, labels: { ...labels, ...COMMON_LABELS } },
      spec: {
        namespaceSelector: { matchNames: [OPERATOR_NAMESPACE] },
        selector: { matchLabels: SELECTOR_LABELS },
        // both Services of the operator have these labels; only one has a port of this name
        endpoints: [{ port: 'metrics', path: '/metrics', interval, ...security }],
      },
    });
  }

  #declareRule({ labels = {} }: PrometheusRuleProps, groups: readonly AlertGroup[]): void {
    new ApiObject(this, 'PrometheusRule', {
      apiVersion: API_VERSION,
      kind: 'PrometheusRule',
      metadata: { name: NAME, namespace: OPERATOR_NAMESPACE, labels: { ...labels, ...COMMON_LABELS } },
      spec: { groups },
    });
  }

  #declareDashboard(props: DashboardProps, panels: readonly Panel[]): void {
    const { namespace = OPERATOR_NAMESPACE, labels = { grafana_dashboard: '1' }, annotations } = props;
    new k8s.KubeConfigMap(this, 'Dashboard', {
      metadata: {
        name: `${NAME}-dashboard`,
        namespace,
        labels: { ...labels, ...COMMON_LABELS },
        ...(annotations === undefined ? {} : { annotations }),
      },
      data: { 'ipam-operator.json': dashboardJson(panels) },
    });
  }
}
