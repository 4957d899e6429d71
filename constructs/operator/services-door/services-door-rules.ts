import { distinct, list, props } from '../../props-kit/containers';
import { DNS_LABEL, QUALIFIED_NAME } from '../../props-kit/kubernetes-values';
import { FLAG, text } from '../../props-kit/values';
import type { ServicesDoorProps } from './services-door-props';

/** Props of the Services door. */
export const SERVICES = props<ServicesDoorProps>({
  enabled: FLAG,
  defaultZone: text(),
  loadBalancerClasses: distinct(list(QUALIFIED_NAME)),
  occupiedClasses: distinct(list(QUALIFIED_NAME)),
  excludedNamespaces: distinct(list(DNS_LABEL)),
});
