import { ClusterApiAccess } from '../cluster-api/cluster-api-access';
import { clusterApiAlerts } from '../cluster-api/cluster-api-alerts';
import type { ClusterApiOwner } from '../cluster-api/cluster-api-props';
import { WAITING_CLAIMS } from '../monitoring/promql';
import type { DoorManifests } from './door-manifests';

/** The door of address claims of Cluster API, which watches their objects and listens nowhere. */
export const CLUSTER_API_DOOR: DoorManifests<ClusterApiOwner> = {
  name: 'cluster-api',
  isOpen: ({ clusterApi }) => clusterApi?.enabled === true,
  // those of Cluster API are installed by Cluster API
  kinds: () => [],
  process: () => ({ options: { clusterApi: 'true' }, folders: [] }),
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: (scope) => [new ClusterApiAccess(scope, 'ClusterApiAccess')],
  objects: () => [],
  admission: () => [],
  alerts: clusterApiAlerts,
  panels: {
    requests: [],
    objects: [
      {
        title: 'Address claims',
        description: 'IPAddressClaims of Cluster API that wait',
        type: 'timeseries',
        unit: 'short',
        width: 8,
        queries: [{ expr: WAITING_CLAIMS, legend: 'waiting {{reason}}' }],
      },
    ],
  },
};
