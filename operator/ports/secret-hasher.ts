/** Makes the keyed hash under which a secret is stored and compared; the secret itself is kept only where that is asked for. */
export interface SecretHasher {
  /**
   * Hashes a secret with the server's newest key.
   *
   * @param secret - the secret as its owner sent it, 8 to 64 characters
   * @returns `<key id>:<hex>`; equal secrets give equal hashes under one key
   */
  hash(secret: string): string;
  /**
   * Hashes a secret with every key that stored hashes may have been made with; absent where there is one key only.
   *
   * @param secret - the secret as its owner sent it
   * @returns as {@link SecretHasher.hash}, that one first
   */
  hashes?(secret: string): readonly string[];
  /**
   * Encrypts a secret, so that an administrator can read it again; absent where secrets are not recoverable.
   *
   * @param secret - the secret as its owner sent it
   * @returns `<key id>:<text>`, another one at each call
   */
  seal?(secret: string): string;
  /**
   * Decrypts what {@link SecretHasher.seal} made.
   *
   * @param sealed - as stored
   * @returns the secret; undefined when its key is gone or the text was changed
   */
  unseal?(sealed: string): string | undefined;
  /** A value that tells these keys from others without revealing them; stored beside the data. */
  readonly fingerprint: string;
}
