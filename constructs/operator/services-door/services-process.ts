import { SELF_SIGNED_SECRET } from '../../../operator/contract/group';
import { NAMES, PORT_NAMES } from '../../objects/names';
import { joinedOptions } from '../process/option-texts';
import { folderOfCertificate } from '../process/pod-folders';
import type { PodPort, ProcessPart } from '../process/process-part';
import type { ServicesDoorProps } from './services-door-props';

/** Props that the Services door reads. */
export interface ServicesDoorOwner {
  readonly services?: ServicesDoorProps;
  readonly whenUnavailable?: 'deny' | 'admit';
  readonly zonePools?: 'prefixes' | 'claims';
  readonly certificates?: 'cert-manager' | 'self-managed';
}

/** Port of the webhooks. */
export const WEBHOOK_PORT: PodPort = { name: PORT_NAMES.webhook, number: 9443, caller: 'api-server' };
const CERTIFICATE_FOLDER = '/etc/ipam-serving-cert';

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
 * @returns its options, and the folder of its certificate unless the operator makes that itself
 */
export function servicesProcess(props: ServicesDoorOwner): ProcessPart {
  const { services = {}, whenUnavailable = 'deny', zonePools = 'prefixes', certificates = 'cert-manager' } = props;
  const { loadBalancerClasses, occupiedClasses, excludedNamespaces } = services;
  const isSelfManaged = certificates === 'self-managed';
  return {
    options: {
      services: 'true',
      webhookBindAddress: `:${String(WEBHOOK_PORT.number)}`,
      whenUnavailable,
      zonePools,
      ...joinedOptions({ loadBalancerClasses, occupiedClasses, excludedNamespaces }),
      ...(isSelfManaged ? { selfSignedSecret: SELF_SIGNED_SECRET } : { webhookCertPath: CERTIFICATE_FOLDER }),
    },
    folders: isSelfManaged ? [] : [folderOfCertificate('certificate', CERTIFICATE_FOLDER, NAMES.servingSecret)],
  };
}
