import { PORT_NAMES, NAMES } from '../../objects/names';
import { optionTexts } from '../process/option-texts';
import { folderOfCertificate } from '../process/pod-folders';
import type { PodPort, ProcessPart } from '../process/process-part';
import type { NetworksGrpcProps } from './networks-grpc-props';

/** Port of the gRPC API, that of the original; the Service leads to the same port of the Pod. */
export const NETWORKS_GRPC_PORT: PodPort = { name: PORT_NAMES.grpc, number: 9999, caller: 'clients' };
const CERTIFICATE_FOLDER = '/etc/ipam-networks-grpc-cert';

/**
 * Writes the part of the gRPC API in the operator's process.
 *
 * @param props - how it is reached, and by which clients
 * @returns its options, the folder of its certificate and the address of the Pod
 */
export function networksGrpcProcess(props: NetworksGrpcProps): ProcessPart {
  const { certificateSecret = NAMES.networksGrpcSecret, audience, allowAnonymous = false } = props;
  return {
    options: {
      networksGrpcBindAddress: `:${String(NETWORKS_GRPC_PORT.number)}`,
      networksGrpcCertPath: CERTIFICATE_FOLDER,
      networksGrpcAnonymous: String(allowAnonymous),
      ...optionTexts({ networksGrpcAudience: audience }),
    },
    folders: [folderOfCertificate('networks-grpc-certificate', CERTIFICATE_FOLDER, certificateSecret)],
    podFields: { networksGrpcPodIp: 'status.podIP' },
  };
}
