import { IPAM } from '../contract/group';
import { LOAD_BALANCER_IP, type ServiceView } from '../contract/service';
import { addressPlaceReadByMetalLb } from '../contract/read-by-metallb';
import { annotationPath, type Annotations } from '../contract/service-annotations';
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
  const field = LOAD_BALANCER_IP;
  const message = `${field} names one address but the Service has two families; ask for both in ${annotationPath(IPAM.addresses)} instead`;
  return [{ code: 'wish/family', field, value: loadBalancerIP, message }];
}

/**
 * Refuses an address key of MetalLB beside `spec.loadBalancerIP`: MetalLB serves no Service that has both, whatever they say.
 *
 * @param service - the object
 * @param isResult - tells of a key that we wrote, which goes where the spec names the address; absent: we wrote none
 * @returns at most one refusal
 */
export function pairedAddressProblems(
  { annotations, loadBalancerIP }: { readonly annotations: Annotations; readonly loadBalancerIP?: string },
  isResult: (key: string) => boolean = () => false,
): readonly Refusal[] {
  if (loadBalancerIP === undefined) return [];
  const theirs = Object.fromEntries(Object.entries(annotations).filter(([key]) => !isResult(key)));
  const { field, text } = addressPlaceReadByMetalLb({ annotations: theirs, loadBalancerIP });
  if (text === '' || field === LOAD_BALANCER_IP) return [];
  const message = `${field} and ${LOAD_BALANCER_IP} stand beside each other, which MetalLB refuses even where both name the same address; take one of them out`;
  return [{ code: 'wish/contradiction', field, value: text, message }];
}
