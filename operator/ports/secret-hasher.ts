/** Makes the keyed hash under which a secret is stored and compared; the secret itself is never kept. */
export interface SecretHasher {
  /**
   * Hashes a secret with the server's key.
   *
   * @param secret - the secret as its owner sent it, 8 to 64 characters
   * @returns `<key id>:<hex>`; equal secrets give equal hashes under one key
   */
  hash(secret: string): string;
  /** A value that tells one key from another without revealing it; stored beside the data. */
  readonly fingerprint: string;
}
