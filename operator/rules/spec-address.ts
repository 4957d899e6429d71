import { IPAM } from '../contract/group';
import type { ServiceView } from '../contract/service';
import { annotationPath } from '../contract/service-annotations';
import type { Refusal } from '../errors/outcome';
import type { FamilyPlan } from './family-facts';

/**
 * Refuses `spec.loadBalancerIP`, which holds one address, for a Service with two families.
 *
 * @param service - the object
 * @param plan - its families
 * @returns at most one refusal
 */
export function specAddressProblems(
  { loadBalancerIP }: Pick<ServiceView, 'loadBalancerIP'>,
  plan: FamilyPlan,
): readonly Refusal[] {
  if (loadBalancerIP === undefined || plan.families.length < 2) return [];
  const field = 'spec.loadBalancerIP';
  const message = `${field} names one address but the Service has two families; ask for both in ${annotationPath(IPAM.addresses)} instead`;
  return [{ code: 'wish/family', field, value: loadBalancerIP, message }];
}
