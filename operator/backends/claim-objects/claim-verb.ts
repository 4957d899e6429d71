import type { Outcome } from '../../errors/outcome';
import type { AddressRecord } from '../../ports/claims';
import type { ClaimView } from './claim-view';
import type { ClaimWrite } from './claim-write';

/** The answer of a verb to the claims as they are. */
export type Decided<V> =
  /** Writes objects, all or none; `answer` gets their records in the order of the writes, undefined for a deleted one. */
  | {
      readonly as: 'writes';
      readonly writes: readonly ClaimWrite[];
      readonly answer: (records: readonly (AddressRecord | undefined)[]) => V;
    }
  /** Writes objects, all or none, and decides again once that is done. */
  | { readonly as: 'first'; readonly writes: readonly ClaimWrite[] }
  /** Answers without a write. */
  | { readonly as: 'answer'; readonly value: V }
  /** Refuses; `because` names the objects that it rests on, which are read once more before the caller is told. */
  | { readonly as: 'refusal'; readonly outcome: Outcome<never>; readonly because: readonly string[] }
  /** Depends on an object about which another decision is under way. */
  | { readonly as: 'depends'; readonly name: string };

/** One call of a verb that waits for its turn. */
export interface ClaimVerb<V> {
  /**
   * Decides, and writes nothing.
   *
   * @param view - the claims
   * @param decision - mark for the objects that are written
   */
  decide(view: ClaimView, decision: string): Decided<V>;
}
