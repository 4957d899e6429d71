import { catalogueRow, type ErrorCode } from '../../../operator/errors/catalogue';
import type { Refusal } from '../../../operator/errors/outcome';
import { alertOf, type Alert, type AlertRow } from './alert';
import type { PrometheusRuleProps } from './monitoring-props';
import { KEPT_ALERTS, relatedSystemAlerts } from './related-system-alerts';
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

function zoneAlerts(percent: number): readonly AlertRow[] {
  return [
    {
      alert: 'IpamZoneNearlyFull',
      severity: 'warning',
      expr: `${USED_PERCENT} > ${percent}`,
      for: '15m',
      summary: `${ZONE} is nearly full`,
      says: [
        `{{ printf "%.1f" $value }} % of the addresses of ${ZONE} are held or in quarantine.`,
        `Add a prefix to the zone, or release what is not needed.`,
      ],
    },
    {
      alert: 'IpamZoneFull',
      severity: 'critical',
      expr: `${FREE_ADDRESSES} == 0`,
      for: '5m',
      summary: `${ZONE} has no free address`,
      says: [`New Services of ${ZONE} get no address.`, `Add a prefix to the zone, or release what is not needed.`],
    },
  ];
}

function serviceAlerts(): readonly AlertRow[] {
  const reasons = [...new Set(NOT_THE_USERS_FAULT.map((code) => catalogueRow(code).reason))].join('|');
  return [
    {
      alert: 'IpamServicesWait',
      severity: 'warning',
      expr: `${WAITING_SERVICES} > 0`,
      for: '5m',
      summary: '{{ $value }} Services wait for an address: {{ $labels.reason }}',
      says: [
        'They are stored and get no address.',
        'The condition ipam.vitistack.io/AddressReady of each says why;',
        'the table of errors in the documentation explains {{ $labels.reason }}.',
      ],
    },
    {
      alert: 'IpamServicesRefused',
      severity: 'warning',
      expr: `${growth(metric('refusals_total', `reason=~"${reasons}"`), '15m', ['reason'])} > 0`,
      for: '5m',
      summary: 'Services get no address: {{ $labels.reason }}',
      says: [
        'The operator refuses addresses for a reason that the owners of the Services cannot cure.',
        'The table of errors in the documentation explains {{ $labels.reason }}.',
      ],
    },
    {
      alert: 'IpamAdmissionSlow',
      severity: 'warning',
      expr: `${quantile(0.99, 'admission_duration_seconds')} > 4`,
      for: '10m',
      summary: 'Reviews of Services are slow',
      says: [
        'One review in a hundred takes {{ printf "%.1f" $value }} s.',
        'Above the deadline of the operator (8 s) Services are refused, or wait.',
      ],
    },
  ];
}

function operatorAlerts(): readonly AlertRow[] {
  const failed = growth(metric('sweeps_total', 'result="failed"'), '15m');
  const completed = growth(metric('sweeps_total', 'result="completed"'), '15m');
  const refused = growth(metric('zones_reloads_total', 'result=~"invalid|unreadable"'), '1h');
  const taken = growth(metric('zones_reloads_total', 'result="ok"'), '1h');
  return [
    {
      alert: 'IpamReservationsStale',
      severity: 'warning',
      expr: `${failed} > 0 unless ${completed} > 0`,
      for: '15m',
      summary: 'Reservations are not given back',
      says: [
        'No sweep could read all Services, so reservations of Services that were never stored keep their addresses.',
        'The log of the operator names the cause ("sweep failed").',
      ],
    },
    {
      alert: 'IpamZonesRefused',
      severity: 'warning',
      expr: `${refused} > 0 unless ${taken} > 0`,
      for: '5m',
      summary: 'The zone document is not valid',
      says: ['The operator keeps the last good zones.', 'Its log names every problem of the document ("zone file").'],
    },
    {
      alert: 'IpamCertificateRefused',
      severity: 'warning',
      expr: `${growth(metric('certificate_reloads_total', 'result="kept_old"'), '1h')} > 0`,
      for: '5m',
      summary: 'The new serving certificate cannot be used',
      says: ['The operator serves the old one until it ends.', 'Look at Secret and Certificate of the webhooks.'],
    },
    {
      alert: 'IpamOperatorAbsent',
      severity: 'critical',
      expr: `absent(${metric('zone_addresses')})`,
      for: '10m',
      summary: 'The IPAM operator is not there',
      says: [
        'Prometheus reads no metrics of the operator.',
        'With whenUnavailable "deny" no LoadBalancer Service can be made meanwhile.',
      ],
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
  const groups = {
    'ipam-zones': zoneAlerts(props.nearlyFullPercent ?? NEARLY_FULL_PERCENT),
    'ipam-services': [...serviceAlerts(), ...KEPT_ALERTS],
    'ipam-operator': operatorAlerts(),
    'ipam-neighbours': relatedSystemAlerts(),
  };
  return Object.entries(groups).map(([name, rows]) => ({ name, rules: rows.map(alertOf) }));
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
