import { IpamError } from '../../errors/ipam-error';
import type { Settings } from '../../settings/options';
import type { CommonParts, Door, ObjectDoorKind } from '../door';
import type { NetworksGrpcOptions } from '../networks-grpc';
import { openNetworksOnCluster } from '../networks-on-cluster';

type GrpcSettings = Pick<
  Settings,
  | 'namespace'
  | 'networksGrpcBindAddress'
  | 'networksGrpcTls'
  | 'networksGrpcCertPath'
  | 'networksGrpcAudience'
  | 'networksGrpcAnonymous'
  | 'networksGrpcPodIp'
>;
type NetworksSettings = GrpcSettings &
  Pick<
    Settings,
    | 'networksOrphanGraceSeconds'
    | 'networksOwnerKinds'
    | 'resyncSeconds'
    | 'vipsClasses'
    | 'loadBalancerClasses'
    | 'occupiedClasses'
  >;

/** The Networks door: prefixes and addresses of NetworkInstances. Its claims are objects of the cluster, and none is in the store. */
export const NETWORKS_DOOR: ObjectDoorKind = {
  name: 'networks',
  needsRecord: false,
  holdsOwnClaims: false,
  isOn: ({ networks }) => networks,
  open: openNetworksDoor,
};

function openNetworksDoor(settings: NetworksSettings, parts: CommonParts): Promise<Door> {
  const { environment } = parts;
  if (environment.kind === 'standalone') throw new IpamError('settings/invalid', '--networks needs a cluster');
  return openNetworksOnCluster(parts, environment, {
    behaviour: { orphanGraceMs: 1000 * settings.networksOrphanGraceSeconds },
    ownerKinds: settings.networksOwnerKinds,
    announcedClasses: [...settings.vipsClasses, ...settings.loadBalancerClasses, ...settings.occupiedClasses],
    resyncSeconds: settings.resyncSeconds,
    grpc: grpcOptions(settings),
  });
}

const grpcOptions = (settings: GrpcSettings): NetworksGrpcOptions => ({
  address: settings.networksGrpcBindAddress,
  isTls: settings.networksGrpcTls,
  certPath: settings.networksGrpcCertPath,
  audience: settings.networksGrpcAudience,
  isAnonymous: settings.networksGrpcAnonymous,
  podIp: settings.networksGrpcPodIp,
  namespace: settings.namespace,
});
