import type { PrefixSet } from '../addressing/prefix-set';

/** Space of one pool, as other doors see it. */
export interface NamedSpace {
  /** Absent where it is not known, so that any network may be meant. */
  readonly network?: string;
  readonly name: string;
  /** All of the pool, excluded addresses too. */
  readonly space: PrefixSet;
}

/** Space that the pools of one kind have. Assembly hands them to the doors that choose addresses, so that no door knows another one. */
export interface PoolSpaces {
  /** In the words of users, for messages, for example `zone`. */
  readonly kind: string;
  /** Resolves when every pool that was stored at the start is known; absent where they are known from the start. */
  whenKnown?(): Promise<void>;
  /** Lists the pools as they are now; the same list while nothing changed. */
  list(): readonly NamedSpace[];
  /** Tells that some pool was added, changed or removed; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}
