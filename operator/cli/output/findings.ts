import { SILENT_MS } from '../../contract/durations';
import type { ClaimAnswer, ZoneAnswer } from '../../contract/ipam-api/v3/answers';
import type { DoorFindings } from '../../contract/ipam-api/door-pages';
import type { AnswerBody } from '../../contract/ipam-api/v3/operations';
import { isMap } from '../../contract/loose-json';

/** One thing that was looked at. */
export interface Finding {
  /** `bad`: it has to be mended; `watch`: may become bad, or is meant so. */
  readonly verdict: 'ok' | 'watch' | 'bad';
  readonly check: string;
  readonly finding: string;
}

type Clusters = AnswerBody<'listClusters'>['entries'];

/** Answers of the record of zones. */
export interface RecordSymptoms {
  readonly zones: readonly ZoneAnswer[];
  /** Absent where the record keeps no reports of clusters. */
  readonly clusters?: Clusters;
  /** Claims in state `reserved`. */
  readonly reserved: readonly Pick<ClaimAnswer, 'service' | 'stale' | 'until'>[];
}

/** Everything that is judged; the answers of the record are absent where the operator keeps none. */
export interface Symptoms extends Partial<RecordSymptoms> {
  readonly nowMs: number;
  /** Body of `/readyz`. */
  readonly readiness?: string;
  /** Text of `/metrics`. */
  readonly metrics?: string;
  /** Of the doors whose claims are objects of the cluster; absent where the operator is elsewhere. */
  readonly doors?: readonly DoorFindings[];
}

/** Part of a zone below which free addresses are few, as a divisor. */
const FEW = 10n;

/**
 * Judges what a server tells of itself.
 *
 * @param symptoms - its answers
 * @returns findings, one at least for each check that was possible
 */
export function findings(symptoms: Symptoms): readonly Finding[] {
  const { readiness, metrics, doors = [] } = symptoms;
  return [
    ...(readiness === undefined ? [skipped('readiness')] : readinessOf(readiness)),
    ...recordFindings(symptoms),
    ...doors.flatMap(({ check, well, findings: found }) => allOr(found, { check, finding: well })),
    ...(metrics === undefined ? [skipped('metrics')] : metricFindings(metrics, doors)),
  ];
}

function recordFindings({ zones, clusters, reserved = [], nowMs }: Symptoms): readonly Finding[] {
  if (zones === undefined) return [];
  return [
    ...allOr(zones.flatMap(zoneFindings), { check: 'zones', finding: `${zones.length} zones have free addresses` }),
    ...(clusters === undefined
      ? [
          {
            verdict: 'watch' as const,
            check: 'clusters',
            finding: 'not looked at, since the record keeps no reports of them',
          },
        ]
      : allOr(
          clusters.flatMap((cluster) => clusterFindings(cluster, { reserved, nowMs })),
          { check: 'clusters', finding: `${clusters.length} clusters report or need not` },
        )),
  ];
}

function allOr(some: readonly Finding[], good: Omit<Finding, 'verdict'>): readonly Finding[] {
  return some.length > 0 ? some : [{ verdict: 'ok', ...good }];
}

function skipped(check: string): Finding {
  return { verdict: 'watch', check, finding: 'not looked at, since this server does not show it here' };
}

function readinessOf(text: string): readonly Finding[] {
  const checks = checksOf(text);
  if (checks === undefined) return [{ verdict: 'bad', check: 'readiness', finding: 'the answer cannot be read' }];
  return checks.map(({ name, problem }) => ({
    verdict: problem === undefined ? 'ok' : 'bad',
    check: name,
    finding: problem ?? 'well',
  }));
}

function checksOf(text: string): readonly { readonly name: string; readonly problem?: string }[] | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const checks = isMap(body) ? body['checks'] : undefined;
    return Array.isArray(checks) ? (checks as readonly { readonly name: string }[]) : undefined;
  } catch {
    return undefined;
  }
}

function zoneFindings(zone: ZoneAnswer): readonly Finding[] {
  const check = `zone ${zone.name}`;
  const found: Finding[] = [];
  if (!zone.present) found.push({ verdict: 'watch', check, finding: 'is gone from the document, but has holders' });
  if (zone.draining) found.push({ verdict: 'watch', check, finding: 'gives nothing new' });
  for (const { family, free, capacity, outside } of zone.usage) {
    if (outside !== '0')
      found.push({ verdict: 'watch', check, finding: `${outside} ${family} addresses lie outside of it now` });
    if (!zone.present || zone.draining || capacity === '0') continue;
    const few = BigInt(free) * FEW < BigInt(capacity);
    if (BigInt(free) <= 0n) found.push({ verdict: 'bad', check, finding: `has no free ${family} address` });
    else if (few)
      found.push({ verdict: 'watch', check, finding: `has ${free} of ${capacity} ${family} addresses free` });
  }
  return found;
}

function clusterFindings(
  { clusterUid, name, claims, reportedAt }: Clusters[number],
  { reserved, nowMs }: Pick<RecordSymptoms, 'reserved'> & Pick<Symptoms, 'nowMs'>,
): readonly Finding[] {
  const stale = reserved.filter((claim) => claim.stale && claim.service.clusterUid === clusterUid).length;
  const isSilent = reportedAt === undefined ? stale > 0 : nowMs - Date.parse(reportedAt) > SILENT_MS;
  // one that never reported and reserves nothing speaks version 2, which knows no report
  if (!isSilent || claims === 0) return [];
  const label = name === '' ? clusterUid : `${name} (${clusterUid})`;
  const since = reportedAt === undefined ? 'has never reported' : `has not reported since ${reportedAt}`;
  const kept = stale === 0 ? '' : `, so ${stale} reservations whose time is up stay (stale)`;
  const finding = `holds ${claims} claims and ${since}${kept}; end them with delete-cluster if it is gone`;
  return [{ verdict: 'watch', check: `cluster ${label}`, finding }];
}

/** A metric that tells of trouble while it is above 0. */
interface Trouble {
  readonly metric: string;
  readonly check: string;
  readonly verdict: 'watch' | 'bad';
  /** Labels that the sample must have; absent: any. */
  readonly with?: RegExp;
}

/** Metrics that the doctor reads. */
const TROUBLE: readonly Trouble[] = [
  { metric: 'ipam_services_waiting', check: 'waiting Services', verdict: 'bad' },
  {
    metric: 'ipam_services_unannounced',
    check: 'Services not announced',
    verdict: 'bad',
    with: /reason="(?!Announcing")/u,
  },
  { metric: 'ipam_zone_pool_mismatch', check: 'zone and MetalLB pool', verdict: 'bad', with: /kind="narrower"/u },
  { metric: 'ipam_zone_pool_mismatch', check: 'zone and MetalLB pool', verdict: 'watch', with: /kind="(?!narrower)/u },
  { metric: 'ipam_claims_met', check: 'claims at addresses that something else shows', verdict: 'bad' },
  { metric: 'ipam_external_ips_ignored', check: 'spec.externalIPs that do not count', verdict: 'watch' },
  { metric: 'ipam_vip_services_waiting', check: 'waiting Services of IPGroups', verdict: 'bad' },
  { metric: 'ipam_vip_migrations', check: 'halted migrations', verdict: 'bad', with: /stage="halted"/u },
  { metric: 'ipam_vip_groups_unready', check: 'IPGroups that are not ready', verdict: 'bad' },
  { metric: 'ipam_network_waiting', check: 'waiting IPPrefixes and IPAllocations', verdict: 'bad' },
  { metric: 'ipam_egress_namespaces_waiting', check: 'waiting namespaces of EgressIPAMs', verdict: 'bad' },
  { metric: 'ipam_cluster_api_claims_waiting', check: 'waiting IPAddressClaims', verdict: 'bad' },
  { metric: 'ipam_netbox_differences', check: 'differences to NetBox', verdict: 'watch' },
  { metric: 'ipam_splunk_failures_total', check: 'Splunk', verdict: 'watch' },
];

// A door names its objects itself, and in every Pod; its metrics only count them, in the one that leads.
function metricFindings(text: string, doors: readonly DoorFindings[]): readonly Finding[] {
  const samples = text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(\{.*\})? (\S+)$/u.exec(line) ?? [];
    if (doors.some(({ counted }) => name.startsWith(counted))) return [];
    return Number(value) > 0 ? [{ name, labels, value }] : [];
  });
  const found = TROUBLE.flatMap(({ metric, check, verdict, with: labelled }) =>
    samples
      .filter(({ name, labels }) => name === metric && labelled?.test(labels) !== false)
      .map(({ labels, value }) => ({ verdict, check, finding: `${value} ${labels}`.trim() })),
  );
  return allOr(found, { check: 'metrics', finding: 'no Service waits' });
}
