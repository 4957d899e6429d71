import { joinedOptions } from '../process/option-texts';
import type { ProcessPart } from '../process/process-part';
import type { ServicesDoorProps } from './services-door-props';

/** Props that the Services door reads. */
export interface ServicesDoorOwner {
  readonly services?: ServicesDoorProps;
  readonly whenUnavailable?: 'deny' | 'admit';
  readonly zonePools?: 'prefixes' | 'claims';
  readonly certificates?: 'cert-manager' | 'self-managed';
}

/**
 * Tells whether the Services door is open; without, the IPAM-API is all that is served.
 *
 * @param props - of the installation
 * @returns true where nothing else is said
 */
export function servesServices({ services }: Pick<ServicesDoorOwner, 'services'>): boolean {
  return services?.enabled !== false;
}

/**
 * Writes the part of an open Services door in the operator's process.
 *
 * @param props - of the installation
 * @returns its options
 */
export function servicesProcess(props: ServicesDoorOwner): ProcessPart {
  const { services = {}, whenUnavailable = 'deny', zonePools = 'prefixes' } = props;
  const { loadBalancerClasses, occupiedClasses, excludedNamespaces } = services;
  return {
    options: {
      services: 'true',
      whenUnavailable,
      zonePools,
      ...joinedOptions({ loadBalancerClasses, occupiedClasses, excludedNamespaces }),
    },
    folders: [],
  };
}
