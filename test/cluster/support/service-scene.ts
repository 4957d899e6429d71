import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { auditCaughtUp } from './audit-log';
import { eventually } from './eventually';
import type { RunningOperator } from './operator-process';
import { conditionOf, ingressOf, isReady } from './services';

/** A Service as a test describes it; the rest is a LoadBalancer with one port. */
export interface Wanted {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Changes of a Service while it was followed. */
export interface Followed {
  /** Addresses in the status of each stored version, joined by commas; the first one is from before. */
  readonly seen: readonly string[];
  /** Ends the following. */
  stop(): Promise<readonly string[]>;
}

interface Surroundings {
  readonly plane: () => ControlPlane;
  readonly operator: () => RunningOperator;
  readonly namespace: string;
}

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly name?: string };
}

const OPERATOR = 'system:serviceaccount:ipam-system:ipam-controller-manager';
/** Longer than any test. */
const FOLLOW_MS = 600_000;
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Services of one namespace, the operator that serves them, and what both say of themselves. */
export class ServiceScene {
  readonly #at: Surroundings;

  constructor(at: Surroundings) {
    this.#at = at;
  }

  get #client(): ControlPlane['client'] {
    return this.#at.plane().client;
  }

  /** Path of the Services, or of one. */
  path(name?: string): string {
    const all = `/api/v1/namespaces/${this.#at.namespace}/services`;
    return name === undefined ? all : `${all}/${name}`;
  }

  /** Makes the namespace. */
  async open(plane = this.#at.plane()): Promise<void> {
    const metadata = { name: this.#at.namespace };
    await plane.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata }]);
  }

  manifest(name: string, { annotations = {}, labels = {}, spec = {}, metadata = {} }: Wanted = {}) {
    const { namespace } = this.#at;
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, annotations, labels, ...metadata },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
    };
  }

  /** Creates a Service; what comes back is what admission made of it. */
  create(name: string, wanted: Wanted = {}): Promise<KubeObject> {
    return this.#client.request('POST', this.path(), this.manifest(name, wanted));
  }

  patch(name: string, change: unknown): Promise<KubeObject> {
    return this.#client.request('PATCH', this.path(name), change, 'merge');
  }

  annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<KubeObject> {
    return this.patch(name, { metadata: { annotations } });
  }

  get(name: string): Promise<KubeObject> {
    return this.#client.request('GET', this.path(name));
  }

  /** Deletes a Service and waits until it is gone. */
  async remove(name: string): Promise<void> {
    await this.#client.request('DELETE', this.path(name));
    await this.#client.watchUntilEmpty(this.path(name));
  }

  when(name: string, predicate: (object: KubeObject) => boolean, timeoutMs?: number): Promise<KubeObject> {
    return this.#client.objectWhen(this.path(name), predicate, timeoutMs);
  }

  ready(name: string, timeoutMs?: number): Promise<KubeObject> {
    return this.when(name, isReady, timeoutMs);
  }

  /** Waits until the condition is True and the status shows exactly these addresses, in any order. */
  shows(name: string, ...addresses: string[]): Promise<KubeObject> {
    const wanted = addresses.toSorted().join();
    return this.when(name, (object) => isReady(object) && ingressOf(object).toSorted().join() === wanted);
  }

  waits(name: string, reason: string): Promise<KubeObject> {
    return this.when(name, (object) => conditionOf(object)?.reason === reason);
  }

  /** Puts a Secret with a value for `ipam.vitistack.io/secret` into the namespace. */
  async secret(name: string, value: string): Promise<void> {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: this.#at.namespace } };
    await this.#client.apply([{ ...secret, type: 'Opaque', stringData: { secret: value } }]);
  }

  /** Runs kubectl on a manifest: `apply`, `replace`, `create`. */
  async kubectlFile(verb: string, object: unknown, ...words: string[]): Promise<string> {
    const { folder, kubectl } = this.#at.plane();
    const file = join(folder, `scene-${String(Math.random()).slice(2)}.json`);
    writeFileSync(file, JSON.stringify(object));
    return kubectl(verb, '-f', file, ...words);
  }

  /** Runs kubectl in the namespace. */
  kubectl(...words: string[]): Promise<string> {
    return this.#at.plane().kubectl('-n', this.#at.namespace, ...words);
  }

  /** Follows what the status of a Service shows, version by version. */
  async follow(name: string): Promise<Followed> {
    const seen: string[] = [];
    const end = `stop-${String(Math.random()).slice(2)}`;
    const look = ([object]: readonly KubeObject[]): boolean => {
      if (object === undefined) return false;
      const shown = ingressOf(object).toSorted().join();
      if (seen.at(-1) !== shown) seen.push(shown);
      return object.metadata.labels?.['followed'] === end;
    };
    const done = this.#client.watchUntil(this.path(name), look, FOLLOW_MS);
    done.catch(() => undefined); // told to whoever stops it
    await eventually(() => seen.length > 0);
    return {
      seen,
      stop: async () => {
        await this.patch(name, { metadata: { labels: { followed: end } } });
        await done;
        return seen;
      },
    };
  }

  /** Numbers of one metric, by its labels as they are written. */
  async numbers(metric: string): Promise<ReadonlyMap<string, number>> {
    const lines = (await this.#at.operator().metrics()).split('\n');
    const ours = lines.filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
    return new Map(
      ours.map((line) => [line.slice(metric.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  }

  /** How many addresses of a zone somebody holds, of both families. */
  async held(zone: string): Promise<number> {
    const all = [...(await this.numbers('ipam_zone_addresses'))];
    const ours = all.filter(([labels]) => labels.includes(`zone="${zone}"`) && labels.includes('state="held"'));
    return ours.reduce((sum, [, value]) => sum + value, 0);
  }

  async holds(zone: string, count: number, timeoutMs?: number): Promise<void> {
    await eventually(async () => {
      const held = await this.held(zone);
      if (held !== count) throw new RangeError(`zone ${zone} holds ${String(held)}, not ${String(count)}`);
      return true;
    }, timeoutMs);
  }

  /** Waits for an Event of the operator about a Service. */
  async event(name: string, reason: string): Promise<KubeObject> {
    const [found] = await this.#client
      .watchUntil(`/apis/events.k8s.io/v1/namespaces/${this.#at.namespace}/events`, (all) =>
        all.some((event) => isAbout(event, name, reason)),
      )
      .then((all) => all.filter((event) => isAbout(event, name, reason)));
    if (found === undefined) throw new RangeError(`no Event ${reason} about ${name}`);
    return found;
  }

  /**
   * Writes of the operator until now, from the API server's audit log: `verb resource[/subresource]`, Leases left out.
   *
   * @param name - of the only Service that counts
   */
  async writes(name?: string): Promise<readonly string[]> {
    await auditCaughtUp(this.#at.plane());
    const text = readFileSync(this.#at.plane().auditFile, 'utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.flatMap((line) => {
      const { verb, user, objectRef } = JSON.parse(line) as AuditLine;
      if (user.username !== OPERATOR || !WRITES.includes(verb) || objectRef === undefined) return [];
      const { resource, subresource, name: about } = objectRef;
      if (resource === 'leases') return [];
      if (name !== undefined && (resource !== 'services' || about !== name)) return [];
      return [`${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`];
    });
  }

  /**
   * Waits for writes of a Service.
   *
   * @param name - of the Service
   * @param expected - `before`: how many were there; `count`: how many more have to come at least
   * @returns all that came
   */
  async written(
    name: string,
    { before = 0, count }: { readonly before?: number; readonly count: number },
  ): Promise<readonly string[]> {
    return eventually(async () => {
      const more = (await this.writes(name)).slice(before);
      return more.length >= count && more;
    });
  }
}

function isAbout(event: KubeObject, name: string, reason: string): boolean {
  const { regarding } = event as KubeObject & { readonly regarding?: { readonly name?: string } };
  return event.reason === reason && regarding?.name === name;
}
