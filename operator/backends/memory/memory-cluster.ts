import { randomUUID } from 'node:crypto';

import type { Family } from '../../addressing/address';
import type { Cluster, NamespaceView, SecretView, StoredService } from '../../ports/cluster';

/** How the imagined cluster begins. */
export interface MemoryClusterProps {
  /**
   * Service families, the primary one first.
   *
   * @default IPv4 only
   */
  readonly families?: readonly Family[];
}

/**
 * A cluster that lives in memory, for standalone operation and tests: no API server, so whoever sends reviews tells what
 * is stored. A namespace comes into being when it is first mentioned and keeps its random UID until the process ends.
 *
 * Safe for parallel calls. Needs no start and no end.
 */
export class MemoryCluster implements Cluster {
  readonly #families: readonly Family[];
  readonly #clusterUid = randomUUID();
  readonly #namespaces = new Map<string, NamespaceView>();
  readonly #secrets = new Map<string, SecretView>();
  readonly #services = new Map<string, StoredService>();

  /**
   * Makes an empty cluster.
   *
   * @param props - its families
   */
  constructor(props: MemoryClusterProps = {}) {
    this.#families = props.families ?? [4];
  }

  /** @inheritdoc */
  clusterUid(): Promise<string> {
    return Promise.resolve(this.#clusterUid);
  }

  /** @inheritdoc */
  families(): Promise<readonly Family[]> {
    return Promise.resolve(this.#families);
  }

  /** @inheritdoc */
  namespace(name: string): Promise<NamespaceView | undefined> {
    if (name === '') return Promise.resolve(undefined); // no API server has such a one
    return Promise.resolve(this.#namespaces.get(name) ?? this.putNamespace(name, {}));
  }

  /** @inheritdoc */
  secret(namespace: string, name: string): Promise<SecretView | undefined> {
    return Promise.resolve(this.#secrets.get(`${namespace}/${name}`));
  }

  /** @inheritdoc */
  ensureSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<SecretView> {
    const stored = this.#secrets.get(`${namespace}/${name}`);
    return Promise.resolve(stored ?? this.putSecret(namespace, name, { type: 'Opaque', data }));
  }

  /** @inheritdoc */
  services(): Promise<readonly StoredService[]> {
    return Promise.resolve([...this.#services.values()]);
  }

  /**
   * Makes a namespace, or gives one other labels; its UID stays.
   *
   * @param name - of the namespace
   * @param labels - all of them
   * @returns the namespace
   */
  putNamespace(name: string, labels: Readonly<Record<string, string>>): NamespaceView {
    const uid = this.#namespaces.get(name)?.uid ?? randomUUID();
    const namespace: NamespaceView = { name, uid, labels: { 'kubernetes.io/metadata.name': name, ...labels } };
    this.#namespaces.set(name, namespace);
    return namespace;
  }

  /**
   * Stores a Secret in place of one of that name.
   *
   * @param namespace - where
   * @param name - of the Secret
   * @param secret - type and decoded values
   * @returns the Secret
   */
  putSecret(namespace: string, name: string, secret: SecretView): SecretView {
    this.#secrets.set(`${namespace}/${name}`, secret);
    return secret;
  }

  /**
   * Takes a Secret away.
   *
   * @param namespace - where
   * @param name - of the Secret
   */
  deleteSecret(namespace: string, name: string): void {
    this.#secrets.delete(`${namespace}/${name}`);
  }

  /**
   * Stores a Service in place of one of that name.
   *
   * @param service - as the API server would have stored it
   */
  putService(service: StoredService): void {
    this.#services.set(`${service.namespace}/${service.name}`, service);
  }

  /**
   * Takes a Service away.
   *
   * @param namespace - where
   * @param name - of the Service
   */
  deleteService(namespace: string, name: string): void {
    this.#services.delete(`${namespace}/${name}`);
  }
}
