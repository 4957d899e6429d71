import { NAMES, PORT_NAMES } from '../../objects/names';
import { optionTexts } from '../process/option-texts';
import { folderOfCertificate } from '../process/pod-folders';
import type { PodPort, ProcessPart } from '../process/process-part';
import { clientFiles } from './client-files';
import type { IpamApiExposeProps, IpamApiProps } from './ipam-api-props';

/** Props that the IPAM-API reads. */
export interface IpamApiOwner {
  readonly ipamApi?: IpamApiProps;
  readonly certificates?: 'cert-manager' | 'self-managed';
}

/** Port of the IPAM-API. */
export const IPAM_API_PORT: PodPort = { name: PORT_NAMES.ipamApi, number: 9444, caller: 'clients' };
const CERTIFICATE_FOLDER = '/etc/ipam-api-cert';

/**
 * Writes the part of an exposed IPAM-API in the operator's process.
 *
 * @param expose - how it is reached
 * @returns its options, the folder of its certificate and those of its clients
 */
export function ipamApiProcess(expose: IpamApiExposeProps): ProcessPart {
  const { allowAnonymousV2 = false, certificateSecret = NAMES.ipamApiSecret, deadlineSeconds } = expose;
  const clients = clientFiles(expose);
  return {
    options: {
      ipamApiBindAddress: `:${String(IPAM_API_PORT.number)}`,
      ipamApiCertPath: CERTIFICATE_FOLDER,
      allowAnonymousV2: String(allowAnonymousV2),
      ...optionTexts({ ipamApiDeadlineSeconds: deadlineSeconds }),
      ...clients.options,
    },
    folders: [folderOfCertificate('ipam-api-certificate', CERTIFICATE_FOLDER, certificateSecret), ...clients.folders],
  };
}
