import { excludedNamespaces as leftOut } from '../../operator/contract/group';
import type { Refusal } from '../../operator/errors/outcome';
import { operatorOfZones } from '../app/app-operators';
import type { IpamServiceProps } from './ipam-service-props';

/**
 * Tells whether a Service has a class that makes it one of another controller.
 *
 * @param props - of the Service
 * @returns true where the operator is known and does not list the class, or is unknown and a class is given
 */
export function isOfOtherClass({ loadBalancerClass, zones }: IpamServiceProps): boolean {
  if (loadBalancerClass === undefined) return false;
  const { loadBalancerClasses = [] } = operatorOfZones(zones)?.services ?? {};
  return !loadBalancerClasses.includes(loadBalancerClass);
}

/**
 * Refuses the zones of an operator that serves no Services, of which no operator would ever give an address.
 *
 * @param props - of the Service
 * @returns at most one refusal
 */
export function switchedOffProblems(props: IpamServiceProps): readonly Refusal[] {
  const operator = operatorOfZones(props.zones);
  if (operator?.services.enabled !== false || isOfOtherClass(props)) return [];
  const message = `zones: the operator at "${operator.construct.node.path}" has services.enabled false, so this Service would never get an address; switch it on, or give the zones of another one`;
  return [{ code: 'zone/forbidden', field: 'zones', message }];
}

/**
 * Refuses a namespace whose Services never reach the webhooks, so that none of them ever gets an address.
 *
 * @param props - of the Service; without zones its operator is not known
 * @param namespace - as the object has it; undefined where it is chosen later
 * @returns at most one refusal
 */
export function excludedNamespaceProblems(props: IpamServiceProps, namespace: string | undefined): readonly Refusal[] {
  if (props.zones === undefined || namespace === undefined || isOfOtherClass(props)) return [];
  return leftOutProblems(namespace, operatorOfZones(props.zones)?.services.excludedNamespaces);
}

/**
 * Refuses a namespace for a Service that is ours.
 *
 * @param namespace - as the object has it
 * @param excludedNamespaces - of the operator, where it is known
 * @returns at most one refusal
 */
export function leftOutProblems(namespace: string, excludedNamespaces: readonly string[] = []): readonly Refusal[] {
  const excluded = leftOut('minimal', excludedNamespaces);
  if (!excluded.includes(namespace)) return [];
  const why = excludedNamespaces.includes(namespace)
    ? "the operator's services.excludedNamespaces names it"
    : 'it always is';
  const message = `namespace: "${namespace}" is left out of the webhooks (${why}), so its Services never get an address; allowed is every namespace but ${excluded.join(', ')}`;
  return [{ code: 'zone/forbidden', field: 'namespace', value: namespace, message }];
}
