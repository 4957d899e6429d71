import type { AlertRow } from '../monitoring/alert';
import type { PrometheusRuleProps } from '../monitoring/monitoring-props';
import {
  EXHAUSTED_NETWORKS,
  FREE_IN_PREFIXES,
  growth,
  metric,
  USED_PREFIX_PERCENT,
  WAITING_NETWORKS,
} from '../monitoring/promql';
import { NEARLY_FULL_PERCENT } from '../monitoring/thresholds';

const PREFIX = 'Prefix {{ $labels.prefix }} of NetworkInstance {{ $labels.instance }}';

/**
 * Lists the alerts about prefixes and allocations of NetworkInstances.
 *
 * @param props - thresholds
 * @returns that of a nearly full prefix first
 */
export function networksAlerts({
  nearlyFullPercent: percent = NEARLY_FULL_PERCENT,
}: PrometheusRuleProps): readonly AlertRow[] {
  return [
    {
      alert: 'IpamPrefixNearlyFull',
      severity: 'warning',
      // one that is full on purpose, as an aggregate that is all given out, is told by what waits for it
      expr: `${USED_PREFIX_PERCENT} > ${percent} and ${FREE_IN_PREFIXES} > 0`,
      for: '15m',
      summary: `${PREFIX} is nearly full`,
      says: [
        `{{ printf "%.1f" $value }} % of the addresses of ${PREFIX} are in use.`,
        'Add a prefix that the same selectors match, or release allocations.',
      ],
    },
    {
      alert: 'IpamNetworkExhausted',
      severity: 'critical',
      expr: `${EXHAUSTED_NETWORKS} > 0`,
      for: '5m',
      summary: '{{ $value }} IPAllocations find no free address or prefix',
      says: [
        'Every prefix that their selectors match is full.',
        'Their condition Accepted names the prefixes; add one that matches, or release allocations.',
      ],
    },
    {
      alert: 'IpamNetworksWait',
      severity: 'warning',
      expr: `${WAITING_NETWORKS} > 0`,
      for: '15m',
      summary: '{{ $value }} IPPrefixes and IPAllocations wait: {{ $labels.reason }}',
      says: ['Their condition Accepted says what would help each of them.'],
    },
    {
      alert: 'IpamNetworkRecordRepaired',
      severity: 'warning',
      expr: `${growth(metric('network_repairs_total'), '1h', ['kind'])} > 0`,
      for: '1m',
      summary: '{{ $value }} entries of networks and their objects differed: {{ $labels.kind }}',
      says: [
        'AddressClaims were deleted by hand, or objects came back from a backup; nothing moved.',
        'The log of the operator names each of them.',
      ],
    },
  ];
}
