import { readNamespace } from '../../../rules/egress';
import type { EgressNamespace, EgressPlan } from '../../../rules/egress/types';
import type { HeldPlace } from './carrier';
import type { EgressDoorParts } from './door-parts';

/** Parts by which it is told what namespaces hold. */
interface HeldFromContext {
  readonly parts: Pick<EgressDoorParts, 'known' | 'namespaces'>;
}

/** An address of an EgressIPAM that is being deleted, and the stored namespace that has to give it back. */
export interface HeldFrom extends HeldPlace {
  readonly namespace: EgressNamespace;
}

/**
 * Lists what namespaces have to give back before an EgressIPAM goes. One that is being deleted holds its addresses until it is gone, which may
 * take any time, and does not count.
 *
 * @param context - record and namespaces
 * @param context.parts - of the door
 * @param plan - of the EgressIPAM
 * @returns addresses, the lowest first; none once all have let go
 */
export function heldFrom(
  { parts }: HeldFromContext,
  { name, network: of }: Pick<EgressPlan, 'name' | 'network'>,
): readonly HeldFrom[] {
  const records = parts.known.find({ by: 'pool', network: of, pool: name }).filter(({ door }) => door === 'egress');
  return records.flatMap(({ network, address, holders }) =>
    holders.flatMap(({ owner }): readonly HeldFrom[] => {
      const object = parts.namespaces.get('', owner.name);
      const namespace = object && readNamespace(object);
      return namespace === undefined || namespace.isDying ? [] : [{ network, address, namespace }];
    }),
  );
}

/**
 * Tells whether an EgressIPAM that is being deleted waits for namespaces.
 *
 * @param context - record and namespaces
 * @param plan - of the EgressIPAM
 * @returns false once all have let go
 */
export const isHeldFrom = (context: HeldFromContext, plan: Pick<EgressPlan, 'name' | 'network'>): boolean =>
  heldFrom(context, plan).length > 0;
