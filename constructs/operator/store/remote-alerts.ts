import type { AlertRow } from '../monitoring/alert';
import { CLUSTERS_SILENT, growth, IDENTITY_SHARED, IDENTITY_SILENT, metric, REMOTE_AWAY } from '../monitoring/promql';

function callAlerts(): readonly AlertRow[] {
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
      summary: 'The remote IPAM-API has {{ $value }} addresses of Services for another owner',
      says: [
        'Mostly it came from an older backup and gave them away since.',
        'The Services keep them, so two may use one address; their conditions ipam.vitistack.io/AddressReady name the owner.',
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

function identityAlerts(): readonly AlertRow[] {
  return [
    {
      alert: 'IpamIdentityShared',
      severity: 'critical',
      expr: `${IDENTITY_SHARED} > 0`,
      for: '1m',
      summary: 'Another cluster goes by the identity of this one',
      says: [
        'Services of this cluster get no address and nothing of it is released, since it is uncertain which cluster has its addresses.',
        'The log of the operator names the other cluster: give one of both a cluster id of its own, or shut it down.',
      ],
    },
    {
      alert: 'IpamSilentCluster',
      severity: 'critical',
      expr: `${IDENTITY_SILENT} > 0`,
      for: '1m',
      summary: 'A silent cluster has claims under the identity of this one',
      says: [
        'Its operator gives no sign of life, but its Services may show their addresses still, so its claims are never ended by time.',
        'Services of this cluster get no address meanwhile: give it a cluster id of its own,',
        'or, where the other cluster is gone for good, run "ipam cluster forget UID" with the UID that the log names.',
      ],
    },
  ];
}

/**
 * Lists the alerts about a record that several clusters share. Where one is not shared, its metrics are missing and nothing fires.
 *
 * @returns those of the IPAM-API elsewhere first
 */
export function remoteAlerts(): readonly AlertRow[] {
  return [...callAlerts(), ...disputeAlerts(), ...identityAlerts()];
}
