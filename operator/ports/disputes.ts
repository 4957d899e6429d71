import type { Address } from '../addressing/address';
import type { Refusal } from '../errors/outcome';

/** An address of one network. */
export interface DisputedPlace {
  readonly network: string;
  readonly address: Address;
}

/**
 * Addresses on record here that a system outside has for another owner. No holder loses an address by that; each is told.
 */
export interface Disputes {
  /** The obstacle, in one sentence without any secret; undefined where there is none. */
  over(place: DisputedPlace): Refusal | undefined;
  /** False until this process has looked everywhere; what an earlier one told still counts then. */
  known(): boolean;
  /**
   * Tells of each dispute that begins, ends or gets other words.
   *
   * @returns the function that stops it
   */
  onChange(listener: (place: DisputedPlace) => void): () => void;
}

/** Place where a comparison writes disputes down. */
export interface DisputeNotes extends Pick<Disputes, 'over'> {
  /** A dispute begins, or goes on with these words. */
  found(place: DisputedPlace, refusal: Refusal): void;
  /** It is over, if there was one. */
  ended(place: DisputedPlace): void;
  /** Every place with a dispute. */
  places(): readonly DisputedPlace[];
  /** True: everything was compared. False: there are no comparisons here any more. */
  settle(known: boolean): void;
}
