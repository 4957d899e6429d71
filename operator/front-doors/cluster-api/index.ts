// The Cluster API door: IPAddressClaims that refer to pools of other doors.
export { clusterApiWork } from './cluster-api-work';
export { ClusterApiController } from './controller';
export { registerClusterApiPages } from './findings-page';
