import { IpamError } from '../../errors/ipam-error';
import type { ObjectDoorKind } from '../door';
import { openEgressOnCluster } from '../egress-on-cluster';

/** The Egress door: addresses of Namespaces. Its claims are objects of the cluster, and none is in the store. */
export const EGRESS_DOOR: ObjectDoorKind = {
  name: 'egress',
  needsRecord: false,
  holdsOwnClaims: false,
  isOn: ({ egress }) => egress,
  open: (settings, parts) => {
    const { vipsClasses, loadBalancerClasses, occupiedClasses, resyncSeconds, egressDataplanes: dataplanes } = settings;
    const { environment } = parts;
    if (environment.kind === 'standalone') throw new IpamError('settings/invalid', '--egress needs a cluster');
    const announcedClasses = [...vipsClasses, ...loadBalancerClasses, ...occupiedClasses];
    const { egressUsePermission: usePermission, egressWhenUnavailable: whenUnavailable } = settings;
    const { egressCloud: provider, egressCloudRegion: region, egressCloudEnvironment: environmentOfAzure } = settings;
    return openEgressOnCluster(parts, environment, {
      announcedClasses,
      dataplanes,
      cloud: {
        provider,
        region,
        environment: environmentOfAzure,
        secret: settings.egressCloudSecret,
        namespace: settings.namespace,
      },
      resyncSeconds,
      claiming: settings,
      admission: { usePermission, whenUnavailable },
    });
  },
};
