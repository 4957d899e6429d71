import { ExposedIpamApi } from '../ipam-api/ipam-api';
import { IPAM_API_PANELS } from '../ipam-api/ipam-api-panels';
import { IPAM_API_PORT, ipamApiProcess, type IpamApiOwner } from '../ipam-api/ipam-api-process';
import type { DoorManifests } from './door-manifests';

/** The IPAM-API, which operators of other clusters call. */
export const IPAM_API_DOOR: DoorManifests<IpamApiOwner> = {
  name: 'ipam-api',
  isOpen: ({ ipamApi }) => ipamApi?.expose !== undefined,
  kinds: () => [],
  process: ({ ipamApi }) => ipamApiProcess(ipamApi?.expose ?? {}),
  port: IPAM_API_PORT,
  certificate: ({ ipamApi }) => {
    const { certificateSecret, issuer } = ipamApi?.expose ?? {};
    return (certificateSecret ?? issuer) === undefined ? 'ca' : 'none';
  },
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: () => [],
  objects: (scope, { ipamApi }) => [new ExposedIpamApi(scope, 'IpamApi', ipamApi?.expose ?? {})],
  admission: () => [],
  alerts: () => [],
  panels: { requests: IPAM_API_PANELS, objects: [] },
};
