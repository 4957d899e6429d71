import type { JsonMap } from '../contract/loose-json';
import type { Outcome } from '../errors/outcome';

/** Which object was meant, so that one made anew under its name, or one that was changed since, stays as it is. */
export interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Objects of one kind, raw, in one namespace or in the whole cluster. Reads ask the API server, so what was written a moment ago
 * is seen. Safe for parallel calls.
 */
export interface KubernetesObjects {
  /**
   * Reads all of them, with their `managedFields`.
   *
   * @throws IpamError `cluster/unavailable`
   */
  list(): Promise<readonly JsonMap[]>;
  /**
   * Server-side apply under manager `ipam-operator`: what the object names becomes ours, what an earlier call named and this
   * one does not goes away, everything else stays. Makes the object where there is none.
   *
   * @param object - `metadata.name`, and the fields to set; API version and kind are added
   * @param options - `takeOver`: fields that others own become ours, which is refused otherwise
   * @returns the stored object; or refusal `store/conflict` that names the managers of the fields, `cluster/refused` for a rule of the cluster
   * @throws IpamError `cluster/unavailable`
   */
  apply(object: JsonMap, options?: { readonly takeOver?: boolean }): Promise<Outcome<JsonMap>>;
  /**
   * Deletes one object; "not found" is success.
   *
   * @param name - of the object
   * @param version - what it must still be
   * @returns refusal `store/conflict` when it is another one by now, `cluster/refused` for a rule of the cluster
   * @throws IpamError `cluster/unavailable`
   */
  delete(name: string, version?: ObjectVersion): Promise<Outcome<void>>;
  /**
   * Tells each change after the first complete list, and each object of that list; what was missed while the connection was
   * away is told after it.
   *
   * @returns the function that stops it
   */
  watch(listener: (name: string) => void): () => void;
}
