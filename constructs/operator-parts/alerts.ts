import { catalogueRow, type ErrorCode } from '../../operator/errors/catalogue';
import type { Refusal } from '../../operator/errors/outcome';
import type { Alert } from './alert';
import type { PrometheusRuleProps } from './monitoring-props';
import { KEPT_ALERTS, neighbourAlerts } from './neighbour-alerts';
import { FREE_ADDRESSES, growth, metric, quantile, USED_PERCENT, WAITING_SERVICES } from './promql';

/** Share of a zone in use above which its alert fires, in percent. */
const NEARLY_FULL_PERCENT = 90;

// Refusals that are not the user's fault: time or an administrator cures them.
const NOT_THE_USERS_FAULT: readonly ErrorCode[] = [
  'pool/exhausted',
  'reservation/limit',
  'store/unavailable',
  'store/deadline',
  'cluster/unavailable',
];

const ZONE = 'zone {{ $labels.zone }} ({{ $labels.family }})';

function zoneAlerts(percent: number): readonly Alert[] {
  return [
    {
      alert: 'IpamZoneNearlyFull',
      expr: `${USED_PERCENT} > ${percent}`,
      for: '15m',
      labels: { severity: 'warning' },
      annotations: {
        summary: `${ZONE} is nearly full`,
        description: `{{ printf "%.1f" $value }} % of the addresses of ${ZONE} are held or in quarantine. Add a prefix to the zone, or release what is not needed.`,
      },
    },
    {
      alert: 'IpamZoneFull',
      expr: `${FREE_ADDRESSES} == 0`,
      for: '5m',
      labels: { severity: 'critical' },
      annotations: {
        summary: `${ZONE} has no free address`,
        description: `New Services of ${ZONE} get no address. Add a prefix to the zone, or release what is not needed.`,
      },
    },
  ];
}

function serviceAlerts(): readonly Alert[] {
  const reasons = [...new Set(NOT_THE_USERS_FAULT.map((code) => catalogueRow(code).reason))].join('|');
  return [
    {
      alert: 'IpamServicesWait',
      expr: `${WAITING_SERVICES} > 0`,
      for: '5m',
      labels: { severity: 'warning' },
      annotations: {
        summary: '{{ $value }} Services wait for an address: {{ $labels.reason }}',
        description:
          'They are stored and get no address. The condition ipam.vitistack.io/AddressReady of each says why; the table of errors in the documentation explains {{ $labels.reason }}.',
      },
    },
    {
      alert: 'IpamServicesRefused',
      expr: `${growth(metric('refusals_total', `reason=~"${reasons}"`), '15m', ['reason'])} > 0`,
      for: '5m',
      labels: { severity: 'warning' },
      annotations: {
        summary: 'Services get no address: {{ $labels.reason }}',
        description:
          'The operator refuses addresses for a reason that the owners of the Services cannot cure. The table of errors in the documentation explains {{ $labels.reason }}.',
      },
    },
    {
      alert: 'IpamAdmissionSlow',
      expr: `${quantile(0.99, 'admission_duration_seconds')} > 4`,
      for: '10m',
      labels: { severity: 'warning' },
      annotations: {
        summary: 'Reviews of Services are slow',
        description:
          'One review in a hundred takes {{ printf "%.1f" $value }} s. Above the deadline of the operator (8 s) Services are refused, or wait.',
      },
    },
  ];
}

function operatorAlerts(): readonly Alert[] {
  const failed = growth(metric('sweeps_total', 'result="failed"'), '15m');
  const completed = growth(metric('sweeps_total', 'result="completed"'), '15m');
  const refused = growth(metric('zones_reloads_total', 'result=~"invalid|unreadable"'), '1h');
  const taken = growth(metric('zones_reloads_total', 'result="ok"'), '1h');
  return [
    {
      alert: 'IpamReservationsStale',
      expr: `${failed} > 0 unless ${completed} > 0`,
      for: '15m',
      labels: { severity: 'warning' },
      annotations: {
        summary: 'Reservations are not given back',
        description:
          'No sweep could read all Services, so reservations of Services that were never stored keep their addresses. The log of the operator names the cause ("sweep failed").',
      },
    },
    {
      alert: 'IpamZonesRefused',
      expr: `${refused} > 0 unless ${taken} > 0`,
      for: '5m',
      labels: { severity: 'warning' },
      annotations: {
        summary: 'The zone document is not valid',
        description:
          'The operator keeps the last good zones. Its log names every problem of the document ("zone file").',
      },
    },
    {
      alert: 'IpamCertificateRefused',
      expr: `${growth(metric('certificate_reloads_total', 'result="kept_old"'), '1h')} > 0`,
      for: '5m',
      labels: { severity: 'warning' },
      annotations: {
        summary: 'The new serving certificate cannot be used',
        description: 'The operator serves the old one until it ends. Look at Secret and Certificate of the webhooks.',
      },
    },
    {
      alert: 'IpamOperatorAbsent',
      expr: `absent(${metric('zone_addresses')})`,
      for: '10m',
      labels: { severity: 'critical' },
      annotations: {
        summary: 'The IPAM operator is not there',
        description:
          'Prometheus reads no metrics of the operator. With whenUnavailable "deny" no LoadBalancer Service can be made meanwhile.',
      },
    },
  ];
}

/**
 * Lists the alerts of the operator.
 *
 * @param props - thresholds
 * @returns the alerts, by group
 */
export function alertGroups(props: PrometheusRuleProps): readonly { name: string; rules: readonly Alert[] }[] {
  return [
    { name: 'ipam-zones', rules: zoneAlerts(props.nearlyFullPercent ?? NEARLY_FULL_PERCENT) },
    { name: 'ipam-services', rules: [...serviceAlerts(), ...KEPT_ALERTS] },
    { name: 'ipam-operator', rules: operatorAlerts() },
    { name: 'ipam-neighbours', rules: neighbourAlerts() },
  ];
}

/**
 * Checks the thresholds.
 *
 * @param props - of the rule, where there is one
 * @returns at most one refusal
 */
export function alertProblems(props: PrometheusRuleProps = {}): readonly Refusal[] {
  const { nearlyFullPercent: percent = NEARLY_FULL_PERCENT } = props;
  if (percent >= 1 && percent <= 99) return [];
  const field = 'monitoring.prometheusRule.nearlyFullPercent';
  const message = `${field}: ${percent} is not possible; allowed is 1 to 99 (percent of the addresses of a zone)`;
  return [{ code: 'settings/invalid', field, value: String(percent), message }];
}
