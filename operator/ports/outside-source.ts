import type { ClaimState } from './address-book';

/** Holder of an address by our record. */
export interface OutsideHolder {
  readonly clusterUid: string;
  /** Name of the namespace, empty where only its UID is known. */
  readonly namespace: string;
  readonly service: string;
  readonly state: ClaimState;
}

/** One difference between the outside source and the record. */
export interface OutsideDifference {
  /**
   * `orphan`: an entry of ours without a claim; `missing`: a claim without its entry; `foreign`: the source has the address of a
   * claim for another owner, whose entry is never touched.
   */
  readonly kind: 'orphan' | 'missing' | 'foreign';
  readonly network: string;
  readonly zone: string;
  /** In the form of RFC 5952. */
  readonly address: string;
  /** State or answer of the source: one sentence that begins with its name, without any secret. */
  readonly outside: string;
  /** Holders in our record; none for an orphan. */
  readonly holders: readonly OutsideHolder[];
  /** When it was seen first, as far as this is known; milliseconds since 1970. */
  readonly sinceMs: number;
  /** `create`: our entry is made, where it is foreign as soon as the other owner's is gone; `remove`: our entry is removed. */
  readonly next: 'create' | 'remove';
  /** When that is tried next, as of the comparison; milliseconds since 1970. */
  readonly nextAtMs: number;
}

/** Differences that a comparison of the outside source with the record found. */
export interface OutsideComparison {
  readonly atMs: number;
  /** How many differences there were. */
  readonly total: number;
  /** The first of them; a source that lost everything must not fill the store. */
  readonly differences: readonly OutsideDifference[];
  /** Zones that could not be compared, since the source did not answer. */
  readonly unread: readonly string[];
}

/** A system outside of ours that keeps a copy of the claims, for example NetBox. */
export interface OutsideSource {
  /** Its name for people. */
  readonly name: string;
  /**
   * Reads the newest comparison, by whichever process it was made.
   *
   * @returns the comparison; undefined before the first one
   * @throws IpamError `store/unavailable`
   */
  comparison(): Promise<OutsideComparison | undefined>;
}
