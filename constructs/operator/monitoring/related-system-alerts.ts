import type { AlertRow } from './alert';
import {
  CLUSTERS_SILENT,
  growth,
  IDENTITY_SHARED,
  KEPT_SERVICES,
  metric,
  NETBOX_DIFFERENCES,
  REMOTE_AWAY,
} from './promql';

/** Alerts about Services that keep what their zone would not give them today. */
export const KEPT_ALERTS: readonly AlertRow[] = [
  {
    alert: 'IpamServicesKept',
    severity: 'warning',
    expr: `${KEPT_SERVICES} > 0`,
    for: '60m',
    summary: '{{ $value }} Services keep addresses that zone {{ $labels.zone }} would not give: {{ $labels.reason }}',
    says: [
      'Their zone shrank, went away or was closed to their namespace, or a system outside has the address for somebody else.',
      'They keep working, but what they hold is no longer planned for; their conditions ipam.vitistack.io/AddressReady name the addresses.',
    ],
  },
];

function remoteAlerts(): readonly AlertRow[] {
  return [
    {
      alert: 'IpamApiElsewhereAway',
      severity: 'critical',
      expr: `${REMOTE_AWAY} > 0`,
      for: '5m',
      summary: 'The IPAM-API elsewhere does not answer',
      says: [
        'Services keep their addresses, and new ones get none until it answers again.',
        'The log of the operator names the cause.',
      ],
    },
    {
      alert: 'IpamReleasesUnconfirmed',
      severity: 'warning',
      expr: `max(${metric('remote_intents', 'phase="leaving"')}) > 0`,
      for: '60m',
      summary: '{{ $value }} holders are gone, and the IPAM-API elsewhere has not confirmed it',
      says: ['Their addresses stay taken there.', 'The operator asks again by itself; its log names the cause.'],
    },
    {
      alert: 'IpamClustersSilent',
      severity: 'warning',
      expr: `${CLUSTERS_SILENT} > 0`,
      for: '15m',
      summary: '{{ $value }} clusters with claims are silent',
      says: [
        'Without a complete list of their Services nothing of theirs comes back by itself.',
        'Look at the operators of these clusters, or end the claims of a cluster that is gone.',
      ],
    },
  ];
}

function disputeAlerts(): readonly AlertRow[] {
  return [
    {
      alert: 'IpamApiElsewhereDiffers',
      severity: 'warning',
      expr: `max(${metric('remote_disputed')}) > 0`,
      for: '15m',
      summary: 'The IPAM-API elsewhere has {{ $value }} addresses of Services for somebody else',
      says: [
        'Mostly it came from an older backup and gave them away since.',
        'The Services keep them, so two may use one address; their conditions ipam.vitistack.io/AddressReady name who has it.',
      ],
    },
    {
      alert: 'IpamApiElsewhereForgot',
      severity: 'warning',
      expr: `${growth(metric('remote_checks_total', 'result="registered"'), '1h')} > 0`,
      for: '1m',
      summary: 'The IPAM-API elsewhere did not know {{ $value }} addresses of Services',
      says: [
        'They are registered there again.',
        'Mostly it came from an older backup: what other clusters had taken since may be missing there still.',
      ],
    },
  ];
}

function twinAlerts(): readonly AlertRow[] {
  return [
    {
      alert: 'IpamIdentityShared',
      severity: 'critical',
      expr: `${IDENTITY_SHARED} > 0`,
      for: '1m',
      summary: 'Another cluster goes by the identity of this one',
      says: [
        'Services of this cluster get no address and nothing of it is released, since nobody can tell whose it is.',
        'The log of the operator names the other cluster: give one of both a cluster id of its own, or shut it down.',
      ],
    },
  ];
}

function netBoxAlerts(): readonly AlertRow[] {
  const failed = growth(metric('netbox_refreshes_total', 'result="failed"'), '1h');
  const read = growth(metric('netbox_refreshes_total', 'result=~"ok|partial"'), '1h');
  return [
    {
      alert: 'IpamNetBoxUnread',
      severity: 'warning',
      expr: `${failed} > 0 unless ${read} > 0`,
      for: '15m',
      summary: 'The zones of NetBox cannot be read',
      says: [
        'The operator keeps the last good zones, and prefixes wait for their entry in NetBox.',
        'Its log names the cause ("NetBox").',
      ],
    },
    {
      alert: 'IpamNetBoxDiffers',
      severity: 'warning',
      expr: `${NETBOX_DIFFERENCES} > 0`,
      for: '60m',
      summary: '{{ $value }} prefixes differ between NetBox and the record: {{ $labels.kind }}',
      says: [
        'orphan: NetBox has a prefix of ours that nobody holds; missing: it lacks one;',
        'foreign: it has one of somebody else on an address that we gave.',
        'The log of the operator names them.',
      ],
    },
  ];
}

function eventAlerts(): readonly AlertRow[] {
  const unread = growth(metric('cleanup_connections_total', 'result!="opened"'), '15m');
  const opened = growth(metric('cleanup_connections_total', 'result="opened"'), '15m');
  return [
    {
      alert: 'IpamCleanupEventsUnread',
      severity: 'warning',
      expr: `${unread} > 0 unless ${opened} > 0`,
      for: '15m',
      summary: 'The stream of clean-up events cannot be read',
      says: ['Claims of clusters that are gone stay until it can.', 'The log of the operator names the cause.'],
    },
    {
      alert: 'IpamCleanupEventsFail',
      severity: 'warning',
      expr: `${growth(metric('cleanup_events_total', 'result=~"malformed|failed"'), '15m', ['result'])} > 0`,
      for: '5m',
      summary: 'Clean-up events are not worked off: {{ $labels.result }}',
      says: ['Claims of a cluster that is gone may stay.', 'The log of the operator names event and cause.'],
    },
    {
      alert: 'IpamLogEventsLost',
      severity: 'warning',
      expr: `${growth(metric('splunk_events_total', 'result=~"refused|dropped"'), '15m', ['result'])} > 0`,
      for: '5m',
      summary: 'Splunk lacks log events of the operator: {{ $labels.result }}',
      says: ['They are on the standard output of the Pod.', 'The log of the operator names the cause.'],
    },
  ];
}

/**
 * Lists the alerts about whom the operator asks and tells. Where one is not set up, its metrics are missing and nothing fires.
 *
 * @returns those of every related system, set up or not
 */
export function relatedSystemAlerts(): readonly AlertRow[] {
  return [...remoteAlerts(), ...disputeAlerts(), ...twinAlerts(), ...netBoxAlerts(), ...eventAlerts()];
}
