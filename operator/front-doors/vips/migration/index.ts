// The migration of VirtualIPs to Services of type LoadBalancer.
export { MigrationController } from './migration-controller';
export type { MigrationParts, MigrationSettings } from './migration-parts';
export { MigrationGauge } from './migration-gauge';
export { migrationWork, type MigrationWorkParts } from './migration-work';
export { VirtualIpIndex } from './virtual-ip-index';
