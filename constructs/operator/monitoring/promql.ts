import { exposedName, METRICS } from '../../../operator/contract/metrics';

/** Name of a metric of ours, without its prefix. */
type Name = keyof typeof METRICS;

/**
 * Writes a metric as PromQL reads it; a metric that the operator does not have fails to compile.
 *
 * @param name - without prefix; of a histogram its buckets are meant
 * @param selector - label matchers, without braces
 * @returns for example `ipam_refusals_total{reason="PoolExhausted"}`
 */
export function metric(name: Name, selector = ''): string {
  const bucket = METRICS[name].kind === 'histogram' ? '_bucket' : '';
  return `${exposedName(name)}${bucket}${selector === '' ? '' : `{${selector}}`}`;
}

/**
 * Writes how much a counter grew, over all Pods.
 *
 * @param of - counter, from {@link metric}
 * @param over - span of time, for example `15m`
 * @param by - labels that are kept
 * @returns an expression; it gives nothing while the counter does not exist
 */
export function growth(of: string, over: string, by: readonly string[] = []): string {
  return `sum${by.length === 0 ? '' : ` by (${by.join(', ')})`} (increase(${of}[${over}]))`;
}

/**
 * Writes how much a counter grows in a second, over all Pods.
 *
 * @param of - counter, from {@link metric}
 * @param over - span of time, for example `5m`
 * @param by - labels that are kept
 * @returns an expression; it gives nothing while the counter does not exist
 */
export function perSecond(of: string, over: string, by: readonly string[] = []): string {
  return `sum${by.length === 0 ? '' : ` by (${by.join(', ')})`} (rate(${of}[${over}]))`;
}

/**
 * Writes a quantile of a histogram, over all Pods.
 *
 * @param quantile - 0 to 1
 * @param name - of the histogram
 * @param by - labels that are kept
 * @returns an expression in the unit of the histogram
 */
export function quantile(quantile: number, name: Name, by: readonly string[] = []): string {
  const labels = ['le', ...by].join(', ');
  return `histogram_quantile(${quantile}, sum by (${labels}) (rate(${metric(name)}[5m])))`;
}

// Every Pod shows the same store, so the highest of their numbers is the number.
const addresses = (selector = ''): string =>
  `sum by (zone, family) (max by (zone, family, state) (${metric('zone_addresses', selector)}))`;

/** Addresses of each zone and family that no other claimant can have. */
export const USED_ADDRESSES = addresses('state!="free"');
/** Addresses of each zone and family that may be given out. */
export const FREE_ADDRESSES = addresses('state="free"');
/** Share of them that is in use, 0 to 100. */
export const USED_PERCENT = `100 * ${USED_ADDRESSES} / ${addresses()}`;
/** Stored Services without an address, by reason; only the Pod that leads counts them. */
export const WAITING_SERVICES = `max by (reason) (${metric('services_waiting')})`;
/** Stored Services that keep what their zone would not give them today; only the Pod that leads counts them. */
export const KEPT_SERVICES = `max by (zone, reason) (${metric('services_kept')})`;
/** Stored Services that show an address which the record does not grant them; only the Pod that leads counts them. */
export const CONTESTED_SERVICES = `max(${metric('services_contested')})`;
/** Services that have addresses which nothing announces; only the Pod that leads counts them. What is about to show is left out. */
export const UNANNOUNCED_SERVICES = `max by (zone, reason) (${metric('services_unannounced', 'reason!="Announcing"')})`;
/** Zones that differ from the MetalLB pool of their name; every Pod compares the same. */
export const POOL_MISMATCHES = `max by (zone, kind) (${metric('zone_pool_mismatch')})`;
/** Zones with addresses that the MetalLB pool of their name does not hold; every Pod compares the same. */
export const NARROW_POOLS = `max by (zone) (${metric('zone_pool_mismatch', 'kind="narrower"')})`;
/** Clusters of whose Services nothing complete is known; every Pod reads the same record. */
export const CLUSTERS_SILENT = `max(${metric('clusters_silent')})`;
/** Differences at the newest comparison, which the Pod that leads makes. */
export const NETBOX_DIFFERENCES = `max by (kind) (${metric('netbox_differences')})`;
/** 1 while the IPAM-API elsewhere does not answer. */
export const REMOTE_AWAY = `max(${metric('remote_away')})`;
/** 1 while another cluster whose claims stand under the identity of this one is silent. */
export const IDENTITY_SILENT = `max(${metric('identity_silent')})`;
/** Processes of each version. */
export const BUILDS = `count by (version) (${metric('build_info')})`;
/** 1 while another cluster on the same record goes by the identity of this one. */
export const IDENTITY_SHARED = `max(${metric('identity_shared')})`;

// Only the Pod that leads tells them; the others have none.
const vips = (selector = ''): string =>
  `sum by (group, family) (max by (group, family, state) (${metric('vip_group_addresses', selector)}))`;

/** Addresses of each IPGroup and family that may be given out. */
export const FREE_VIPS = vips('state="free"');
/** Share of an IPGroup that is in use, 0 to 100; nothing for one without capacity. */
export const USED_VIPS_PERCENT = `100 * ${vips('state!="free"')} / (${vips()} > 0)`;
/** IPGroups that do not give what their spec says, by reason. */
export const UNREADY_GROUPS = `max by (reason) (${metric('vip_groups_unready')})`;
/** VirtualIPs by how far their migration is. */
export const MIGRATIONS = `max by (stage) (${metric('vip_migrations')})`;
/** VirtualIPs whose migration does not go on by itself. */
export const HALTED_MIGRATIONS = `max(${metric('vip_migrations')}{stage="halted"})`;
/** Services that wait for an address of an IPGroup, by reason. */
export const WAITING_VIPS = `max by (reason) (${metric('vip_services_waiting')})`;

/** IPAddressClaims of our pools that wait, by reason. */
export const WAITING_CLAIMS = `max by (reason) (${metric('cluster_api_claims_waiting')})`;

// Only the Pod that leads tells them; the others have none. One address alone, as a loopback, is always in use.
const ofPrefixes = (selector: string): string =>
  `sum by (instance, prefix) (max by (instance, prefix, state) (${metric('network_prefix_addresses', selector)}))`;

/** Addresses of each IPPrefix that may be given out. */
export const FREE_IN_PREFIXES = ofPrefixes('state="free"');
/** Share of an IPPrefix that is in use, 0 to 100; nothing for one of a single address. */
export const USED_PREFIX_PERCENT = `100 * ${ofPrefixes('state="used"')} / (${ofPrefixes('state=~"used|free"')} > 1)`;
/** IPPrefixes and IPAllocations that wait, by reason. */
export const WAITING_NETWORKS = `max by (reason) (${metric('network_waiting')})`;
/** IPAllocations for which nothing is free. */
export const EXHAUSTED_NETWORKS = `max(${metric('network_waiting', 'reason="PoolExhausted"')})`;
/** Entries on record of each NetworkInstance. */
export const NETWORK_ENTRIES = `max by (instance) (${metric('network_entries')})`;

/** Namespaces that wait for egress addresses, by reason. */
export const WAITING_EGRESS = `max by (reason) (${metric('egress_namespaces_waiting')})`;
/** Namespaces for which no egress address is free. */
export const EXHAUSTED_EGRESS = `max(${metric('egress_namespaces_waiting', 'reason="PoolExhausted"')})`;

// Only the Pod that leads tells them; the others have none.
const ofPools = (selector: string): string =>
  `max by (egressipam, cidr) (${metric('egressip_pool_addresses', selector)})`;

/** Addresses of each CIDR of an EgressIPAM by state. */
export const EGRESS_ADDRESSES = `max by (egressipam, cidr, state) (${metric('egressip_pool_addresses', 'state!="total"')})`;
/** Share of the addresses of a CIDR that are in use, 0 to 100, of those that can be given at all; nothing for a CIDR without one. */
export const USED_EGRESS_PERCENT = `100 * ${ofPools('state="used"')} / (${ofPools('state="total"')} - ${ofPools('state="reserved"')} > 0)`;
/** Addresses of a CIDR that can be given now. */
export const FREE_EGRESS = ofPools('state="free"');
/** Addresses that each node can carry, its primary one included; absent where that is unknown or unlimited. */
export const NODE_CAPACITY = `max by (egressipam, node) (${metric('egressip_ip_capacity')})`;
/** Addresses that each node carries, its primary one included. */
export const NODE_ADDRESSES = `max by (egressipam, node) (${metric('egressip_ip_allocated')})`;
/** Share of the addresses that a node can carry, 0 to 1; nothing for a node of unknown, unlimited or no capacity. */
export const NODE_UTILIZATION = `${NODE_ADDRESSES} / (${NODE_CAPACITY} > 0)`;
/** Egress addresses on no usable node, by CIDR. */
export const UNPLACED_EGRESS = `max by (egressipam, cidr) (${metric('egressip_ip_unplaced')})`;
/** Nodes of which the dataplane does not tell how many addresses they can carry. */
export const UNKNOWN_NODES = `max by (egressipam, node) (${metric('egressip_capacity_unknown')})`;
/** Dataplanes that carry addresses of EgressIPAMs. */
export const EGRESS_DATAPLANES = `max by (dataplane) (${metric('egressip_dataplane_info')})`;
/** EgressIPAMs with the condition ReconcileError. */
export const FAILING_EGRESS = `max by (egressipam) (${metric('egressip_reconcile_failed')})`;

const egressNamespaces = (selector = ''): string =>
  `max by (egressipam, state) (${metric('egressip_namespaces', selector)})`;

/** Namespaces of each EgressIPAM by state. */
export const EGRESS_NAMESPACES = egressNamespaces();
/** Namespaces whose list of addresses is wrong. */
export const INVALID_EGRESS = egressNamespaces('state="invalid"');
