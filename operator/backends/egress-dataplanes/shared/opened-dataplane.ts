import type { EgressDataplane } from '../../../ports/egress-dataplane';

/** A driver with its watches, which its opener ends. */
export interface OpenedDataplane extends EgressDataplane {
  /** Ends the watches; no listener is called any more. Resolves when nothing is under way. */
  close(): Promise<void>;
}
