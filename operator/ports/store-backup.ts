/** A store that copies itself while it serves. */
export interface StoreBackup {
  /**
   * Writes a consistent copy of everything, readable by its owner alone.
   *
   * @throws IpamError `store/unavailable` when it cannot be written, `store/closed`
   */
  backup(path: string): Promise<void>;
}
