/** How much a variant holds while it is measured, and on which probes. */
export interface Load {
  /** Live addresses, blocks, fragments or prefixes. */
  readonly live: number;
  readonly family: 4 | 6;
}

/** A variant under load, ready to be measured. */
export interface Contestant {
  /** Does one operation and gives a number that depends on what was given out, so that variants can be compared. */
  op(): number;
  /** Operations between two looks at the clock: about a millisecond of work. */
  readonly batch: number;
  /** A sample is one batch: the operations change what they are measured on, so that every variant must do equally many. */
  readonly isOnce?: boolean;
  /** Bytes that the index holds beside typed arrays, whose size is measured. */
  readonly bytesOfValues?: number;
}

/** One way to solve a task; each runs in a process of its own. */
export type Shape = (load: Load) => Contestant;
