import type { Carrier } from './carrier';
import type { EgressDoorParts } from './door-parts';
import type { EgressGauges } from './gauges';
import type { HeldBack } from './held-back';
import type { InUse } from './in-use';
import type { EgressPlans } from './plans';
import type { NamespaceStates } from './states';
import type { Waiting } from './waiting';

/** Everything that the controller shares between pieces of its work. */
export interface EgressContext {
  readonly parts: EgressDoorParts;
  readonly plans: EgressPlans;
  readonly inUse: InUse;
  readonly states: NamespaceStates;
  readonly waiting: Waiting;
  readonly gauges: EgressGauges;
  readonly carrier: Carrier;
  /** When an EgressIPAM that is being deleted was first looked at in this term, by its name. */
  readonly dyingSinceMs: Map<string, number>;
  /** Addresses that stay on record for the sake of a dataplane which is not driven, by their namespace. */
  readonly heldBack: Map<string, readonly HeldBack[]>;
  /** True once what namespaces list is on record, in the term in which this process leads. */
  isGiving: boolean;
}

/**
 * How a piece of work ended: done, to be decided once more since something else changed at the same time, or done but for addresses that a
 * dataplane still has.
 */
export type Ended = 'done' | 'again' | 'carried';
