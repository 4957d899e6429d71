import type { Alert } from './alert';
import {
  CLUSTERS_SILENT,
  growth,
  IDENTITY_SHARED,
  KEPT_SERVICES,
  metric,
  NETBOX_DIFFERENCES,
  REMOTE_AWAY,
} from './promql';

const warning = { severity: 'warning' } as const;
const critical = { severity: 'critical' } as const;

/** Alerts about Services that keep what their zone would not give them today. */
export const KEPT_ALERTS: readonly Alert[] = [
  {
    alert: 'IpamServicesKept',
    expr: `${KEPT_SERVICES} > 0`,
    for: '60m',
    labels: warning,
    annotations: {
      summary: '{{ $value }} Services keep addresses that zone {{ $labels.zone }} would not give: {{ $labels.reason }}',
      description:
        'Their zone shrank, went away or was closed to their namespace, or a system outside has the address for somebody else. They keep working, but what they hold is no longer planned for; their conditions ipam.vitistack.io/AddressReady name the addresses.',
    },
  },
];

function remoteAlerts(): readonly Alert[] {
  return [
    {
      alert: 'IpamApiElsewhereAway',
      expr: `${REMOTE_AWAY} > 0`,
      for: '5m',
      labels: critical,
      annotations: {
        summary: 'The IPAM-API elsewhere does not answer',
        description:
          'Services keep their addresses, and new ones get none until it answers again. The log of the operator names the cause.',
      },
    },
    {
      alert: 'IpamReleasesUnconfirmed',
      expr: `max(${metric('remote_intents', 'phase="leaving"')}) > 0`,
      for: '60m',
      labels: warning,
      annotations: {
        summary: '{{ $value }} holders are gone, and the IPAM-API elsewhere has not confirmed it',
        description: 'Their addresses stay taken there. The operator asks again by itself; its log names the cause.',
      },
    },
    {
      alert: 'IpamClustersSilent',
      expr: `${CLUSTERS_SILENT} > 0`,
      for: '15m',
      labels: warning,
      annotations: {
        summary: '{{ $value }} clusters with claims are silent',
        description:
          'Without a complete list of their Services nothing of theirs comes back by itself. Look at the operators of these clusters, or end the claims of a cluster that is gone.',
      },
    },
  ];
}

function disputeAlerts(): readonly Alert[] {
  return [
    {
      alert: 'IpamApiElsewhereDiffers',
      expr: `max(${metric('remote_disputed')}) > 0`,
      for: '15m',
      labels: warning,
      annotations: {
        summary: 'The IPAM-API elsewhere has {{ $value }} addresses of Services for somebody else',
        description:
          'Mostly it came from an older backup and gave them away since. The Services keep them, so two may use one address; their conditions ipam.vitistack.io/AddressReady name who has it.',
      },
    },
    {
      alert: 'IpamApiElsewhereForgot',
      expr: `${growth(metric('remote_checks_total', 'result="registered"'), '1h')} > 0`,
      for: '1m',
      labels: warning,
      annotations: {
        summary: 'The IPAM-API elsewhere did not know {{ $value }} addresses of Services',
        description:
          'They are registered there again. Mostly it came from an older backup: what other clusters had taken since may be missing there still.',
      },
    },
  ];
}

function twinAlerts(): readonly Alert[] {
  return [
    {
      alert: 'IpamIdentityShared',
      expr: `${IDENTITY_SHARED} > 0`,
      for: '1m',
      labels: critical,
      annotations: {
        summary: 'Another cluster goes by the identity of this one',
        description:
          'Services of this cluster get no address and nothing of it is released, since nobody can tell whose it is. The log of the operator names the other cluster: give one of both a cluster id of its own, or shut it down.',
      },
    },
  ];
}

function netBoxAlerts(): readonly Alert[] {
  const failed = growth(metric('netbox_refreshes_total', 'result="failed"'), '1h');
  const read = growth(metric('netbox_refreshes_total', 'result=~"ok|partial"'), '1h');
  return [
    {
      alert: 'IpamNetBoxUnread',
      expr: `${failed} > 0 unless ${read} > 0`,
      for: '15m',
      labels: warning,
      annotations: {
        summary: 'The zones of NetBox cannot be read',
        description:
          'The operator keeps the last good zones, and prefixes wait for their entry in NetBox. Its log names the cause ("NetBox").',
      },
    },
    {
      alert: 'IpamNetBoxDiffers',
      expr: `${NETBOX_DIFFERENCES} > 0`,
      for: '60m',
      labels: warning,
      annotations: {
        summary: '{{ $value }} prefixes differ between NetBox and the record: {{ $labels.kind }}',
        description:
          'orphan: NetBox has a prefix of ours that nobody holds; missing: it lacks one; foreign: it has one of somebody else on an address that we gave. The log of the operator names them.',
      },
    },
  ];
}

function eventAlerts(): readonly Alert[] {
  const unread = growth(metric('cleanup_connections_total', 'result!="opened"'), '15m');
  const opened = growth(metric('cleanup_connections_total', 'result="opened"'), '15m');
  return [
    {
      alert: 'IpamCleanupEventsUnread',
      expr: `${unread} > 0 unless ${opened} > 0`,
      for: '15m',
      labels: warning,
      annotations: {
        summary: 'The stream of clean-up events cannot be read',
        description: 'Claims of clusters that are gone stay until it can. The log of the operator names the cause.',
      },
    },
    {
      alert: 'IpamCleanupEventsFail',
      expr: `${growth(metric('cleanup_events_total', 'result=~"malformed|failed"'), '15m', ['result'])} > 0`,
      for: '5m',
      labels: warning,
      annotations: {
        summary: 'Clean-up events are not worked off: {{ $labels.result }}',
        description: 'Claims of a cluster that is gone may stay. The log of the operator names event and cause.',
      },
    },
    {
      alert: 'IpamLogEventsLost',
      expr: `${growth(metric('splunk_events_total', 'result=~"refused|dropped"'), '15m', ['result'])} > 0`,
      for: '5m',
      labels: warning,
      annotations: {
        summary: 'Splunk lacks log events of the operator: {{ $labels.result }}',
        description: 'They are on the standard output of the Pod. The log of the operator names the cause.',
      },
    },
  ];
}

/**
 * Lists the alerts about whom the operator asks and tells. Where one is not set up, its metrics are missing and nothing fires.
 *
 * @returns those of every neighbour, set up or not
 */
export function neighbourAlerts(): readonly Alert[] {
  return [...remoteAlerts(), ...disputeAlerts(), ...twinAlerts(), ...netBoxAlerts(), ...eventAlerts()];
}
