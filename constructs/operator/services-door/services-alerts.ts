import { catalogueRow, type ErrorCode } from '../../../operator/errors/catalogue';
import type { AlertRow } from '../monitoring/alert';
import {
  CONTESTED_SERVICES,
  growth,
  KEPT_SERVICES,
  metric,
  NARROW_POOLS,
  quantile,
  UNANNOUNCED_SERVICES,
  WAITING_SERVICES,
} from '../monitoring/promql';

// Refusals that are not the user's fault: time or an administrator cures them.
const NOT_THE_USERS_FAULT: readonly ErrorCode[] = [
  'pool/exhausted',
  'reservation/limit',
  'store/unavailable',
  'store/deadline',
  'cluster/unavailable',
];

// about Services that keep what their zone would not give them today
const RETAINED_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamServicesKept',
    severity: 'warning',
    expr: `${KEPT_SERVICES} > 0`,
    for: '60m',
    summary: '{{ $value }} Services keep addresses that zone {{ $labels.zone }} would not give: {{ $labels.reason }}',
    says: [
      'Their zone shrank, went away or was closed to their namespace, or an external IPAM has the address for another owner.',
      'They keep working, but what they hold is no longer planned for; their conditions ipam.vitistack.io/AddressReady name the addresses.',
    ],
  },
];

// about addresses that the cluster shows without a claim
const OCCUPIED_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamClaimsMet',
    severity: 'warning',
    expr: `${metric('claims_met')} > 0`,
    for: '10m',
    summary: '{{ $value }} claims have addresses that something else in use shows as well',
    says: [
      'A Node, the API server or a Service without a claim has the address of a claim, so one of the two is not reached.',
      'ipam explain ADDRESS names both; what was announced before is left alone, and so is what is bound where another cluster shows it.',
    ],
  },
  {
    alert: 'IpamExternalIPsIgnored',
    severity: 'warning',
    expr: `${metric('external_ips_ignored')} > 0`,
    for: '10m',
    summary: 'Namespace {{ $labels.namespace }} names {{ $value }} addresses too many in spec.externalIPs',
    says: [
      'Up to 64 addresses of zones that the Services of a namespace name there are given out last; those beyond do not count.',
      'Ask the owners of the namespace what they are for, or exclude them from their zone.',
    ],
  },
];

// about Services that show what is not theirs by the record
const CONTESTED_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamAddressContested',
    severity: 'warning',
    expr: `${CONTESTED_SERVICES} > 0`,
    for: '5m',
    summary: '{{ $value }} Services show an address that the record does not grant them',
    says: [
      'The load balancer announces it, so it is left alone and given to no other Service; the one that has proven it gets it afterwards.',
      'Their conditions ipam.vitistack.io/AddressReady (reason AddressContested) say why.',
      'Mend the cause (open the zone, restore the Secret, give one of both Services another address), or end it with "ipam evict NAMESPACE/NAME".',
    ],
  },
];

// about addresses that Services have and nothing answers for
const ANNOUNCEMENT_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamServicesNotAnnounced',
    severity: 'warning',
    expr: `${UNANNOUNCED_SERVICES} > 0`,
    for: '5m',
    summary:
      '{{ $value }} Services of zone {{ $labels.zone }} have addresses that nothing announces: {{ $labels.reason }}',
    says: [
      'Their addresses are bound, and their status does not show them.',
      'The condition ipam.vitistack.io/AddressReady of each is Unknown and says what stands in the way.',
    ],
  },
  {
    alert: 'IpamZoneWiderThanPool',
    severity: 'warning',
    expr: `${NARROW_POOLS} > 0`,
    for: '10m',
    summary: 'Zone {{ $labels.zone }} has addresses that its MetalLB pool does not hold',
    says: [
      'MetalLB does not announce them, so a Service that gets one is not reached.',
      'The log of the operator names them; edit the MetalLB pool or the zone.',
    ],
  },
];

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

/** Alerts about Services. */
export const SERVICE_ALERTS: readonly AlertRow[] = [
  ...serviceAlerts(),
  ...RETAINED_ALERTS,
  ...CONTESTED_ALERTS,
  ...OCCUPIED_ALERTS,
  ...ANNOUNCEMENT_ALERTS,
];
