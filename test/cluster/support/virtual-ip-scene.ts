import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATION_KEYS, VIRTUAL_IP_FINALIZERS } from '../../../operator/contract/paas';
import type { Json, KubeObject, ServerAnswer } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import type { VipScene } from './vip-scene';

const API_VERSION = 'paas.org/v1';

/** A VirtualIP of the older operator as a test describes it. */
export interface OldVirtualIp {
  readonly service: string;
  readonly address: string;
  /** `spec.ip`. */
  readonly wished?: string;
  readonly state?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** VirtualIPs, the copies of their Services and their IPs, as the older operator left them. */
export class VirtualIpScene {
  readonly #plane: () => ControlPlane;
  readonly #namespace: string;
  readonly #vips: VipScene;

  constructor(plane: () => ControlPlane, namespace: string, vips: VipScene) {
    this.#plane = plane;
    this.#namespace = namespace;
    this.#vips = vips;
  }

  get #client(): ControlPlane['client'] {
    return this.#plane().client;
  }

  path(name?: string): string {
    const all = `/apis/${API_VERSION}/namespaces/${this.#namespace}/virtualips`;
    return name === undefined ? all : `${all}/${name}`;
  }

  get(name: string): Promise<KubeObject> {
    return this.#client.request('GET', this.path(name));
  }

  /** Makes a ClusterIP Service, unless it is there. */
  async service(name: string): Promise<void> {
    const spec = { type: 'ClusterIP', ports: [{ port: 80 }], selector: { app: name } };
    const metadata = { name, namespace: this.#namespace };
    await this.#client.attempt('POST', this.#vips.path(), { apiVersion: 'v1', kind: 'Service', metadata, spec });
  }

  /** Makes a VirtualIP that is served: its Service, the copy of that, and the IP. */
  async served(name: string, old: OldVirtualIp): Promise<void> {
    const { service, address, wished, state = 'Valid', annotations = {} } = old;
    await this.service(service);
    // before the status, since an address without one is put on record
    await this.#create(`ip-${address}`, {
      apiVersion: API_VERSION,
      kind: 'IP',
      metadata: {
        name: address,
        labels: { gsm: 'keepalived-1' },
        annotations: { 'virtualips.paas.il/owner': `${this.#namespace}/${name}` },
      },
    });
    const { uid } = await this.#stored(name, { wished, service, annotations });
    const status = {
      ip: address,
      service,
      state,
      gsm: 'keepalived-1',
      keepalivedGroup: 'group-1',
      clonedService: `${name}-keepalived-clone`,
      message: 'an address was allocated',
    };
    await this.#client.request('PATCH', `${this.path(name)}/status`, { status }, 'merge');
    const owner = { apiVersion: API_VERSION, kind: 'VirtualIP', name, uid, controller: true, blockOwnerDeletion: true };
    await this.#client.request('POST', this.#vips.path(), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `${name}-keepalived-clone`, namespace: this.#namespace, ownerReferences: [owner] },
      spec: { type: 'ClusterIP', ports: [{ port: 80 }], selector: { app: service }, externalIPs: [address] },
    });
  }

  async #stored(
    name: string,
    {
      wished,
      service,
      annotations,
    }: { readonly wished: string | undefined; readonly service: string; readonly annotations: object },
  ): Promise<{ readonly uid: string }> {
    const finalizers = Object.values(VIRTUAL_IP_FINALIZERS);
    await this.#create(`vip-${name}`, {
      apiVersion: API_VERSION,
      kind: 'VirtualIP',
      metadata: { name, namespace: this.#namespace, finalizers, annotations },
      spec: { service, ...(wished === undefined ? {} : { ip: wished }) },
    });
    const { metadata } = await this.get(name);
    return { uid: metadata.uid };
  }

  async #create(title: string, object: object): Promise<void> {
    const file = join(this.#plane().folder, `${title}.json`);
    writeFileSync(file, JSON.stringify(object));
    await this.#vips.breakGlass('create', '-f', file);
  }

  /** Changes a VirtualIP as a user does. */
  change(name: string, patch: unknown): Promise<ServerAnswer> {
    return this.#client.attempt('PATCH', this.path(name), patch, 'merge');
  }

  /** Orders the migration, or with a value something else of it. */
  order(name: string, value: string | null = ''): Promise<ServerAnswer> {
    return this.change(name, { metadata: { annotations: { [MIGRATION_KEYS.migrate]: value } } });
  }

  when(name: string, predicate: (object: KubeObject) => boolean): Promise<KubeObject> {
    return this.#client.objectWhen(this.path(name), predicate);
  }

  /** Waits for a state. */
  inState(name: string, state: string): Promise<KubeObject> {
    return this.when(name, ({ status }) => status?.['state'] === state);
  }

  /** Waits for the reason of the condition that tells how far it is. */
  stops(name: string, reason: string): Promise<KubeObject> {
    return this.when(name, (object) => reasonOf(object) === reason);
  }

  async remove(name: string): Promise<void> {
    await this.#client.attempt('DELETE', this.path(name));
  }

  async gone(name: string): Promise<void> {
    await this.#client.watchUntilEmpty(this.path(name));
  }

  /** Follows the states of a VirtualIP from now on until one of them comes; tells all of them in their order. */
  async follow(name: string, last: string): Promise<() => Promise<readonly string[]>> {
    const seen: string[] = [];
    const followed = this.#client.watchUntil(this.path(name), ([each]) => {
      const state = String(each?.status?.['state'] ?? '');
      if (seen.at(-1) !== state) seen.push(state);
      return state === last;
    });
    followed.catch(() => undefined); // told by the call that reads the states
    await eventually(() => seen.length > 0);
    return async () => {
      await followed;
      return seen;
    };
  }

  /** Takes all VirtualIPs away, whatever they wait for. */
  async clear(): Promise<void> {
    const { items = [] } = (await this.#client.request('GET', this.path())) as unknown as {
      items?: readonly KubeObject[];
    };
    for (const { metadata } of items) {
      await this.remove(metadata.name);
      const patch = '{"metadata":{"finalizers":null}}';
      const words = ['patch', 'virtualips.paas.org', metadata.name, '-n', this.#namespace, '--type=merge', '-p', patch];
      await this.#vips.breakGlass(...words).catch(() => undefined);
    }
    await this.#client.watchUntilEmpty(this.path());
  }
}

/** Why a migration is where it is. */
export function reasonOf({ status }: KubeObject): string | undefined {
  const found = status?.['conditions']?.find((each: Json) => each['type'] === 'Migrated');
  return (found as { reason?: string } | undefined)?.reason;
}
