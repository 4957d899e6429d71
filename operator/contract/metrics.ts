/** Prefix of metrics in the exposition. */
const METRIC_PREFIX = 'ipam_';

/** Metrics of the older egress operator, and those beside them, keep its prefix, so that its dashboards go on working. */
const EGRESS_PREFIX = 'egressip_';

/**
 * Names a metric as the exposition does.
 *
 * @param name - key of {@link METRICS}
 * @returns the name with its prefix
 */
export const exposedName = (name: keyof typeof METRICS): string =>
  name.startsWith(EGRESS_PREFIX) ? name : METRIC_PREFIX + name;

/** Kind, labels and help of each metric; the exposition, the docs, the alerts and the dashboard are made from it. */
export const METRICS = {
  admission_requests_total: {
    kind: 'counter',
    labels: ['path', 'operation', 'verdict', 'reason'],
    help: 'Admission reviews answered',
  },
  admission_duration_seconds: { kind: 'histogram', labels: ['path'], help: 'Time to answer an admission review' },
  admission_deadlines_total: {
    kind: 'counter',
    labels: ['awaited'],
    help: 'Reviews that ended at their deadline, by what was waited for (store, postgres, ipam-api, netbox, api-server, metallb-pool, reservations)',
  },
  api_requests_total: { kind: 'counter', labels: ['route', 'method', 'status'], help: 'IPAM-API requests answered' },
  api_duration_seconds: { kind: 'histogram', labels: ['route', 'method'], help: 'Time to answer an IPAM-API request' },
  connections_cut_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Connections that a listener cut, by reason (limit, handshake)',
  },
  request_body_bytes: {
    kind: 'gauge',
    labels: ['listener'],
    help: 'Bytes of request bodies in memory whose requests are not answered yet, by listener (webhooks, ipamApi, metrics, adminSocket, probes)',
  },
  refusals_total: { kind: 'counter', labels: ['reason'], help: 'Refusals by bounded reason' },
  zone_addresses: {
    kind: 'gauge',
    labels: ['zone', 'family', 'state'],
    help: 'Addresses of a zone by state (held, quarantined, foreign, free); foreign: in use without a claim; a state that the record does not count has no sample',
  },
  occupied_addresses: {
    kind: 'gauge',
    labels: ['weight'],
    help: 'Addresses that the cluster shows without a claim, by weight (occupied: never given out, avoided: given out last)',
  },
  external_ips_ignored: {
    kind: 'gauge',
    labels: ['namespace'],
    help: 'Addresses in spec.externalIPs of a namespace that do not count, since it names more than 64',
  },
  claims_met: {
    kind: 'gauge',
    labels: [],
    help: 'Claims of the cluster at addresses that something else shows as well',
  },
  zone_claims: {
    kind: 'gauge',
    labels: ['zone', 'family', 'state'],
    help: 'Held addresses of a zone by the strongest state of their holders (reserved, bound, retained, contested); a state that the record does not count has no sample',
  },
  clusters_silent: {
    kind: 'gauge',
    labels: [],
    help: 'Clusters with claims whose last report is older than a quarter of an hour, or that never reported and keep reservations whose time is up',
  },
  cleanup_events_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Clean-up events, by result (done, waiting, refused, repeated, malformed, failed)',
  },
  cleanup_connections_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Connections to the stream of clean-up events, by result (opened, refused, failed)',
  },
  splunk_events_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Log events for Splunk, by result (sent, refused, dropped)',
  },
  splunk_failures_total: { kind: 'counter', labels: [], help: 'Batches of log events that Splunk did not take' },
  store_groups_total: { kind: 'counter', labels: [], help: 'Groups of requests that the store served together' },
  store_group_size: { kind: 'histogram', labels: [], help: 'Requests in one group' },
  store_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes of the store of claims: its file with the write-ahead log, or its tables with their indexes',
  },
  reservations_swept_total: { kind: 'counter', labels: [], help: 'Reservations that came back by the sweep' },
  sweeps_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Sweeps for reservations without a stored object, by result (completed, failed)',
  },
  certificate_reloads_total: { kind: 'counter', labels: ['result'], help: 'Serving certificate reloads' },
  zones_reloads_total: { kind: 'counter', labels: ['result'], help: 'Zone document reloads' },
  queue_depth: { kind: 'gauge', labels: ['queue'], help: 'Objects that wait for a look' },
  queue_retries_total: { kind: 'counter', labels: ['queue'], help: 'Objects whose look failed and comes again' },
  queue_work_seconds: {
    kind: 'histogram',
    labels: ['queue', 'result'],
    help: 'Time of one look, by result (ok, failed)',
  },
  build_info: {
    kind: 'gauge',
    labels: ['version', 'node'],
    help: '1, with the version of the operator and that of Node.js that it runs on',
  },
  leading: { kind: 'gauge', labels: [], help: '1 while this process is the leader' },
  identity_shared: {
    kind: 'gauge',
    labels: [],
    help: '1 while another cluster goes by the identity of this one, and nothing of it is given or released',
  },
  identity_silent: {
    kind: 'gauge',
    labels: [],
    help: '1 while another cluster whose claims stand under the identity of this one gives no sign of life; they wait for ipam cluster forget',
  },
  cluster_requests_total: {
    kind: 'counter',
    labels: ['method', 'status'],
    help: 'Requests to the API server, retries included; status is 0 when no answer came',
  },
  watch_lists_total: {
    kind: 'counter',
    labels: ['resource', 'result'],
    help: 'Complete lists of a watched resource, by result (ok, failed, expired)',
  },
  watch_ends_total: {
    kind: 'counter',
    labels: ['resource', 'reason'],
    help: 'Ends of a watch, by reason (closed, expired, refused, error-event, broken)',
  },
  watch_listener_failures_total: {
    kind: 'counter',
    labels: ['resource'],
    help: 'Changes whose listener threw',
  },
  services_waiting: { kind: 'gauge', labels: ['reason'], help: 'Stored Services that wait for an address, by reason' },
  services_kept: {
    kind: 'gauge',
    labels: ['zone', 'reason'],
    help: 'Stored Services that keep addresses which their zone would not give them today, by reason (shrunk, gone, closed to their namespace, claimed by another owner in the external IPAM)',
  },
  services_contested: {
    kind: 'gauge',
    labels: [],
    help: 'Stored Services that show an address which the record does not grant them',
  },
  services_unannounced: {
    kind: 'gauge',
    labels: ['zone', 'reason'],
    help: 'Stored Services that have addresses which their status does not show, by reason (Announcing, NotAnnounced, NoAnnouncer, ForeignAddress)',
  },
  zone_pool_mismatch: {
    kind: 'gauge',
    labels: ['zone', 'kind'],
    help: '1 while a zone and the MetalLB pool of its name differ, by kind (missing, narrower, wider: the pool beside its zone)',
  },
  service_repairs_total: {
    kind: 'counter',
    labels: [],
    help: 'Stored Services whose keys were put back from the record',
  },
  netbox_requests_total: {
    kind: 'counter',
    labels: ['method', 'result'],
    help: 'Calls of NetBox, by result (ok, absent, full, refused, login, limited, unavailable)',
  },
  netbox_refreshes_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Readings of the zones in NetBox, by result (ok, partial, failed); partial: the last good list of some zones stays',
  },
  netbox_changes_total: {
    kind: 'counter',
    labels: ['change', 'result'],
    help: 'Host prefixes that NetBox was to get or lose, by change (create, delete) and result (done, failed, foreign)',
  },
  netbox_differences: {
    kind: 'gauge',
    labels: ['kind'],
    help: 'Differences between NetBox and the record at the newest comparison, by kind (orphan, missing, foreign)',
  },
  services_adopted_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Addresses of stored Services that were not on record, by result (adopted, refused)',
  },
  late_bindings_total: {
    kind: 'counter',
    labels: ['by'],
    help: 'Addresses that were not bound a second after their Service was stored, by the process that bound them then (leader, other)',
  },
  remote_calls_total: {
    kind: 'counter',
    labels: ['operation', 'result'],
    help: 'Calls of version 2 of a remote IPAM-API, by result (done, refused, or failed as unsent, cut, running)',
  },
  remote_checks_total: {
    kind: 'counter',
    labels: ['result'],
    help: 'Checks whether a remote IPAM-API of version 2 still knows an address, by result (known, registered again, foreign, failed)',
  },
  remote_disputed: {
    kind: 'gauge',
    labels: [],
    help: 'Addresses of Services that a remote IPAM-API of version 2 has for another owner',
  },
  remote_away: { kind: 'gauge', labels: [], help: '1 while the remote IPAM-API counts as away' },
  remote_intents: {
    kind: 'gauge',
    labels: ['phase'],
    help: 'Holders on record here, by phase (held, asking, leaving: its release is not confirmed yet)',
  },
  vip_group_addresses: {
    kind: 'gauge',
    labels: ['group', 'family', 'state'],
    help: 'Addresses of an IPGroup by state (allocated, quarantined, foreign, free), which make up its capacity; groups beyond 256 are one, _other; the process that leads tells them',
  },
  vip_groups_unready: {
    kind: 'gauge',
    labels: ['reason'],
    help: 'IPGroups that do not give what their spec says, by reason (InvalidGroup, Conflict, HoldersOutside)',
  },
  vip_services_waiting: {
    kind: 'gauge',
    labels: ['reason'],
    help: 'Services that wait for an address of an IPGroup, by the reason of their condition',
  },
  vip_refusals_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Services that were told to wait for an address of an IPGroup, by the reason of their condition',
  },
  vip_repairs_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Differences between IPs and Services that were mended, by kind (restored: a shown address came back on record, released: an IP named a Service that is gone)',
  },
  vip_migrations: {
    kind: 'gauge',
    labels: ['stage'],
    help: 'VirtualIPs of the older operator by how far their migration is (waiting: none is ordered, running, halted: with an error, migrated); the process that leads tells them',
  },
  cluster_api_claims_waiting: {
    kind: 'gauge',
    labels: ['reason'],
    help: 'IPAddressClaims of our pools that are not ready, by the reason of their condition Ready (PoolExhausted, PoolNotReady, AllocationFailed, Other)',
  },
  network_prefix_addresses: {
    kind: 'gauge',
    labels: ['instance', 'prefix', 'family', 'state'],
    help: 'Addresses of an IPPrefix by state (used, excluded, free); IPPrefixes beyond 256 are left out; the process that leads tells them',
  },
  network_entries: {
    kind: 'gauge',
    labels: ['instance'],
    help: 'Entries on record of a NetworkInstance; instances beyond 64 are left out; the process that leads tells them',
  },
  network_waiting: {
    kind: 'gauge',
    labels: ['reason'],
    help: 'IPPrefixes and IPAllocations that wait, by the reason of their condition Accepted',
  },
  network_refusals_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'IPPrefixes and IPAllocations that were told to wait, by the reason of their condition Accepted',
  },
  network_repairs_total: {
    kind: 'counter',
    labels: ['kind'],
    help: 'Differences between record and objects that were mended, by kind (released: an entry named an object that is gone, rebound: its object was made anew, restored: what an object shows came back on record)',
  },
  egress_namespaces_waiting: {
    kind: 'gauge',
    labels: ['reason'],
    help: 'Namespaces that opted in to an EgressIPAM and do not have what they ask for, by reason',
  },
  egress_refusals_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Namespaces that were told why they do not have the egress addresses that they ask for, by reason',
  },
  egressip_ip_capacity: {
    kind: 'gauge',
    labels: ['egressipam', 'node'],
    help: 'Addresses that a node of an EgressIPAM can carry, its primary one included; absent where that is unknown or unlimited; EgressIPAMs and nodes beyond 256 are left out; the process that leads tells them',
  },
  egressip_ip_allocated: {
    kind: 'gauge',
    labels: ['egressipam', 'node'],
    help: 'Addresses that a node of an EgressIPAM carries, whatever they are for, its primary one included',
  },
  egressip_capacity_unknown: {
    kind: 'gauge',
    labels: ['egressipam', 'node'],
    help: '1 for a node of which the dataplane does not tell how many addresses it can carry; it carries none',
  },
  egressip_ip_unplaced: {
    kind: 'gauge',
    labels: ['egressipam', 'cidr'],
    help: 'Addresses of namespaces that are on no usable node, by CIDR',
  },
  egressip_pool_addresses: {
    kind: 'gauge',
    labels: ['egressipam', 'cidr', 'state'],
    help: 'Addresses of a CIDR of an EgressIPAM by state (total, used, quarantined, reserved, free); CIDRs beyond 256 are left out; the process that leads tells them',
  },
  egressip_namespaces: {
    kind: 'gauge',
    labels: ['egressipam', 'state'],
    help: 'Namespaces that opted in to an EgressIPAM by state (assigned, pending, invalid)',
  },
  egressip_reconcile_failed: {
    kind: 'gauge',
    labels: ['egressipam'],
    help: '1 for an EgressIPAM with the condition ReconcileError: its spec is refused, or the work on one of its namespaces failed and is tried again; 0 for the others',
  },
  egressip_failover_total: {
    kind: 'counter',
    labels: ['egressipam', 'node'],
    help: 'Addresses that were moved from a node to another one, by the node that they left',
  },
  egressip_cloud_requests_total: {
    kind: 'counter',
    labels: ['op', 'result'],
    help: 'Calls of the cloud that egress addresses are attached by, by operation and result (ok, unavailable, throttled, login, refused, in-use)',
  },
  egressip_dataplane_info: {
    kind: 'gauge',
    labels: ['dataplane'],
    help: '1 for each dataplane that carries addresses of an EgressIPAM',
  },
  grpc_calls_total: {
    kind: 'counter',
    labels: ['method', 'code'],
    help: 'Calls of the gRPC API of networks that ended, by method and by the name of the status that was answered',
  },
} as const;
