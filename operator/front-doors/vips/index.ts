// The VIPs door: IPGroups, and plain Services of type LoadBalancer.
export { createVipsController } from './controller/controller';
export type { VipsDoorParts, VipsDoorSettings } from './controller/door-parts';
export { registerVipsPages } from './admin/vips-pages';
export { vipsWork } from './vips-work';
export { MigrationController, MigrationGauge, migrationWork, VirtualIpIndex } from './migration/index';
export type { MigrationParts, MigrationSettings, MigrationWorkParts } from './migration/index';
