import { randomUUID } from 'node:crypto';

import type { Family } from '../../addressing/address';
import { NAMESPACE_NAME_LABEL } from '../../contract/label-selector';
import type { JsonMap } from '../../contract/loose-json';
import { readService, type ServiceView } from '../../contract/service';
import type { Cluster, NamespaceView, SecretView } from '../../ports/cluster';

/** Identities that must outlive the process, or every claim would lose its owner: UIDs and Secrets. */
export interface MemoryClusterIdentity {
  readonly clusterUid: string;
  readonly namespaces: readonly NamespaceView[];
  /** Secrets by `namespace/name`. */
  readonly secrets: Readonly<Record<string, SecretView>>;
}

/** A stored Service, as far as the simulated cluster keeps it. */
type StoredService = Pick<ServiceView, 'namespace' | 'name' | 'uid' | 'annotations' | 'type' | 'loadBalancerIP'>;

/** How the simulated cluster begins. */
export interface MemoryClusterProps {
  /**
   * Service families, the primary one first.
   *
   * @default IPv4 only
   */
  readonly families?: readonly Family[];
  /**
   * Identity of an earlier process.
   *
   * @default - a new cluster
   */
  readonly identity?: MemoryClusterIdentity;
  /**
   * Makes 64 hexadecimal digits of a name, the same ones in every process of one cluster: UIDs and new Secrets come from it.
   *
   * @default - chance
   */
  readonly derive?: (name: string) => string;
  /**
   * Called with the whole identity after each change of it.
   *
   * @default - it ends with the process
   */
  readonly keep?: (identity: MemoryClusterIdentity) => void;
}

/**
 * A cluster that lives in memory, for standalone operation and tests: no API server, so the sender of reviews tells what
 * is stored. A namespace comes into being when it is first mentioned and keeps its random UID until the process ends.
 *
 * Safe for parallel calls. Needs no start and no end.
 */
export class MemoryCluster implements Cluster {
  readonly #families: readonly Family[];
  readonly #clusterUid: string;
  readonly #namespaces: Map<string, NamespaceView>;
  readonly #secrets: Map<string, SecretView>;
  readonly #derive: ((name: string) => string) | undefined;
  readonly #keep: (identity: MemoryClusterIdentity) => void;
  readonly #services = new Map<string, StoredService>();

  /**
   * Makes a cluster without Services.
   *
   * @param props - its families, and an identity to go on with
   */
  constructor(props: MemoryClusterProps = {}) {
    const { families = [4], identity, keep = () => undefined } = props;
    this.#families = families;
    this.#derive = props.derive;
    this.#clusterUid = identity?.clusterUid ?? this.#newUid('cluster');
    this.#namespaces = new Map(identity?.namespaces.map((each) => [each.name, each]));
    this.#secrets = new Map(Object.entries(identity?.secrets ?? {}));
    this.#keep = keep;
    if (identity === undefined) this.#changed();
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
    return Promise.resolve(
      stored ?? this.putSecret(namespace, name, { type: 'Opaque', data: this.#newData(`${namespace}/${name}`, data) }),
    );
  }

  /** @inheritdoc */
  service(namespace: string, name: string): Promise<JsonMap | undefined> {
    const stored = this.#services.get(`${namespace}/${name}`);
    return Promise.resolve(stored === undefined ? undefined : rawOf(stored));
  }

  /** @inheritdoc */
  services(): Promise<readonly ServiceView[]> {
    return Promise.resolve([...this.#services.values()].flatMap((stored) => readService(rawOf(stored)) ?? []));
  }

  /** @inheritdoc */
  storedServices(): Promise<readonly JsonMap[]> {
    return Promise.resolve([...this.#services.values()].map(rawOf));
  }

  /**
   * Makes a namespace, or gives one other labels; its UID stays.
   *
   * @param name - DNS label
   * @param labels - all of them
   * @returns what is stored now
   */
  putNamespace(name: string, labels: Readonly<Record<string, string>>): NamespaceView {
    const uid = this.#namespaces.get(name)?.uid ?? this.#newUid(`namespace/${name}`);
    const namespace: NamespaceView = { name, uid, labels: { [NAMESPACE_NAME_LABEL]: name, ...labels } };
    this.#namespaces.set(name, namespace);
    this.#changed();
    return namespace;
  }

  /**
   * Stores a Secret in place of one of that name.
   *
   * @param namespace - where it lives
   * @param name - unique in that place
   * @param secret - with decoded values
   * @returns what is stored now
   */
  putSecret(namespace: string, name: string, secret: SecretView): SecretView {
    this.#secrets.set(`${namespace}/${name}`, secret);
    this.#changed();
    return secret;
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
   * @param namespace - where it lives
   * @param name - unique in that place
   */
  deleteService(namespace: string, name: string): void {
    this.#services.delete(`${namespace}/${name}`);
  }

  #newUid(name: string): string {
    const digits = this.#derive?.(`uid/${name}`);
    if (digits === undefined) return randomUUID();
    // RFC 9562 §5.8: a version for UUIDs of one's own making
    const [a, b, c, d, e] = [
      [0, 8],
      [8, 12],
      [13, 16],
      [17, 20],
      [20, 32],
    ].map(([from, to]) => digits.slice(from, to));
    return `${a ?? ''}-${b ?? ''}-8${c ?? ''}-8${d ?? ''}-${e ?? ''}`;
  }

  #newData(place: string, data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const derive = this.#derive;
    if (derive === undefined) return data;
    return Object.fromEntries(Object.keys(data).map((key) => [key, derive(`secret/${place}/${key}`)]));
  }

  #changed(): void {
    this.#keep({
      clusterUid: this.#clusterUid,
      namespaces: [...this.#namespaces.values()],
      secrets: Object.fromEntries(this.#secrets),
    });
  }
}

function rawOf({ namespace, name, uid, annotations, type, loadBalancerIP }: StoredService): JsonMap {
  return { metadata: { namespace, name, uid, annotations }, spec: { type, loadBalancerIP } };
}
