/** Connections that the network lets in and out of the Pods. */
export interface OperatorNetworkPolicyProps {
  /**
   * Whether a NetworkPolicy is made.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Namespaces that read metrics and probes.
   *
   * @default - `monitoring`; on OpenShift `openshift-monitoring` and `openshift-user-workload-monitoring`
   */
  readonly monitoringNamespaces?: readonly string[];
  /**
   * Networks of the API server in CIDR notation.
   *
   * @default - any, since no selector finds an API server outside of the Pod network
   */
  readonly apiServerCidrs?: readonly string[];
  /**
   * Ports of the API server, 1 to 65535: that of its Service and that behind it.
   *
   * @default [443, 6443]
   */
  readonly apiServerPorts?: readonly number[];
  /**
   * Networks of PostgreSQL or of the remote IPAM-API in CIDR notation.
   *
   * @default - any
   */
  readonly storeCidrs?: readonly string[];
  /**
   * Networks of `netbox` in CIDR notation.
   *
   * @default - any
   */
  readonly netboxCidrs?: readonly string[];
  /**
   * Networks of `cleanupEvents` in CIDR notation.
   *
   * @default - any
   */
  readonly cleanupEventsCidrs?: readonly string[];
  /**
   * Networks of `splunk` in CIDR notation.
   *
   * @default - any
   */
  readonly splunkCidrs?: readonly string[];
}
