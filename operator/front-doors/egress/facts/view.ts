import type { Address } from '../../../addressing/address';
import type { EgressUse, EgressView } from '../../../rules/egress/types';
import type { EgressContext } from './context';
import { formerOf, holderText, isFormerOf } from './record';

/** Record, plans and uses that a decision sees. */
export type ViewedContext = Pick<EgressContext, 'parts' | 'plans' | 'inUse' | 'isGiving'>;

/**
 * Shows the state of the cluster to the decision about one namespace.
 *
 * @param context - of the controller, or of a review
 * @param name - of the namespace
 * @returns EgressIPAMs, and the use of addresses
 */
export function viewOf(context: ViewedContext, name: string): EgressView {
  const { parts, plans } = context;
  return {
    plan: (of) => plans.plan(of),
    useAt: (network, address) => useAt(context, { name, network, address }),
    formerOf: (network) => formerOf(parts.known, name, network),
    isComplete: () => context.isGiving && context.inUse.isComplete(),
  };
}

interface UsedPlace {
  readonly name: string;
  readonly network: string;
  readonly address: Address;
}

function useAt(
  { parts, inUse }: Pick<ViewedContext, 'parts' | 'inUse'>,
  { name, network, address }: UsedPlace,
): EgressUse {
  const record = parts.known.at({ network, address });
  if (record !== undefined && record.state !== 'quarantined') return { kind: 'held', holder: holderText(record) };
  const source = inUse.sourceAt(address, { network, namespace: name });
  if (source !== undefined) return { kind: 'occupied', source };
  return record === undefined ? { kind: 'free' } : { kind: 'quarantined', isFormer: isFormerOf(record, name) };
}
