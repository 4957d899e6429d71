import type { Json, KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';

const GROUP = 'ipam.cluster.x-k8s.io';

/** What a test says of an IPAddressClaim beside its pool. */
export interface WantedClaim {
  readonly poolRef?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Condition `Ready` of a claim. */
export function readyOf({ status }: KubeObject): { status: string; reason: string; message: string } | undefined {
  const found = status?.['conditions']?.find((each: Json) => each['type'] === 'Ready');
  return found as unknown as ReturnType<typeof readyOf>;
}

/** IPAddressClaims and IPAddresses of one namespace, as an infrastructure provider of Cluster API makes and reads them. */
export class ClaimScene {
  readonly #plane: () => ControlPlane;
  readonly #namespace: string;
  readonly #version: string;

  constructor(plane: () => ControlPlane, namespace: string, version = 'v1beta2') {
    this.#plane = plane;
    this.#namespace = namespace;
    this.#version = version;
  }

  get #client(): ControlPlane['client'] {
    return this.#plane().client;
  }

  path(name?: string): string {
    return this.#path('ipaddressclaims', name);
  }

  addressPath(name?: string): string {
    return this.#path('ipaddresses', name);
  }

  #path(plural: string, name?: string): string {
    const all = `/apis/${GROUP}/${this.#version}/namespaces/${this.#namespace}/${plural}`;
    return name === undefined ? all : `${all}/${name}`;
  }

  /** Makes a claim of the pool `web` unless another one is named. */
  create(name: string, { poolRef, spec = {}, metadata = {} }: WantedClaim = {}): Promise<KubeObject> {
    const pool = { apiGroup: 'paas.org', kind: 'IPGroup', name: 'web', ...poolRef };
    return this.#client.request('POST', this.path(), {
      apiVersion: `${GROUP}/${this.#version}`,
      kind: 'IPAddressClaim',
      metadata: { name, namespace: this.#namespace, ...metadata },
      spec: { poolRef: pool, ...spec },
    });
  }

  get(name: string): Promise<KubeObject> {
    return this.#client.request('GET', this.path(name));
  }

  address(name: string): Promise<KubeObject> {
    return this.#client.request('GET', this.addressPath(name));
  }

  when(name: string, predicate: (claim: KubeObject) => boolean): Promise<KubeObject> {
    return this.#client.objectWhen(this.path(name), predicate);
  }

  /** Waits until a claim has an address, and tells it. */
  async has(name: string): Promise<string> {
    await this.when(name, (claim) => readyOf(claim)?.status === 'True');
    const { spec } = await this.address(name);
    return String(spec?.['address']);
  }

  waits(name: string, reason: string): Promise<KubeObject> {
    return this.when(name, (claim) => readyOf(claim)?.reason === reason);
  }

  /** Asks for the end of a claim. */
  async end(name: string): Promise<void> {
    await this.#client.request('DELETE', this.path(name));
  }

  async gone(name: string): Promise<void> {
    for (const path of [this.path(name), this.addressPath(name)]) await this.#client.watchUntilEmpty(path);
  }

  async remove(name: string): Promise<void> {
    await this.end(name);
    await this.gone(name);
  }

  /** Makes a Cluster, or changes whether it is paused. */
  async cluster(name: string, paused: boolean): Promise<void> {
    const path = `/apis/cluster.x-k8s.io/${this.#version}/namespaces/${this.#namespace}/clusters`;
    const cluster = {
      apiVersion: `cluster.x-k8s.io/${this.#version}`,
      kind: 'Cluster',
      metadata: { name, namespace: this.#namespace },
      spec: { paused, infrastructureRef: { apiGroup: 'test.org', kind: 'TestCluster', name } },
    };
    const made = await this.#client.attempt('POST', path, cluster);
    if (made.status === 409) await this.#client.request('PATCH', `${path}/${name}`, { spec: { paused } }, 'merge');
  }

  async clear(): Promise<void> {
    const { items = [] } = (await this.#client.request('GET', this.path())) as unknown as {
      items?: readonly KubeObject[];
    };
    await Promise.all(items.map(({ metadata }) => this.#client.attempt('DELETE', this.path(metadata.name))));
    await this.#client.watchUntilEmpty(this.path());
    await this.#client.watchUntilEmpty(this.addressPath());
  }
}
