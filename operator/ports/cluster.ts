import type { Family } from '../addressing/address';
import type { JsonMap } from '../contract/loose-json';
import type { ServiceView } from '../contract/service';

/** A namespace as far as the doors need it. */
export interface NamespaceView {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A Secret; values are decoded and must never be logged. */
export interface SecretView {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The Kubernetes API as the front doors see it. Reads are uncached: an object applied a moment ago is seen. */
export interface Cluster {
  /** Identity of the cluster: the UID of its namespace `kube-system`, or the one that it was restored with. */
  clusterUid(): Promise<string>;
  /** Service families of the cluster, the primary one first. */
  families(): Promise<readonly Family[]>;
  /** Reads one namespace, undefined when it does not exist. */
  namespace(name: string): Promise<NamespaceView | undefined>;
  /** Reads one Secret, undefined when it does not exist. */
  secret(namespace: string, name: string): Promise<SecretView | undefined>;
  /** Creates an immutable Opaque Secret unless one of that name exists; returns what is stored in the end. */
  ensureSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<SecretView>;
  /** Reads one stored Service as it is now (raw core/v1), undefined when there is none. */
  service(namespace: string, name: string): Promise<JsonMap | undefined>;
  /** The complete list of stored Services; throws rather than returning a part. */
  services(): Promise<readonly ServiceView[]>;
  /** The same list, as the API server has it. */
  storedServices(): Promise<readonly JsonMap[]>;
}
