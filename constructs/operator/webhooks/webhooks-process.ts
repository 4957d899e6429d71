import { SELF_SIGNED_SECRET } from '../../../operator/contract/group';
import { NAMES, PORT_NAMES } from '../../objects/names';
import type { EgressDoorOwner } from '../egress-door/egress-door-owner';
import { servesEgress } from '../egress-door/egress-process';
import { folderOfCertificate } from '../process/pod-folders';
import type { PodPort, ProcessPart } from '../process/process-part';
import { servesServices, type ServicesDoorOwner } from '../services-door/services-process';

/** Port of the webhooks. */
export const WEBHOOK_PORT: PodPort = { name: PORT_NAMES.webhook, number: 9443, caller: 'api-server' };
const CERTIFICATE_FOLDER = '/etc/ipam-serving-cert';

/**
 * Tells whether a front door is open that the API server asks by webhooks.
 *
 * @param props - of the installation
 * @returns true where Services or Namespaces are served
 */
export const servesWebhooks = (props: Pick<ServicesDoorOwner, 'services'> & EgressDoorOwner): boolean =>
  servesServices(props) || servesEgress(props);

/**
 * Tells whether the operator makes its certificates itself.
 *
 * @param props - of the installation
 * @param props.certificates - where they come from
 * @returns false with cert-manager, which is the default
 */
export const isSelfManaged = ({ certificates }: Pick<ServicesDoorOwner, 'certificates'>): boolean =>
  certificates === 'self-managed';

/**
 * Writes the part of the webhooks in the operator's process.
 *
 * @param props - of the installation
 * @returns its options, and the folder of its certificate unless the operator makes that itself
 */
export function webhooksProcess(props: Pick<ServicesDoorOwner, 'certificates'>): ProcessPart {
  const isOwn = isSelfManaged(props);
  return {
    options: {
      webhookBindAddress: `:${String(WEBHOOK_PORT.number)}`,
      ...(isOwn ? { selfSignedSecret: SELF_SIGNED_SECRET } : { webhookCertPath: CERTIFICATE_FOLDER }),
    },
    folders: isOwn ? [] : [folderOfCertificate('certificate', CERTIFICATE_FOLDER, NAMES.servingSecret)],
  };
}
