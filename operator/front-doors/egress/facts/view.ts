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
 * @param options - how it is asked
 * @param options.isRestoring - true while lists come on record: what they name may be on machines of nodes already
 * @returns EgressIPAMs, and the use of addresses
 */
export function viewOf(context: ViewedContext, name: string, { isRestoring = false } = {}): EgressView {
  const { parts, plans } = context;
  return {
    plan: (of) => plans.plan(of),
    useAt: (network, address) => useAt(context, { name, network, address, isRestoring }),
    formerOf: (network) => formerOf(parts.known, name, network),
    usesProblem: (plan) =>
      context.inUse.problemOf(plan) ?? (context.isGiving ? undefined : 'what namespaces list is not all on record yet'),
  };
}

interface UsedPlace {
  readonly name: string;
  readonly network: string;
  readonly address: Address;
  readonly isRestoring: boolean;
}

function useAt(
  { parts, inUse }: Pick<ViewedContext, 'parts' | 'inUse'>,
  { name, network, address, isRestoring }: UsedPlace,
): EgressUse {
  const record = parts.known.at({ network, address });
  if (record !== undefined && record.state !== 'quarantined') return { kind: 'held', holder: holderText(record) };
  const source = inUse.sourceAt(address, { network, namespace: name, isRestoring });
  if (source !== undefined) return { kind: 'occupied', source };
  return record === undefined ? { kind: 'free' } : { kind: 'quarantined', isFormer: isFormerOf(record, name) };
}
