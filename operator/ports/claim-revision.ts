/** Counter of changes of a record that this process alone writes to. */
export interface ClaimRevision {
  /**
   * Counts the changes of all records: a list that was read between two equal counts need not be read again. A quarantine that
   * runs out is no change before a write notices its end. Each change that is told to the watchers counts, so where this number grew
   * by more than were told, something else changed too.
   */
  revision(): Promise<number>;
}
