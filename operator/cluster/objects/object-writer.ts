import { FIELD_MANAGER } from '../../contract/group';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ObjectKey, ObjectName } from '../../ports/object-feed';
import type { ObjectWriter, OwnerEntry, StoredObject, VersionGuard } from '../../ports/object-writer';
import type { ApiAnswer, ApiClient, ApiRequest } from '../api/api-client';
import { TOO_LARGE } from '../api/api-attempt';
import { apiPath } from '../api/api-path';
import { isRuled, unavailable, type ApiRefusal } from '../api/api-refusal';

/** Kind that a {@link KubernetesObjectWriter} writes. */
export interface WrittenKind {
  /** For example `v1` or `ipam.vitistack.io/v1alpha1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name in lower case, for example `services`. */
  readonly resource: string;
  /** A kind of a CRD: in a patch of its status the API server passes over the UID and all other metadata but the version. */
  readonly custom?: boolean;
}

/** How often a change is tried on an object that others write at the same time. */
const TRIES = 5;

/** Makes new values of lists of the metadata; undefined where they are so already. */
type MetadataChange = (before: JsonMap) => JsonMap | undefined;

/** One patch of a status. */
type Patch = Required<Pick<ApiRequest, 'body' | 'contentType' | 'query'>>;

/**
 * Writes objects of one kind on a real cluster. Each write names the UID, so that none reaches an object made anew under the same
 * name.
 *
 * Safe for parallel calls. Needs no start; ends with its client.
 */
export class KubernetesObjectWriter implements ObjectWriter {
  readonly #client: ApiClient;
  readonly #kind: WrittenKind;

  /**
   * Makes one over an open client.
   *
   * @param client - the API server
   * @param kind - of the objects
   */
  constructor(client: ApiClient, kind: WrittenKind) {
    this.#client = client;
    this.#kind = kind;
  }

  /** @inheritdoc */
  async read(name: ObjectName): Promise<{ readonly object: JsonMap | undefined; readonly serverTimeMs: number }> {
    const answer = await this.#client.request({ method: 'GET', path: this.#path(name) });
    if (answer.ok) return this.#stored(answer);
    if (answer.status === 404) return { object: undefined, serverTimeMs: this.#timeOf(answer) };
    throw unavailable(`read ${this.#named(name)}`, answer);
  }

  /** @inheritdoc */
  async create(object: JsonMap): Promise<Outcome<StoredObject>> {
    const name = nameIn(object);
    const answer = await this.#client.request({
      method: 'POST',
      path: this.#collection(name.namespace),
      query: { fieldManager: FIELD_MANAGER },
      body: this.#typed(object),
    });
    if (answer.ok) return accept(this.#stored(answer));
    if (answer.status === 409) return refuse('store/conflict', `${this.#named(name)} exists already`);
    return this.#ruled(name, answer);
  }

  /** @inheritdoc */
  async replace(
    object: JsonMap,
    { isDryRun = false }: { readonly isDryRun?: boolean } = {},
  ): Promise<Outcome<StoredObject>> {
    const { uid } = metadataOf(object);
    const key = { ...nameIn(object), uid: textOf(uid) };
    const answer = await this.#client.request({
      method: 'PUT',
      path: this.#path(key),
      query: { fieldManager: FIELD_MANAGER, ...(isDryRun ? { dryRun: 'All' } : {}) },
      body: this.#typed(object),
    });
    if (answer.ok) return accept(this.#stored(answer));
    if (answer.status === 404) return this.#gone(key);
    if (answer.status === 409) return this.#conflict(key);
    return this.#ruled(key, answer);
  }

  /** @inheritdoc */
  async patch(key: ObjectKey, patch: JsonMap, guard: VersionGuard): Promise<Outcome<JsonMap>> {
    const answer = await this.#merge(key, patch, guard);
    if (answer.ok) return accept(answer.body);
    if (answer.status === 404) return this.#gone(key);
    // both are given for another UID and for other reasons, so the object itself must tell
    if ((answer.status === 409 || answer.status === 422) && (await this.#current(key)) === undefined)
      return this.#gone(key);
    if (answer.status === 409) return this.#changed(key);
    return this.#ruled(key, answer);
  }

  /** @inheritdoc */
  patchStatus(key: ObjectKey, patch: JsonMap, guard?: VersionGuard): Promise<Outcome<void>> {
    return this.#guarded(key, guard, (sure) =>
      this.#patchStatus(key, {
        contentType: 'application/merge-patch+json',
        query: { fieldManager: FIELD_MANAGER },
        body: { ...patch, metadata: { ...mapOf(patch['metadata']), uid: key.uid, ...sure } },
      }),
    );
  }

  /** @inheritdoc */
  applyStatus(key: ObjectKey, status: JsonMap | undefined, guard?: VersionGuard): Promise<Outcome<void>> {
    const { namespace, name, uid } = key;
    const within = namespace === '' ? {} : { namespace };
    return this.#guarded(key, guard, (sure) =>
      this.#patchStatus(key, {
        contentType: 'application/apply-patch+yaml',
        query: { fieldManager: FIELD_MANAGER, force: 'true' },
        // what the manager applied before and names no longer is taken away
        body: this.#typed({ metadata: { ...within, name, uid, ...sure }, ...(status === undefined ? {} : { status }) }),
      }),
    );
  }

  /** @inheritdoc */
  async delete(key: ObjectKey, guard?: VersionGuard): Promise<Outcome<void>> {
    const body = { preconditions: { uid: key.uid, ...guard } };
    const answer = await this.#client.request({ method: 'DELETE', path: this.#path(key), body });
    if (answer.ok || answer.status === 404) return accept(undefined);
    if (answer.status !== 409) return this.#ruled(key, answer);
    // another UID and another version are refused alike, so the object itself must tell
    return (await this.#current(key)) === undefined ? accept(undefined) : this.#changed(key);
  }

  /** @inheritdoc */
  addFinalizer(key: ObjectKey, finalizer: string, known?: JsonMap): Promise<Outcome<VersionGuard>> {
    const change: MetadataChange = ({ finalizers }) => {
      const before = listOf(finalizers);
      return before.includes(finalizer) ? undefined : { finalizers: [...before, finalizer] };
    };
    return this.#changeMetadata(key, change, known);
  }

  /** @inheritdoc */
  addOwner(key: ObjectKey, owner: OwnerEntry, known?: JsonMap): Promise<Outcome<VersionGuard>> {
    const change: MetadataChange = ({ ownerReferences }) => {
      const before = listOf(ownerReferences);
      const isThere = before.some((each) => mapOf(each)['uid'] === owner.uid);
      return isThere ? undefined : { ownerReferences: [...before, { ...owner }] };
    };
    return this.#changeMetadata(key, change, known);
  }

  /** @inheritdoc */
  async removeFinalizer(key: ObjectKey, finalizer: string): Promise<Outcome<void>> {
    const outcome = await this.#changeMetadata(key, ({ finalizers }) => {
      const before = listOf(finalizers);
      return before.includes(finalizer) ? { finalizers: before.filter((each) => each !== finalizer) } : undefined;
    });
    return outcome.ok || outcome.refusal.code === 'claim/not-found' ? accept(undefined) : outcome;
  }

  async #changeMetadata(key: ObjectKey, change: MetadataChange, known?: JsonMap): Promise<Outcome<VersionGuard>> {
    const { uid } = key;
    let read = metadataOf(known)['uid'] === uid ? known : undefined;
    for (let left = TRIES; left > 0; left--) {
      const current = read ?? (await this.#current(key));
      read = undefined;
      if (current === undefined) return this.#gone(key);
      const changed = change(metadataOf(current));
      if (changed === undefined) return accept(versionOf(current));
      const answer = await this.#merge(key, { metadata: changed }, versionOf(current));
      if (answer.ok) return accept(versionOf(answer.body));
      if (answer.status === 404) return this.#gone(key);
      if (answer.status !== 409) return this.#ruled(key, answer);
    }
    return this.#changed(key);
  }

  #merge(key: ObjectKey, patch: JsonMap, guard: VersionGuard): Promise<ApiAnswer> {
    return this.#client.request({
      method: 'PATCH',
      path: this.#path(key),
      query: { fieldManager: FIELD_MANAGER },
      contentType: 'application/merge-patch+json',
      body: { ...patch, metadata: { ...mapOf(patch['metadata']), uid: key.uid, ...guard } },
    });
  }

  // Of a custom resource no two objects have one version, so the newest version stands for the UID.
  async #guarded(
    key: ObjectKey,
    guard: VersionGuard | undefined,
    write: (guard: VersionGuard | undefined) => Promise<Outcome<void>>,
  ): Promise<Outcome<void>> {
    if (guard !== undefined || this.#kind.custom !== true) return write(guard);
    let outcome: Outcome<void> = this.#changed(key);
    for (let left = TRIES; left > 0; left--) {
      const current = await this.#current(key);
      if (current === undefined) return this.#gone(key);
      outcome = await write({ resourceVersion: textOf(metadataOf(current)['resourceVersion']) });
      if (outcome.ok || outcome.refusal.code !== 'store/conflict') return outcome;
    }
    return outcome;
  }

  async #patchStatus(key: ObjectKey, patch: Patch): Promise<Outcome<void>> {
    const path = apiPath({ ...this.#where(key), subresource: 'status' });
    const answer = await this.#client.request({ method: 'PATCH', path, ...patch });
    if (answer.ok) return accept(undefined);
    const { status, message } = answer;
    if (status === 404) return this.#gone(key);
    if (status === TOO_LARGE) return this.#refused(key, message);
    if (status !== 409 && status !== 422) throw unavailable(`write ${this.#named(key)}`, answer);
    // 409 and 422 are both given for another UID and for other reasons, so the object itself must tell
    if ((await this.#current(key)) === undefined) return this.#gone(key);
    return status === 409 ? this.#changed(key) : this.#refused(key, message);
  }

  // Undefined also for an object of another UID.
  async #current(key: ObjectKey): Promise<JsonMap | undefined> {
    const answer = await this.#client.request({ method: 'GET', path: this.#path(key) });
    if (!answer.ok && answer.status === 404) return undefined;
    if (!answer.ok) throw unavailable(`read ${this.#named(key)}`, answer);
    return metadataOf(answer.body)['uid'] === key.uid ? answer.body : undefined;
  }

  async #conflict(key: ObjectKey): Promise<Outcome<never>> {
    return (await this.#current(key)) === undefined ? this.#gone(key) : this.#changed(key);
  }

  #ruled(name: ObjectName, answer: ApiRefusal): Outcome<never> {
    if (isRuled(answer)) return this.#refused(name, answer.message);
    throw unavailable(`write ${this.#named(name)}`, answer);
  }

  #refused(name: ObjectName, message: string): Outcome<never> {
    return refuse('cluster/refused', `${this.#named(name)} was not written: ${message}`);
  }

  #changed(name: ObjectName): Outcome<never> {
    return refuse('store/conflict', `${this.#named(name)} was changed at the same time`);
  }

  #gone(key: ObjectKey): Outcome<never> {
    return refuse('claim/not-found', `${this.#named(key)} with UID "${key.uid}" is no longer stored`);
  }

  #stored(answer: ApiAnswer): StoredObject {
    return { object: answer.body, serverTimeMs: this.#timeOf(answer) };
  }

  #timeOf({ serverTimeMs }: ApiAnswer): number {
    if (serverTimeMs !== undefined) return serverTimeMs;
    const { resource } = this.#kind;
    throw new IpamError('cluster/unavailable', `the API server answered for ${resource} without the header Date`);
  }

  #typed(object: JsonMap): JsonMap {
    const { apiVersion, kind } = this.#kind;
    return { apiVersion, kind, ...object };
  }

  #named({ namespace, name }: ObjectName): string {
    return `${this.#kind.kind} "${namespace === '' ? name : `${namespace}/${name}`}"`;
  }

  #collection(namespace: string): string {
    const { apiVersion, resource } = this.#kind;
    return apiPath({ apiVersion, resource, ...(namespace === '' ? {} : { namespace }) });
  }

  #path(name: ObjectName): string {
    return apiPath(this.#where(name));
  }

  #where({ namespace, name }: ObjectName): Parameters<typeof apiPath>[0] {
    const { apiVersion, resource } = this.#kind;
    return { apiVersion, resource, ...(namespace === '' ? {} : { namespace }), name };
  }
}

const versionOf = (object: JsonMap): VersionGuard => ({
  resourceVersion: textOf(metadataOf(object)['resourceVersion']),
});

function nameIn(object: JsonMap): ObjectName {
  const { namespace, name } = metadataOf(object);
  return { namespace: textOf(namespace), name: textOf(name) };
}
