import { IP_ALLOCATION } from '../../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX } from '../../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../../operator/contract/kinds/network-instance';
import { NEPHIO } from '../../../operator/contract/nephio';
import { forEachAtOnce } from '../../support/at-once';
import type { Follower, Json, KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';

const KINDS = { instance: NETWORK_INSTANCE, prefix: IP_PREFIX, allocation: IP_ALLOCATION } as const;
/** Kind of an object of the door. */
export type NetworkKind = keyof typeof KINDS;
/** Fields of the spec, and `labels` of the object. */
type Spec = Readonly<Record<string, unknown>>;
type Labels = Readonly<Record<string, string>>;

const CLAIMS = '/apis/ipam.vitistack.io/v1alpha1/addressclaims';

/** Labels of an IPPrefix whose address is the gateway. */
export const GATEWAY: Labels = { [NEPHIO.gateway]: 'true' };

/** A condition of an object. */
export function conditionOf(
  { status }: KubeObject,
  type = 'Ready',
): { readonly status: string; readonly reason: string; readonly message: string } | undefined {
  const found = status?.['conditions']?.find((each: Json) => each['type'] === type);
  return found as unknown as ReturnType<typeof conditionOf>;
}

/** The prefix that the status of an object shows. */
export const shownIn = ({ status }: KubeObject): string => String(status?.['prefix'] ?? '');

/** The NetworkInstance `vpc-1` of one namespace with its prefixes and allocations. */
export class NetworkScene {
  readonly #plane: () => ControlPlane;
  readonly #namespace: string;

  constructor(plane: () => ControlPlane, namespace: string) {
    this.#plane = plane;
    this.#namespace = namespace;
  }

  get #client(): ControlPlane['client'] {
    return this.#plane().client;
  }

  /** Path of an object, or of all of its kind. */
  path(kind: NetworkKind, name?: string): string {
    const { group, version, plural } = KINDS[kind];
    const all = `/apis/${group}/${version}/namespaces/${this.#namespace}/${plural}`;
    return name === undefined ? all : `${all}/${name}`;
  }

  async open(plane = this.#plane()): Promise<void> {
    await plane.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } }]);
  }

  create(kind: NetworkKind, name: string, { labels = {}, ...spec }: Spec): Promise<KubeObject> {
    const { group, version, kind: named } = KINDS[kind];
    return this.#client.request('POST', this.path(kind), {
      apiVersion: `${group}/${version}`,
      kind: named,
      metadata: { name, namespace: this.#namespace, labels },
      spec,
    });
  }

  instance(name = 'vpc-1'): Promise<KubeObject> {
    return this.create('instance', name, {});
  }

  /** A prefix of `vpc-1`; of kind network where none is given. */
  prefix(name: string, prefix: string, spec: Spec = {}): Promise<KubeObject> {
    return this.create('prefix', name, { prefix, networkInstance: 'vpc-1', ...spec });
  }

  /** Labels that select a network of `vpc-1`. */
  selecting(network?: string, more: Labels = {}): Spec {
    const named = network === undefined ? {} : { [NEPHIO.networkName]: network };
    return { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1', ...named, ...more } };
  }

  /** An address of network net1, unless the spec says otherwise. */
  allocation(name: string, spec: Spec = {}): Promise<KubeObject> {
    return this.create('allocation', name, { kind: 'network', selector: this.selecting('net1'), ...spec });
  }

  /** The fixture of the cases: an aggregate, and network net1 with its gateway; all of it ready. */
  async f2(): Promise<void> {
    await this.instance();
    await this.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
    await this.prefix('net1-p1', '10.0.1.1/24', { network: 'net1', labels: GATEWAY });
    for (const name of ['agg0', 'net1-p1']) await this.ready('prefix', name);
  }

  /** A Service of the namespace, for allocations that end with it. */
  service(name: string): Promise<KubeObject> {
    return this.#client.request('POST', `/api/v1/namespaces/${this.#namespace}/services`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: this.#namespace },
      spec: { ports: [{ port: 80 }] },
    });
  }

  get(kind: NetworkKind, name: string): Promise<KubeObject> {
    return this.#client.request('GET', this.path(kind, name));
  }

  patch(kind: NetworkKind, name: string, change: unknown): Promise<KubeObject> {
    return this.#client.request('PATCH', this.path(kind, name), change, 'merge');
  }

  when(kind: NetworkKind, name: string, predicate: (object: KubeObject) => boolean): Promise<KubeObject> {
    return this.#client.objectWhen(this.path(kind, name), predicate);
  }

  /** Waits until an object shows a prefix, or any, and is ready. */
  ready(kind: NetworkKind, name: string, prefix?: string): Promise<KubeObject> {
    return this.when(
      kind,
      name,
      (each) => (prefix === undefined || shownIn(each) === prefix) && conditionOf(each)?.status === 'True',
    );
  }

  /** Waits until an object is refused for a reason; returns the message. */
  async refused(kind: NetworkKind, name: string, reason: string): Promise<string> {
    const object = await this.when(kind, name, (each) => conditionOf(each, 'Accepted')?.reason === reason);
    return conditionOf(object, 'Ready')?.message ?? '';
  }

  /** Asks for the end of an object, which a finalizer may hold. */
  async remove(kind: NetworkKind, name: string): Promise<void> {
    await this.#client.request('DELETE', this.path(kind, name));
  }

  async gone(kind: NetworkKind, name: string): Promise<void> {
    await this.#client.watchUntilEmpty(this.path(kind, name));
  }

  /** The entries that the instance shows. */
  async entries(count: number): Promise<Readonly<Record<string, Labels>>> {
    const shown = (object: KubeObject) =>
      (object.status?.['allocations'] ?? {}) as unknown as Readonly<Record<string, Labels>>;
    return shown(await this.when('instance', 'vpc-1', (each) => Object.keys(shown(each)).length === count));
  }

  /** Names of holder and user by prefix, sorted as texts. */
  async record(): Promise<readonly string[]> {
    const { items = [] } = (await this.#client.request('GET', CLAIMS)) as unknown as { items?: readonly KubeObject[] };
    return items
      .map(({ spec }) => {
        const [holder, user] = [spec?.['holder'], spec?.['user']];
        const used = user === undefined ? '' : ` for ${String(user['name'])}`;
        return `${String(spec?.['address'])}=${String(holder?.['name'])}${used}`;
      })
      .sort((a, b) => (a < b ? -1 : 1));
  }

  /** Waits until allocations show a prefix: the wanted one, or any where none is. */
  async allShow(wanted: Readonly<Record<string, string | undefined>>, timeoutMs: number): Promise<void> {
    const left = new Map(Object.entries(wanted));
    const follower: Follower = {
      begin: () => undefined,
      put: (object) => {
        const { name } = object.metadata;
        const shown = shownIn(object);
        if (left.has(name) && shown !== '' && (left.get(name) ?? shown) === shown) left.delete(name);
      },
      drop: () => undefined,
      isDone: () => left.size === 0,
      seen: () => `nothing wanted of ${[...left.keys()].join(', ')}`,
    };
    await this.#client.followUntil(this.path('allocation'), follower, timeoutMs);
  }

  /** Takes everything away, and waits until nothing is on record. */
  async clear(timeoutMs?: number): Promise<void> {
    for (const kind of ['allocation', 'prefix', 'instance'] as const) {
      const path = this.path(kind);
      const { items = [] } = (await this.#client.request('GET', path)) as unknown as { items?: readonly KubeObject[] };
      await forEachAtOnce(items, ({ metadata }) => this.#client.request('DELETE', `${path}/${metadata.name}`));
      await this.#client.watchUntilEmpty(path, timeoutMs);
    }
    await this.#client.watchUntilEmpty(CLAIMS, timeoutMs);
  }
}
