import { catalogueRow, type ErrorCode } from '../../../operator/errors/catalogue';
import type { AlertRow } from '../monitoring/alert';
import { CONTESTED_SERVICES, growth, KEPT_SERVICES, metric, quantile, WAITING_SERVICES } from '../monitoring/promql';

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
export const SERVICE_ALERTS: readonly AlertRow[] = [...serviceAlerts(), ...RETAINED_ALERTS, ...CONTESTED_ALERTS];
