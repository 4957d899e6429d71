/** How many live records were hashed with a key. */
export interface KeyUse {
  readonly keyId: string;
  readonly records: number;
}

/** Which keys the secrets of a record were hashed with (`ports/secret-hasher`). */
export interface KeyMark {
  /**
   * Reads or, in a store that holds no claim, writes the fingerprint of the secret key. Without a candidate it only reads.
   *
   * @returns what is stored; empty text when no fingerprint was ever written
   */
  keyFingerprint(candidate?: string): Promise<string>;
  /** Replaces the fingerprint of the keys if it is `before`; tells whether it did. */
  replaceKeyFingerprint(before: string, after: string): Promise<boolean>;
  /** Counts live records with a secret by the key that hashed it, by key id. */
  keyUse(): Promise<readonly KeyUse[]>;
}
