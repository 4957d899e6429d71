import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { apiPath } from '../../../cluster/api/api-path';
import type { ApiAnswer, ApiClient, ApiRequest } from '../../../cluster/api/api-client';
import { isRuled } from '../../../cluster/api/api-refusal';
import { IP_ALLOCATION } from '../../../contract/kinds/ip-allocation';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { NEPHIO_GROUP, PACKAGE_ANNOTATIONS } from '../../../contract/nephio';
import { conditionOf, statusIn } from '../../../contract/stored-status';
import { CATALOGUE, type ErrorCode } from '../../../errors/catalogue';
import { isIpamError } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { AllocationName, Granted, InjectionBackEnd, InjectionRequest, PackageOwner } from './back-end';

const API_VERSION = `${NEPHIO_GROUP}/${IP_ALLOCATION.version}`;
/** Annotation by which kpt and other tools know what they applied, and prune it. */
const INVENTORY = 'config.k8s.io/owning-inventory';
/** Tries of a change that other writers of the object may meet. */
const TRIES = 8;
/** Pause between two watches of one object, in milliseconds. */
const PAUSE_MS = 500;

type ApiRefusal = ApiAnswer & { readonly ok: false };
/** Result of one try; `again` after a write of another client at the same moment. */
type Tried<V> = Outcome<V> | 'again';
type Owned = AllocationName & { readonly owner: PackageOwner };

/** How the API server is asked. */
interface KubernetesOptions {
  readonly client: ApiClient;
  /** Longest wait for an answer to one IPAllocation, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Gives by the API server: each request becomes an IPAllocation of the cluster, which its operator serves. An annotation on it says for
 * which package it was made, and so does one on an IPAllocation that was there before and asks for the same.
 *
 * @param options - the API server, and how long its operator may take
 * @returns the back end; closing it closes the client
 */
export function kubernetesBackEnd(options: KubernetesOptions): InjectionBackEnd {
  return new KubernetesBackEnd(options);
}

class KubernetesBackEnd implements InjectionBackEnd {
  readonly #client: ApiClient;
  readonly #waitMs: number;

  constructor({ client, waitMs }: KubernetesOptions) {
    this.#client = client;
    this.#waitMs = waitMs;
  }

  async take(request: InjectionRequest): Promise<Outcome<Granted>> {
    const placed = await tried(request, () => this.#place(request));
    return placed.ok ? this.#given(request, placed.value) : placed;
  }

  release(of: Owned): Promise<Outcome<boolean>> {
    return tried(of, () => this.#release(of));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #place(request: InjectionRequest): Promise<Tried<JsonMap>> {
    const { namespace, name, owner, labels, spec } = request;
    const read = await this.#client.request({ method: 'GET', path: pathOf(request) });
    if (read.ok) return this.#settle(request, read.body);
    if (read.status !== 404) return refused(request, read);
    const annotations = { ...marksOf(owner), [PACKAGE_ANNOTATIONS.injected]: 'true' };
    const metadata = { namespace, name, labels, annotations };
    const body = { apiVersion: API_VERSION, kind: IP_ALLOCATION.kind, metadata, spec };
    return this.#written(request, { method: 'POST', path: pathOf({ namespace }), body });
  }

  async #settle(request: InjectionRequest, object: JsonMap): Promise<Tried<JsonMap>> {
    const { owner, labels, spec } = request;
    const metadata = metadataOf(object);
    const named = textFor(request);
    if (metadata['deletionTimestamp'] !== undefined) {
      return refuse('store/conflict', `${named} is being deleted; try again once it is gone`);
    }
    const id = markIn(object, PACKAGE_ANNOTATIONS.id);
    if (id !== '' && id !== owner.id)
      return otherPackage(named, { id, name: markIn(object, PACKAGE_ANNOTATIONS.name) });
    const isSame = isDeepStrictEqual(specOf(object), spec) && holdsLabels(object, labels);
    const isMarked = id !== '';
    if (isSame && isMarked) return accept(object);
    if (!isSame && markIn(object, PACKAGE_ANNOTATIONS.injected) !== 'true') {
      const message = `${named} is in the cluster with another spec or without the labels of the package, and was not made for it; make both the same, or give one of them another name`;
      return refuse('package/other', message, { field: 'spec' });
    }
    const annotations = { ...mapOf(metadata['annotations']), ...marksOf(owner) };
    const body = {
      ...object,
      metadata: { ...metadata, annotations, labels: { ...mapOf(metadata['labels']), ...labels } },
      spec,
    };
    return this.#written(request, { method: 'PUT', path: pathOf(request), body });
  }

  async #written(
    of: AllocationName,
    call: { readonly method: 'POST' | 'PUT'; readonly path: string; readonly body: JsonMap },
  ): Promise<Tried<JsonMap>> {
    const answer = await this.#client.request(call);
    if (answer.ok) return accept(answer.body);
    return answer.status === 409 ? 'again' : refused(of, answer);
  }

  // Waits until the operator has decided about an object as it was stored.
  async #given(of: AllocationName, stored: JsonMap): Promise<Outcome<Granted>> {
    const ending = AbortSignal.timeout(this.#waitMs);
    const generation = Number(metadataOf(stored)['generation'] ?? 0);
    for (let object = stored; !ending.aborted;) {
      const decided = decisionOf(object, generation) ?? (await this.#watched(of, { object, generation, ending }));
      if (decided !== undefined) return decided;
      await pauseBefore(ending);
      const read = await this.#client.request({ method: 'GET', path: pathOf(of) });
      if (!read.ok && read.status === 404) return refuse('claim/not-found', `${textFor(of)} was deleted meanwhile`);
      const ruled = ruledOut(of, read);
      if (ruled !== undefined) return ruled;
      if (read.ok) object = read.body;
    }
    const seconds = String(this.#waitMs / 1000);
    const message = `${textFor(of)} was not decided about in ${seconds} s; is an operator with --networks running in the cluster?`;
    return refuse('store/deadline', message);
  }

  async #watched(
    of: AllocationName,
    {
      object,
      generation,
      ending,
    }: { readonly object: JsonMap; readonly generation: number; readonly ending: AbortSignal },
  ): Promise<Outcome<Granted> | undefined> {
    const { namespace, name } = of;
    const query = {
      watch: 'true',
      fieldSelector: `metadata.name=${name}`,
      resourceVersion: textOf(metadataOf(object)['resourceVersion']),
    };
    // ends the watch when its answer is known
    const closing = new AbortController();
    const signal = AbortSignal.any([ending, closing.signal]);
    try {
      const events = await this.#client.stream({ method: 'GET', path: pathOf({ namespace }), query, signal });
      if (!(Symbol.asyncIterator in events)) return ruledOut(of, events);
      for await (const event of events) {
        const now = mapOf(event['object']);
        if (event['type'] === 'ERROR' || event['type'] === 'DELETED') return undefined;
        const decided = metadataOf(now)['name'] === name ? decisionOf(now, generation) : undefined;
        if (decided !== undefined) return decided;
      }
    } catch (thrown) {
      if (!isIpamError(thrown)) throw thrown;
    } finally {
      closing.abort();
    }
    return undefined;
  }

  async #release(of: Owned): Promise<Tried<boolean>> {
    const read = await this.#client.request({ method: 'GET', path: pathOf(of) });
    if (!read.ok) return read.status === 404 ? accept(false) : refused(of, read);
    const object = read.body;
    if (markIn(object, PACKAGE_ANNOTATIONS.id) !== of.owner.id) return accept(false);
    if (metadataOf(object)['deletionTimestamp'] !== undefined) return accept(true);
    const answer = await this.#client.request(endOf(pathOf(of), object));
    if (answer.ok || answer.status === 404) return accept(true);
    return answer.status === 409 ? 'again' : refused(of, answer);
  }
}

// An IPAllocation that others made or took over stays, without our marks.
function endOf(path: string, object: JsonMap): ApiRequest {
  const { uid, resourceVersion, ownerReferences } = metadataOf(object);
  const isOwned = markIn(object, INVENTORY) !== '' || listOf(ownerReferences).length > 0;
  if (markIn(object, PACKAGE_ANNOTATIONS.injected) === 'true' && !isOwned) {
    return { method: 'DELETE', path, body: { preconditions: { uid, resourceVersion } } };
  }
  const annotations = Object.fromEntries(Object.values(PACKAGE_ANNOTATIONS).map((key) => [key, null]));
  const body = { metadata: { uid, resourceVersion, annotations } };
  return { method: 'PATCH', path, contentType: 'application/merge-patch+json', body };
}

async function tried<V>(of: AllocationName, attempt: () => Promise<Tried<V>>): Promise<Outcome<V>> {
  for (let left = TRIES; left > 0; left -= 1) {
    const done = await attempt();
    if (done !== 'again') return done;
  }
  return refuse('store/conflict', `${textFor(of)} is changed by other clients all the time; try again`);
}

// Between two looks where a watch ended without a decision, which may be at once.
async function pauseBefore(ending: AbortSignal): Promise<void> {
  await setTimeout(PAUSE_MS, undefined, { signal: ending }).catch(() => undefined);
}

const textFor = ({ namespace, name }: AllocationName): string => `IPAllocation ${namespace}/${name}`;

const pathOf = (of: { readonly namespace: string; readonly name?: string }): string =>
  apiPath({
    apiVersion: API_VERSION,
    resource: IP_ALLOCATION.plural,
    namespace: of.namespace,
    ...(of.name === undefined ? {} : { name: of.name }),
  });

const marksOf = ({ id, name }: PackageOwner): Readonly<Record<string, string>> => ({
  [PACKAGE_ANNOTATIONS.id]: id,
  [PACKAGE_ANNOTATIONS.name]: name,
});

const markIn = (object: JsonMap, key: string): string => textOf(mapOf(metadataOf(object)['annotations'])[key]);

const specOf = (object: JsonMap): JsonMap => ({ kind: 'network', ...mapOf(object['spec']) });

function holdsLabels(object: JsonMap, labels: InjectionRequest['labels']): boolean {
  const stored = mapOf(metadataOf(object)['labels']);
  return Object.entries(labels).every(([key, value]) => stored[key] === value);
}

function otherPackage(named: string, { id, name }: PackageOwner): Outcome<never> {
  const message = `${named} was taken for package "${name}" with the id ${id}; give it another name or namespace in one of the packages, or give --package-id ${id} where they are one package`;
  return refuse('package/other', message, { field: 'metadata.name' });
}

function refused(of: AllocationName, { status, message }: ApiRefusal): Outcome<never> {
  const code = status === 404 ? 'api/not-found' : status === 403 ? 'api/forbidden' : 'request/invalid';
  const text = `${textFor(of)}: the API server refuses it: ${message}`;
  return refuse(isRuled({ status }) || status === 404 ? code : 'cluster/refused', text);
}

const ruledOut = (of: AllocationName, answer: ApiAnswer): Outcome<never> | undefined =>
  !answer.ok && isRuled(answer) ? refused(of, answer) : undefined;

function decisionOf(object: JsonMap, generation: number): Outcome<Granted> | undefined {
  const status = statusIn(object);
  const ready = conditionOf(status, 'Ready');
  if (Number(status['observedGeneration'] ?? 0) < generation || ready === undefined) return undefined;
  if (ready['status'] === 'True') return granted(status);
  const accepted = conditionOf(status, 'Accepted');
  // without it the record did not answer, and the operator tries again
  if (!isMap(accepted) || accepted['status'] !== 'False') return undefined;
  return refuse(codeOf(textOf(accepted['reason'])), textOf(accepted['message']));
}

function granted({ prefix, gateway, parentPrefix }: JsonMap): Outcome<Granted> | undefined {
  if (typeof prefix !== 'string') return undefined;
  return accept({
    prefix,
    ...(typeof gateway === 'string' ? { gateway } : {}),
    ...(typeof parentPrefix === 'string' ? { parentPrefix } : {}),
  });
}

function codeOf(reason: string): ErrorCode {
  const codes = Object.keys(CATALOGUE) as readonly ErrorCode[];
  return codes.find((code) => CATALOGUE[code].reason === reason) ?? 'cluster/refused';
}
