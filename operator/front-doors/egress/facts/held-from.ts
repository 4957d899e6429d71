import { readNamespace } from '../../../rules/egress';
import type { EgressPlan } from '../../../rules/egress/types';
import type { EgressDoorParts } from './door-parts';

/**
 * Tells whether namespaces have to give addresses back before an EgressIPAM goes. One that is being deleted holds its addresses until it is
 * gone, which may take any time, and does not count.
 *
 * @param context - record and namespaces
 * @param context.parts - of the door
 * @param plan - of the EgressIPAM
 * @returns false once all have let go
 */
export function isHeldFrom(
  { parts }: { readonly parts: Pick<EgressDoorParts, 'known' | 'namespaces'> },
  { name, network }: Pick<EgressPlan, 'name' | 'network'>,
): boolean {
  const records = parts.known.find({ by: 'pool', network, pool: name }).filter(({ door }) => door === 'egress');
  return records.some(({ holders }) =>
    holders.some(({ owner }) => {
      const object = parts.namespaces.get('', owner.name);
      return object !== undefined && !readNamespace(object).isDying;
    }),
  );
}
