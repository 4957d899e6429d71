import { IpamError } from '../../errors/ipam-error';
import type { Settings } from '../../settings/options';
import type { CommonParts, Door, ObjectDoorKind } from '../door';
import { openEgressOnCluster } from '../egress-on-cluster';

type EgressSettings = Pick<
  Settings,
  | 'networks'
  | 'egress'
  | 'egressDataplanes'
  | 'egressCloud'
  | 'egressCloudRegion'
  | 'egressCloudEnvironment'
  | 'egressCloudSecret'
  | 'namespace'
  | 'egressUsePermission'
  | 'egressWhenUnavailable'
  | 'vipsClasses'
  | 'loadBalancerClasses'
  | 'occupiedClasses'
  | 'resyncSeconds'
>;

/** The Egress door: addresses of Namespaces. Its claims are objects of the cluster, and none is in the store. */
export const EGRESS_DOOR: ObjectDoorKind = {
  name: 'egress',
  needsRecord: false,
  holdsOwnClaims: false,
  isOn: ({ egress }) => egress,
  open: openEgressDoor,
};

function openEgressDoor(settings: EgressSettings, parts: CommonParts): Promise<Door> {
  const { environment } = parts;
  if (environment.kind === 'standalone') throw new IpamError('settings/invalid', '--egress needs a cluster');
  return openEgressOnCluster(parts, environment, {
    announcedClasses: [...settings.vipsClasses, ...settings.loadBalancerClasses, ...settings.occupiedClasses],
    dataplanes: settings.egressDataplanes,
    cloud: {
      provider: settings.egressCloud,
      region: settings.egressCloudRegion,
      environment: settings.egressCloudEnvironment,
      secret: settings.egressCloudSecret,
      namespace: settings.namespace,
    },
    resyncSeconds: settings.resyncSeconds,
    claiming: settings,
    admission: { usePermission: settings.egressUsePermission, whenUnavailable: settings.egressWhenUnavailable },
  });
}
