import type { Refusal } from '../../../operator/errors/outcome';
import type { AlertRow } from '../monitoring/alert';
import type { PrometheusRuleProps } from '../monitoring/monitoring-props';
import { FREE_ADDRESSES, USED_PERCENT } from '../monitoring/promql';
import { NEARLY_FULL_PERCENT } from '../monitoring/thresholds';

const ZONE = 'zone {{ $labels.zone }} ({{ $labels.family }})';

/**
 * Lists the alerts about the addresses of the zones.
 *
 * @param props - thresholds
 * @returns that of a nearly full zone first
 */
export function zoneAlerts({
  nearlyFullPercent: percent = NEARLY_FULL_PERCENT,
}: PrometheusRuleProps): readonly AlertRow[] {
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
