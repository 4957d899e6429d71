/** Times and limits of the operator. */
export interface OperatorSettingsProps {
  /**
   * Seconds after which a review is answered by `whenUnavailable`, 1 to 29; below the 30 s of the API server.
   *
   * @default 8
   */
  readonly admissionDeadlineSeconds?: number;
  /**
   * Seconds that a reservation lives for a Service that has not been stored yet, 30 to 86400.
   *
   * @default 300
   */
  readonly reservationLeaseSeconds?: number;
  /**
   * Most reservations of one namespace that are not bound yet, 1 to 100000.
   *
   * @default 64
   */
  readonly maxReservationsPerNamespace?: number;
  /**
   * Seconds between not-ready and the end of listening, 0 to 60, so that callers learn of it first.
   *
   * @default 5
   */
  readonly shutdownDelaySeconds?: number;
  /**
   * Days for which the record tells former holders of an address, 1 to 36500; what ended before is deleted.
   *
   * @default 365
   */
  readonly historyDays?: number;
  /**
   * Most rows of history of one namespace, the newest ones, 100 to 1000000.
   *
   * @default 10000
   */
  readonly historyRowsPerNamespace?: number;
  /**
   * Keeps secrets encrypted beside their hashes, so that an administrator can read them again.
   *
   * @default false
   */
  readonly recoverableSecrets?: boolean;
  /**
   * Identity of this cluster in the record, for a cluster that takes over the claims of another one.
   *
   * @default - that in the Secret `ipam-cluster-identity`, which is made at the first start
   */
  readonly clusterId?: string;
  /**
   * Namespaces whose Services the operator leaves alone, beside `services.excludedNamespaces`. `minimal`: kube-system, kube-public,
   * kube-node-lease and its own. `original`: also the 13 that the original operator and older versions left out, among them monitoring,
   * kyverno and rook-ceph. `as-begun`: `original` for an installation that was taken over or is older than this choice, else `minimal`;
   * `ipam doctor` lists the Services that `minimal` would reach.
   *
   * @default 'as-begun'
   */
  readonly namespacePreset?: 'as-begun' | 'minimal' | 'original';
}
