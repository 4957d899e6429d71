import { clusterUid, record } from './pieces';

/** Beginning of the paths of what clusters do. */
export const CLUSTER_PATH = '/v3/clusters/{clusterUid}' as const;

/** Parameters of such a path. */
export const CLUSTER = record({ clusterUid }, 'the cluster');
