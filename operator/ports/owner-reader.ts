/** A reference to an object, as its author writes it. */
export interface OwnerName {
  /** API group and version. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Result of a look at an object: its UID, or why there is none. `unknownKind`: the API server has no such kind, or none with namespaces;
 * `notAllowed`: the operator may not read it.
 */
export type OwnerLook =
  { readonly state: 'stored'; readonly uid: string } | { readonly state: 'missing' | 'unknownKind' | 'notAllowed' };

/** Reads of objects of the kinds that the administrator names. Safe for parallel calls. */
export interface OwnerReader {
  /**
   * Looks at an object as it is stored now.
   *
   * @throws IpamError `cluster/unavailable`
   */
  look(owner: OwnerName): Promise<OwnerLook>;
}
