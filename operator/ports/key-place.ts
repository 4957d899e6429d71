/** Where the key lives under which secrets are hashed: a file, or a Secret of the cluster. */
export interface KeyPlace {
  /** For messages, after "the": `hash key file "/data/hash-key"`. */
  readonly name: string;
  /**
   * Reads the text of the key, undefined when there is none.
   *
   * @throws IpamError `store/keys` when it cannot be read, `cluster/unavailable`
   */
  read(): Promise<string | undefined>;
  /**
   * Keeps a text, durable and in one piece, unless the place has one already.
   *
   * @throws IpamError `store/keys` when it cannot be written, `cluster/unavailable`
   */
  create(text: string): Promise<void>;
}
