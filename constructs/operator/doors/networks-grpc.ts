import { servesNetworks, type NetworksDoorOwner } from '../networks-door/networks-process';
import { NetworksGrpc } from '../networks-grpc/networks-grpc';
import { NetworksGrpcAccess } from '../networks-grpc/networks-grpc-access';
import { networksGrpcAlerts } from '../networks-grpc/networks-grpc-alerts';
import { NETWORKS_GRPC_PANELS } from '../networks-grpc/networks-grpc-panels';
import { NETWORKS_GRPC_PORT, networksGrpcProcess } from '../networks-grpc/networks-grpc-process';
import type { NetworksGrpcProps } from '../networks-grpc/networks-grpc-props';
import type { DoorManifests } from './door-manifests';

const grpcOf = ({ networks }: NetworksDoorOwner): NetworksGrpcProps => networks?.grpc ?? {};

/** The gRPC API of networks, which clients without objects call. */
export const NETWORKS_GRPC_DOOR: DoorManifests<NetworksDoorOwner> = {
  name: 'networks-grpc',
  isOpen: (props) => servesNetworks(props) && props.networks?.grpc !== undefined,
  kinds: () => [],
  process: (props) => networksGrpcProcess(grpcOf(props)),
  port: NETWORKS_GRPC_PORT,
  certificate: (props) => (grpcOf(props).certificateSecret === undefined ? 'ca' : 'none'),
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: (scope) => [new NetworksGrpcAccess(scope, 'NetworksGrpcAccess')],
  objects: (scope, props) => [new NetworksGrpc(scope, 'NetworksGrpc', grpcOf(props))],
  admission: () => [],
  alerts: networksGrpcAlerts,
  panels: { requests: [], objects: NETWORKS_GRPC_PANELS },
};
