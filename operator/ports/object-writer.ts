import type { JsonMap } from '../contract/loose-json';
import type { Outcome } from '../errors/outcome';
import type { ObjectKey, ObjectName } from './object-feed';

/** An object as the API server has it, with the time of the answer. */
export interface StoredObject {
  readonly object: JsonMap;
  /** Time by the API server's own clock, milliseconds since 1970, to the second. */
  readonly serverTimeMs: number;
}

/** An owner as `metadata.ownerReferences` names it. */
export interface OwnerEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The version that a write must still find. */
export interface VersionGuard {
  readonly resourceVersion: string;
}

/**
 * Uncached reads and guarded writes of the objects of one kind. Refusals are values: `store/conflict` for another version,
 * `claim/not-found` for an object that is gone or was made anew under its name, `cluster/refused` for a rule of the cluster; nothing is
 * written then. Safe for parallel calls.
 *
 * Every verb throws IpamError `cluster/unavailable` when no answer came; a write may have been done all the same.
 */
export interface ObjectWriter {
  /** Reads one object as it is stored now; `object` is undefined when there is none. */
  read(name: ObjectName): Promise<{ readonly object: JsonMap | undefined; readonly serverTimeMs: number }>;
  /**
   * Creates an object; API version and kind are added.
   *
   * @returns the stored object; or refusal `store/conflict` when its name exists, `cluster/refused`
   */
  create(object: JsonMap): Promise<Outcome<StoredObject>>;
  /**
   * Replaces an object, compare-and-swap: `metadata` names the UID and the resource version that the new content was made from.
   *
   * With `isDryRun` it is judged as ever and not stored.
   *
   * @returns the stored object; or refusal `store/conflict`, `claim/not-found`, `cluster/refused`
   */
  replace(object: JsonMap, options?: { readonly isDryRun?: boolean }): Promise<Outcome<StoredObject>>;
  /**
   * Merges a patch into an object: metadata, and every field but a status that is a subresource. Fields that it does not name stay.
   *
   * @returns the stored object; or refusal `store/conflict` for another version than the guard's, `claim/not-found`, `cluster/refused`
   */
  patch(key: ObjectKey, patch: JsonMap, guard: VersionGuard): Promise<Outcome<JsonMap>>;
  /**
   * Merges a patch through the subresource `status`: the status changes and, of kinds that are built in, metadata too; the spec does not.
   *
   * @returns refusal `store/conflict`, `claim/not-found`, `cluster/refused`
   */
  patchStatus(key: ObjectKey, patch: JsonMap, guard?: VersionGuard): Promise<Outcome<void>>;
  /**
   * Server-side apply of the status under manager `ipam-operator`, by force: what an earlier call named and this one does not goes
   * away; undefined takes all of it away.
   *
   * @returns refusal `store/conflict`, `claim/not-found`, `cluster/refused`
   */
  applyStatus(key: ObjectKey, status: JsonMap | undefined, guard?: VersionGuard): Promise<Outcome<void>>;
  /**
   * Deletes one object; one that is gone already is success.
   *
   * @returns refusal `store/conflict` when it has another version than the guard, `cluster/refused`
   */
  delete(key: ObjectKey, guard?: VersionGuard): Promise<Outcome<void>>;
  /**
   * Adds one finalizer; an object that has it is success without a write. What a watch tells of the object, `known`, takes the place
   * of the read while it is the newest version.
   *
   * @returns the version that has the finalizer; or refusal `store/conflict` when others write the object all the time,
   *   `claim/not-found`, `cluster/refused`
   */
  addFinalizer(key: ObjectKey, finalizer: string, known?: JsonMap): Promise<Outcome<VersionGuard>>;
  /**
   * Adds one owner to `metadata.ownerReferences`, which blocks no deletion; an object that has it, by its UID, is success without a write.
   *
   * @returns refusal as {@link addFinalizer}
   */
  addOwner(key: ObjectKey, owner: OwnerEntry, known?: JsonMap): Promise<Outcome<VersionGuard>>;
  /**
   * Takes one finalizer off; an object without it, or that is gone, is success without a write.
   *
   * @returns refusal `store/conflict` when others write the object all the time, `cluster/refused`
   */
  removeFinalizer(key: ObjectKey, finalizer: string): Promise<Outcome<void>>;
}
