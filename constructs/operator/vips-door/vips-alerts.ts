import type { AlertRow } from '../monitoring/alert';
import type { PrometheusRuleProps } from '../monitoring/monitoring-props';
import {
  FREE_VIPS,
  growth,
  HALTED_MIGRATIONS,
  metric,
  UNREADY_GROUPS,
  USED_VIPS_PERCENT,
  WAITING_VIPS,
} from '../monitoring/promql';
import { NEARLY_FULL_PERCENT } from '../monitoring/thresholds';

const GROUP = 'IPGroup {{ $labels.group }} ({{ $labels.family }})';

const MIGRATION_HALTED: AlertRow = {
  alert: 'IpamMigrationHalted',
  severity: 'warning',
  expr: `${HALTED_MIGRATIONS} > 0`,
  for: '10m',
  summary: '{{ $value }} VirtualIPs cannot be migrated',
  says: [
    'Their conditions Migrated say what is in the way; each goes on by itself once that is gone.',
    'Up to the deletion of its copy a Service is served as before, and the order can be taken back; see docs/migration.md.',
  ],
};

/**
 * Lists the alerts about IPGroups and the Services that they serve.
 *
 * @param props - thresholds
 * @returns that of a nearly full group first
 */
export function vipsAlerts({
  nearlyFullPercent: percent = NEARLY_FULL_PERCENT,
}: PrometheusRuleProps): readonly AlertRow[] {
  return [
    {
      alert: 'IpamGroupNearlyFull',
      severity: 'warning',
      expr: `${USED_VIPS_PERCENT} > ${percent}`,
      for: '15m',
      summary: `${GROUP} is nearly full`,
      says: [
        `{{ printf "%.1f" $value }} % of the addresses of ${GROUP} are in use.`,
        'Add a segment to the group, or another group.',
      ],
    },
    {
      alert: 'IpamGroupFull',
      severity: 'critical',
      expr: `${FREE_VIPS} == 0`,
      for: '5m',
      summary: `${GROUP} has no free address`,
      says: ['Services that only this group serves get no address.', 'Add a segment to the group, or another group.'],
    },
    {
      alert: 'IpamGroupNotReady',
      severity: 'warning',
      expr: `${UNREADY_GROUPS} > 0`,
      for: '15m',
      summary: '{{ $value }} IPGroups do not give what their spec says: {{ $labels.reason }}',
      says: [
        'A change is stored and not applied, or the spec cannot be read.',
        'The condition Ready of the group names the Services in the way.',
      ],
    },
    {
      alert: 'IpamVipsWait',
      severity: 'warning',
      expr: `${WAITING_VIPS} > 0`,
      for: '15m',
      summary: '{{ $value }} Services wait for an address of an IPGroup: {{ $labels.reason }}',
      says: ['Their conditions paas.org/AddressAllocated say what would help each of them.'],
    },
    {
      alert: 'IpamVipRecordRepaired',
      severity: 'warning',
      expr: `${growth(metric('vip_repairs_total'), '1h', ['kind'])} > 0`,
      for: '1m',
      summary: '{{ $value }} IPs and their Services differed: {{ $labels.kind }}',
      says: [
        'Entries of the record were deleted by hand or came from a backup; nothing moved.',
        'The log of the operator names each of them.',
      ],
    },
    MIGRATION_HALTED,
  ];
}
