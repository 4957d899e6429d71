import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDRESS_ALLOCATED, VIP_CLASS } from '../../../operator/contract/paas';
import type { Json, KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { ingressOf } from './services';

const GROUPS = '/apis/paas.org/v1/ipgroups';
const IPS = '/apis/paas.org/v1/ips';

/** A Service of this door as a test describes it. */
export interface WantedVip {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Condition of the door on a Service. */
export function vipCondition({ status }: KubeObject): { status: string; reason: string; message: string } | undefined {
  const found = status?.['conditions']?.find((each: Json) => each['type'] === ADDRESS_ALLOCATED);
  return found as unknown as ReturnType<typeof vipCondition>;
}

/** IPGroups, the Services of one namespace, and the IPs that say who holds what. */
export class VipScene {
  readonly #plane: () => ControlPlane;
  readonly #namespace: string;

  constructor(plane: () => ControlPlane, namespace: string) {
    this.#plane = plane;
    this.#namespace = namespace;
  }

  get #client(): ControlPlane['client'] {
    return this.#plane().client;
  }

  /** Path of a Service, or of all. */
  path(name?: string): string {
    const all = `/api/v1/namespaces/${this.#namespace}/services`;
    return name === undefined ? all : `${all}/${name}`;
  }

  async open(plane = this.#plane()): Promise<void> {
    await plane.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } }]);
  }

  /** Creates a group, as the manifests of the older operator have it. */
  group(name: string, spec: Readonly<Record<string, unknown>>): Promise<KubeObject> {
    const group = { apiVersion: 'paas.org/v1', kind: 'IPGroup', metadata: { name }, spec };
    return this.#client.request('POST', GROUPS, group);
  }

  changeGroup(name: string, spec: Readonly<Record<string, unknown>>): Promise<KubeObject> {
    return this.#client.request('PATCH', `${GROUPS}/${name}`, { spec }, 'merge');
  }

  groupWhen(name: string, predicate: (group: KubeObject) => boolean): Promise<KubeObject> {
    return this.#client.objectWhen(`${GROUPS}/${name}`, predicate);
  }

  /** Condition `Ready` of a group. */
  readyOf({ status }: KubeObject): { status: string; reason: string; message: string } | undefined {
    const found = status?.['conditions']?.find((each: Json) => each['type'] === 'Ready');
    return found as unknown as ReturnType<VipScene['readyOf']>;
  }

  groupReady(name: string): Promise<KubeObject> {
    return this.groupWhen(name, (group) => this.readyOf(group)?.status === 'True');
  }

  /** Asks for the end of a group, which a finalizer may hold. */
  async endGroup(name: string): Promise<void> {
    await this.#client.request('DELETE', `${GROUPS}/${name}`);
  }

  async groupGone(name: string): Promise<void> {
    await this.#client.watchUntilEmpty(`${GROUPS}/${name}`);
  }

  create(name: string, { annotations = {}, spec = {}, metadata = {} }: WantedVip = {}): Promise<KubeObject> {
    return this.#client.request('POST', this.path(), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: this.#namespace, annotations, ...metadata },
      spec: { type: 'LoadBalancer', loadBalancerClass: VIP_CLASS, ports: [{ port: 80 }], ...spec },
    });
  }

  patch(name: string, change: unknown): Promise<KubeObject> {
    return this.#client.request('PATCH', this.path(name), change, 'merge');
  }

  /** Writes the status as another controller does. */
  patchStatus(name: string, status: unknown): Promise<KubeObject> {
    return this.#client.request('PATCH', `${this.path(name)}/status`, { status }, 'merge');
  }

  get(name: string): Promise<KubeObject> {
    return this.#client.request('GET', this.path(name));
  }

  async remove(name: string): Promise<void> {
    await this.#client.request('DELETE', this.path(name));
    await this.#client.watchUntilEmpty(this.path(name));
  }

  when(name: string, predicate: (object: KubeObject) => boolean, timeoutMs?: number): Promise<KubeObject> {
    return this.#client.objectWhen(this.path(name), predicate, timeoutMs);
  }

  /** Waits until the status shows exactly these addresses in this order, and the condition says so. */
  shows(name: string, ...addresses: string[]): Promise<KubeObject> {
    return this.when(
      name,
      (object) => ingressOf(object).join() === addresses.join() && vipCondition(object)?.status === 'True',
    );
  }

  /** Waits until any address is shown; returns them. */
  async address(name: string): Promise<string> {
    return ingressOf(await this.when(name, (object) => ingressOf(object).length > 0)).join();
  }

  waits(name: string, reason: string): Promise<KubeObject> {
    return this.when(name, (object) => vipCondition(object)?.reason === reason);
  }

  async ips(): Promise<readonly KubeObject[]> {
    const { items = [] } = (await this.#client.request('GET', IPS)) as unknown as { items?: readonly KubeObject[] };
    return items;
  }

  /** Who holds what: address and owner, sorted. */
  async holders(): Promise<readonly string[]> {
    const all = await this.ips();
    return all
      .map(({ metadata }) => `${metadata.name}=${metadata.annotations?.['virtualips.paas.il/owner'] ?? ''}`)
      .sort((a, b) => (a < b ? -1 : 1));
  }

  async ipGone(name: string): Promise<void> {
    await this.#client.watchUntilEmpty(`${IPS}/${name}`);
  }

  ipWhen(name: string, predicate: (ip: KubeObject) => boolean): Promise<KubeObject> {
    return this.#client.objectWhen(`${IPS}/${name}`, predicate);
  }

  /** Runs kubectl past the policy, as an administrator of the break-glass group does. */
  breakGlass(...words: string[]): Promise<string> {
    return this.#plane().kubectl('--as=admin', '--as-group=ipam-break-glass', '--as-group=system:masters', ...words);
  }

  /** Creates an IP as the older operator left it. */
  async oldIp(address: string, owner: string, group = 'ipgroup-1'): Promise<void> {
    const annotations = { 'virtualips.paas.il/owner': owner };
    const metadata = { name: address, labels: { ipgroup: group }, annotations };
    const file = join(this.#plane().folder, `ip-${address}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'paas.org/v1', kind: 'IP', metadata }));
    await this.breakGlass('create', '-f', file);
  }

  /** Waits for a Warning about a Service. */
  async event(name: string, reason: string): Promise<void> {
    await this.#client.watchUntil(this.#events, (all) => reasonsAbout(name, all).includes(reason));
  }

  /** Reasons of the Events about a Service, one for each time. */
  async eventsOf(name: string): Promise<readonly string[]> {
    return reasonsAbout(name, (await this.#client.request('GET', this.#events)).items ?? []);
  }

  get #events(): string {
    return `/apis/events.k8s.io/v1/namespaces/${this.#namespace}/events`;
  }
}

function reasonsAbout(name: string, events: readonly KubeObject[]): readonly string[] {
  const about = events.filter((each) => (each as unknown as Json)['regarding']?.['name'] === name);
  return about.flatMap((each) => {
    const times = Number((each as unknown as Json)['series']?.['count'] ?? 1);
    return Array.from({ length: times }, () => each.reason ?? '');
  });
}

/** Takes Services and groups away, and waits until no address is on record. */
export async function clearVips({ client }: ControlPlane, scene: VipScene): Promise<void> {
  for (const path of [scene.path(), GROUPS]) {
    const { items = [] } = (await client.request('GET', path)) as unknown as { items?: readonly KubeObject[] };
    await Promise.all(items.map(({ metadata }) => client.request('DELETE', `${path}/${metadata.name}`)));
    await client.watchUntilEmpty(path);
  }
  await client.watchUntilEmpty(IPS);
}
