import type { Address } from './address';
import type { PrefixSet } from './prefix-set';

/** Search for free space inside of a block. */
export interface FitSearch {
  /** Bits of the wanted prefix. */
  readonly length: number;
  /** Space that is never chosen; the same object while nothing of it changes, since the free space is remembered by it. */
  readonly without: PrefixSet;
  /** Address that is passed over though it counts as free. */
  readonly skip?: Address;
}
