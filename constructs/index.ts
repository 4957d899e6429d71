// The public entry for cdk8s apps: `import { IpamOperator, IpamService } from 'cdk8s-ipam/constructs'`.
export { IpamOperator, ipamOperatorProblems } from './ipam-operator';
export type { IpamOperatorProps, OperatorZone, ServicesDoorProps } from './ipam-operator-props';
export { IpamService, ipamServiceProblems } from './ipam-service';
export type { IpamServicePort, IpamServiceProps, IpFamily } from './ipam-service-props';
export { ZonePool, type ZonePoolProps } from './metallb';
export type { OperatorResources } from './operator-parts/deployment';
export type { OperatorImage } from './operator-parts/image';
export type { OperatorStorageProps } from './operator-parts/storage';
