import { decideNamespace } from '../../rules/egress';
import type { EgressNamespace } from '../../rules/egress/types';
import type { EgressContext } from './facts/context';
import { keepFinalizer } from './egress-ipam';
import { fillAll } from './fill';
import { heldBy } from './facts/record';
import { viewOf } from './facts/view';

/**
 * Puts on record what a namespace lists and does not hold, where its list is right. Nothing new is chosen.
 *
 * @param context - of the controller
 * @param namespace - the stored one
 * @returns the number of addresses that came on record
 * @throws IpamError where the record cannot be written
 */
export async function restoreListed(context: EgressContext, namespace: EgressNamespace): Promise<number> {
  const { parts, plans } = context;
  const plan = namespace.egressIpam === undefined ? undefined : plans.plan(namespace.egressIpam);
  if (plan === undefined || namespace.list.kind !== 'listed') return 0;
  const facts = { namespace, held: heldBy(parts.known, namespace) };
  // every list is looked at before any address is chosen; what the cloud alone knows is asked by the cloud itself when it attaches
  const view = { ...viewOf(context, namespace.name, { isRestoring: true }), usesProblem: () => undefined };
  const { slots } = decideNamespace(facts, view);
  const listed = slots.filter(({ moves, offers }) => {
    return moves === undefined && offers.every(({ address }) => address !== undefined);
  });
  if (listed.length === 0 || !(await keepFinalizer(context, plan.name))) return 0;
  const filled = await fillAll(context, listed, { namespace, plan });
  return filled === 'again' ? 0 : filled.filter((each) => each !== undefined).length;
}
