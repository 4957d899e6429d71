import { isIn, type Address } from '../../../addressing/address';
import { inOrder } from '../decide-namespace';
import type { EgressPlan, NamespaceDecision } from '../types';

/** Everything that decides what the traffic of a namespace is sent from. */
export interface SendingFacts {
  /** About the namespace, as the record and its list are now. */
  readonly decision: Pick<NamespaceDecision, 'keep' | 'slots' | 'problem'>;
  /** Addresses that no other namespace can have: it holds them, or they are in quarantine after it. */
  readonly own: readonly Address[];
  /** What its traffic is sent from now; undefined where that is not known. */
  readonly now: readonly Address[] | undefined;
  readonly plan: EgressPlan;
}

/**
 * Decides what the traffic of a namespace is sent from. While it waits for an address, or its list is wrong, nothing new is added, and nothing
 * that it holds is taken away.
 *
 * @param facts - decision and present state
 * @returns addresses in the order of the CIDRs; undefined where everything is to stay as it is
 */
export function sentFrom({ decision, own, now, plan }: SendingFacts): readonly Address[] | undefined {
  const { keep, slots, problem } = decision;
  if (slots.length === 0 && problem === undefined)
    return inOrder(
      keep.map(({ address }) => address),
      plan,
    );
  if (now !== undefined)
    return inOrder(
      own.filter((address) => isIn(address, now)),
      plan,
    );
  // what is taken for a slot may be given back at once
  return slots.length > 0 ? undefined : inOrder(own, plan);
}
