import type { JsonMap } from '../contract/loose-json';
import type { Clock } from '../ports/clock';
import type { Cluster, NamespaceView, SecretView, StoredService } from '../ports/cluster';
import type { ApiClient } from './api-client';

/** The cluster as its API server tells it. */
export declare class KubernetesCluster implements Cluster {
  /**
   * Makes one over an open client.
   *
   * @param props - client and surroundings
   */
  constructor(props: { readonly client: ApiClient; readonly clock: Clock });
  /** @inheritdoc */
  clusterUid(): Promise<string>;
  /** @inheritdoc */
  families(): ReturnType<Cluster['families']>;
  /** @inheritdoc */
  namespace(name: string): Promise<NamespaceView | undefined>;
  /** @inheritdoc */
  secret(namespace: string, name: string): Promise<SecretView | undefined>;
  /** @inheritdoc */
  ensureSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<SecretView>;
  /** @inheritdoc */
  service(namespace: string, name: string): Promise<JsonMap | undefined>;
  /** @inheritdoc */
  services(): Promise<readonly StoredService[]>;
}
