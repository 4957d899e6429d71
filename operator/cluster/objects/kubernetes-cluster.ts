import { KUBE_SYSTEM } from '../../contract/group';
import { readService, type ServiceView } from '../../contract/service';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { OBJECT_NAME } from '../../contract/object-name';
import { IpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import type { Cluster, NamespaceView, SecretView } from '../../ports/cluster';
import type { ApiClient } from '../api/api-client';
import { apiPath, type ResourcePath } from '../api/api-path';
import { unavailable, unavailableWithoutText } from '../api/api-refusal';

/** The families of a cluster, the primary one first. */
type Families = Awaited<ReturnType<Cluster['families']>>;

/** Parts of a {@link KubernetesCluster}. */
export interface KubernetesClusterProps {
  readonly client: ApiClient;
  readonly clock: Clock;
  /**
   * Finds the identity under which the record knows the cluster.
   *
   * @default - the UID of `kube-system`
   */
  readonly identify?: (uid: string, cluster: Cluster) => Promise<string>;
}

/** Objects in one page of a list. */
const PAGE = 500;
/** How often a list whose pages expired is begun again before the caller is told. */
const LIST_TRIES = 3;
/** How often a Secret is asked for that others make and delete at the same time. */
const SECRET_TRIES = 3;
/** How long the families are believed: a cluster can become dual-stack, but seldom does. */
const FAMILIES_MS = 600_000;
/** After a failure to read them again. */
const FAMILIES_RETRY_MS = 30_000;

/**
 * The cluster as its API server tells it. Nothing is cached but the identity and the families.
 *
 * Safe for parallel calls. Needs no start; ends with its client.
 */
export class KubernetesCluster implements Cluster {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #identify: KubernetesClusterProps['identify'];
  #clusterUid: string | undefined;
  #families: { readonly value: Families; readonly untilMs: number } | undefined;

  /**
   * Makes one over an open client.
   *
   * @param props - client and clock, and how the cluster is identified
   */
  constructor({ client, clock, identify }: KubernetesClusterProps) {
    this.#client = client;
    this.#clock = clock;
    this.#identify = identify;
  }

  /** @inheritdoc */
  async clusterUid(): Promise<string> {
    this.#clusterUid ??= await this.#findIdentity();
    return this.#clusterUid;
  }

  async #findIdentity(): Promise<string> {
    const uid = (await this.namespace(KUBE_SYSTEM))?.uid;
    if (uid !== undefined) return this.#identify === undefined ? uid : this.#identify(uid, this);
    throw new IpamError(
      'cluster/unavailable',
      `the API server has no namespace "${KUBE_SYSTEM}", whose UID names the cluster`,
    );
  }

  /** @inheritdoc */
  async families(): Promise<Families> {
    const known = this.#families;
    if (known !== undefined && this.#clock.nowMs() < known.untilMs) return known.value;
    try {
      return this.#keep(await this.#readFamilies(), FAMILIES_MS);
    } catch (thrown) {
      // An old answer is better than none: families are never taken away.
      if (known === undefined) throw thrown;
      return this.#keep(known.value, FAMILIES_RETRY_MS);
    }
  }

  /** @inheritdoc */
  async namespace(name: string): Promise<NamespaceView | undefined> {
    const found = await this.#read({ apiVersion: 'v1', resource: 'namespaces', name }, `read namespace "${name}"`);
    if (found === undefined) return undefined;
    const metadata = metadataOf(found);
    return { name, uid: textOf(metadata['uid']), labels: textsOf(metadata['labels']) };
  }

  /** @inheritdoc */
  async secret(namespace: string, name: string): Promise<SecretView | undefined> {
    const what = `read Secret "${namespace}/${name}"`;
    const found = await this.#read({ apiVersion: 'v1', resource: 'secrets', namespace, name }, what);
    return found === undefined ? undefined : secretOf(found);
  }

  /** @inheritdoc */
  async ensureSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<SecretView> {
    const path = apiPath({ apiVersion: 'v1', resource: 'secrets', namespace });
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')]);
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
      type: 'Opaque',
      immutable: true,
      data: Object.fromEntries(encoded) as JsonMap,
    };
    for (let left = SECRET_TRIES; left > 0; left--) {
      const stored = await this.secret(namespace, name);
      if (stored !== undefined) return stored;
      const made = await this.#client.request({ method: 'POST', path, body });
      if (made.ok) return secretOf(made.body);
      if (made.reason !== 'AlreadyExists') throw unavailableWithoutText(`create Secret "${namespace}/${name}"`, made);
    }
    throw new IpamError(
      'cluster/unavailable',
      `Secret "${namespace}/${name}" is made and deleted by another program all the time`,
    );
  }

  /** @inheritdoc */
  service(namespace: string, name: string): Promise<JsonMap | undefined> {
    const what = `read Service "${namespace}/${name}"`;
    return this.#read({ apiVersion: 'v1', resource: 'services', namespace, name }, what);
  }

  /** @inheritdoc */
  services(): Promise<readonly ServiceView[]> {
    return this.#everyService((item) => readService(item) ?? []);
  }

  /** @inheritdoc */
  storedServices(): Promise<readonly JsonMap[]> {
    return this.#everyService((item) => (isMap(item) ? [item] : []));
  }

  async #everyService<T>(pick: (item: unknown) => T | readonly T[]): Promise<readonly T[]> {
    for (let left = LIST_TRIES; left > 0; left--) {
      const complete = await this.#listServices(pick);
      if (complete !== undefined) return complete;
    }
    throw new IpamError('cluster/unavailable', 'the list of Services expired before its last page could be read');
  }

  // Undefined: the pages expired, so that what was read is no complete list.
  async #listServices<T>(pick: (item: unknown) => T | readonly T[]): Promise<readonly T[] | undefined> {
    const path = apiPath({ apiVersion: 'v1', resource: 'services' });
    const picked: T[] = [];
    let next = '';
    do {
      const query = { limit: String(PAGE), ...(next === '' ? {} : { continue: next }) };
      const answer = await this.#client.request({ method: 'GET', path, query });
      if (!answer.ok && answer.status === 410) return undefined;
      if (!answer.ok) throw unavailable('list Services', answer);
      picked.push(...listOf(answer.body['items']).flatMap(pick));
      next = textOf(metadataOf(answer.body)['continue']);
    } while (next !== '');
    return picked;
  }

  async #readFamilies(): Promise<Families> {
    // The API server keeps this object equal to its own flag.
    const found = await this.#read(
      { apiVersion: 'networking.k8s.io/v1', resource: 'servicecidrs', name: 'kubernetes' },
      'read ServiceCIDR "kubernetes"',
    );
    const spec = found === undefined ? {} : mapOf(found['spec']);
    const families = listOf(spec['cidrs']).map((cidr): Families[number] => (textOf(cidr).includes(':') ? 6 : 4));
    return families.length > 0 ? [...new Set(families)] : this.#guessFamilies();
  }

  // Before Kubernetes 1.33: Service "kubernetes" has the primary family only, and a second one shows where a Service uses it.
  async #guessFamilies(): Promise<Families> {
    const primary = readService(await this.service('default', 'kubernetes'))?.ipFamilies[0];
    if (primary === undefined) {
      throw new IpamError(
        'cluster/unavailable',
        'the families of the cluster are not known: it has neither ServiceCIDR "kubernetes" nor Service "default/kubernetes"',
      );
    }
    const second = primary === 4 ? 6 : 4;
    const used = await this.#everyService((item) => readService(item)?.ipFamilies ?? []);
    return used.includes(second) ? [primary, second] : [primary];
  }

  #keep(value: Families, ms: number): Families {
    this.#families = { value, untilMs: this.#clock.nowMs() + ms };
    return value;
  }

  async #read(parts: ResourcePath & { readonly name: string }, what: string): Promise<JsonMap | undefined> {
    const { namespace = 'default', name } = parts;
    // anything else, such as `..`, would end up at another path
    if (!OBJECT_NAME.test(namespace) || !OBJECT_NAME.test(name)) return undefined;
    const answer = await this.#client.request({ method: 'GET', path: apiPath(parts) });
    if (answer.ok) return answer.body;
    if (answer.status === 404) return undefined;
    throw unavailable(what, answer);
  }
}

function secretOf(object: JsonMap): SecretView {
  const data = Object.entries(textsOf(object['data'])).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const,
  );
  return { type: textOf(object['type']), data: Object.fromEntries(data) };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(mapOf(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
