import type { MemoryCluster } from '../backends/memory/memory-cluster';
import type { ApiClient } from '../cluster/api/api-client';
import type { CertificateSource } from '../ports/certificates';
import type { Cluster } from '../ports/cluster';
import type { IntentRows } from '../ports/intent-rows';
import type { StoredKind } from '../ledger/verbs/sweep-rounds';
import type { SecretHasher } from '../ports/secret-hasher';
import type { Leadership, LeaderWork } from '../runtime/leadership';
import type { ClusterFeeds } from './cluster-feeds';

/** Connection to a cluster, opened before everything else. */
export interface ClusterConnection {
  readonly kind: 'cluster';
  readonly client: ApiClient;
  readonly cluster: Cluster;
  /** The operator's own namespace. */
  readonly namespace: string;
  /** Opens the Secrets that record the requests to a remote IPAM-API. */
  openIntents(): Promise<IntentRows>;
  close(): Promise<void>;
}

/** No connection: the operator runs without a cluster. */
interface NoConnection {
  readonly kind: 'standalone';
  close(): Promise<void>;
}

/** Connection to the cluster, or none. */
export type Connection = ClusterConnection | NoConnection;

interface CommonEnvironment {
  /** Hashes secrets for the claims. */
  readonly hasher: SecretHasher;
  /** Serving certificate of the process. */
  readonly certificate: CertificateSource;
  /**
   * Begins the work of the leader, now or once this process leads.
   *
   * @param work - of the leader
   * @returns the leadership
   */
  lead(work: LeaderWork): Leadership;
  close(): Promise<void>;
}

/** A real cluster around the process. */
export interface ClusterEnvironment extends CommonEnvironment {
  readonly kind: 'cluster';
  readonly client: ApiClient;
  readonly cluster: Cluster;
  /** Watches that the doors share; closed with the environment, after the doors. */
  readonly feeds: ClusterFeeds;
  /** Name of this process as the Lease has it. */
  readonly instance: string;
}

/** A simulated cluster in memory, for an operator that runs without one. */
export interface StandaloneEnvironment extends CommonEnvironment {
  readonly kind: 'standalone';
  readonly cluster: MemoryCluster;
  /** The Services of the simulated cluster, which are all known. */
  readonly liveObjects: readonly StoredKind[];
}

/** Cluster, key and certificate: what is around the ledger and the doors. */
export type Environment = ClusterEnvironment | StandaloneEnvironment;
