import { DOORS } from './doors/doors';
import { alertOf, type AlertRow } from './monitoring/alert';
import { clusterPanel } from './monitoring/cluster-panel';
import type { AlertGroup, MonitoringRows } from './monitoring/monitoring';
import type { MonitoringProps, PrometheusRuleProps } from './monitoring/monitoring-props';
import { operatorAlerts } from './monitoring/operator-alerts';
import { OPERATOR_PANELS } from './monitoring/operator-panels';
import type { Panel } from './monitoring/panel';
import { netboxAlerts } from './netbox/netbox-alerts';
import { NETBOX_PANELS } from './netbox/netbox-panels';
import { SPLUNK_ALERTS } from './related-systems/splunk-alerts';
import { SPLUNK_PANELS } from './related-systems/splunk-panels';
import { remoteAlerts } from './store/remote-alerts';
import { REMOTE_PANELS } from './store/remote-panels';
import { STORE_ALERTS } from './store/store-alerts';
import { STORE_PANELS } from './store/store-panels';
import { zoneAlerts } from './zones/zone-alerts';
import { ZONE_PANELS } from './zones/zone-panels';

const group = (name: string, rows: readonly AlertRow[]): readonly AlertGroup[] =>
  rows.length === 0 ? [] : [{ name: `ipam-${name}`, rules: rows.map(alertOf) }];

/**
 * Lists the alerts of the operator. What is not set up has no metrics, so its alerts never fire.
 *
 * @param props - thresholds
 * @returns the alerts, by group
 */
export function alertGroups(props: PrometheusRuleProps): readonly AlertGroup[] {
  return [
    ...group('zones', zoneAlerts(props)),
    ...DOORS.filter(({ server }) => server === undefined).flatMap(({ name, alerts }) => group(name, alerts(props))),
    ...group('store', STORE_ALERTS),
    ...group('operator', operatorAlerts()),
    ...group('neighbours', [
      ...remoteAlerts(),
      ...netboxAlerts(),
      ...DOORS.filter(({ server }) => server !== undefined).flatMap(({ alerts }) => alerts(props)),
      ...SPLUNK_ALERTS,
    ]),
  ];
}

/** Panels of the dashboard, in their order; those of what is not set up stay empty. */
const PANELS: readonly Panel[] = [
  ...ZONE_PANELS,
  ...DOORS.flatMap(({ panels }) => panels.requests),
  ...STORE_PANELS,
  ...DOORS.flatMap(({ panels }) => panels.objects),
  ...OPERATOR_PANELS,
  ...REMOTE_PANELS,
  ...NETBOX_PANELS,
  clusterPanel(DOORS.flatMap(({ panels }) => panels.clusters ?? [])),
  ...SPLUNK_PANELS,
];

/**
 * Lists what stands in the parts for Prometheus and Grafana.
 *
 * @param monitoring - as given to the operator
 * @returns alerts and panels of every concern
 */
export const monitoringRows = ({ prometheusRule = {} }: MonitoringProps): MonitoringRows => ({
  alerts: alertGroups(prometheusRule),
  panels: PANELS,
});
