/** Counter of changes of a record that this process alone writes to. */
export interface ClaimRevision {
  /**
   * Counts the changes of all records: a list that was read between two equal counts need not be read again. A quarantine that
   * runs out is no change.
   */
  revision(): Promise<number>;
}
