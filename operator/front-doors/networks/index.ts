// The Networks door: NetworkInstances, IPPrefixes and IPAllocations.
export { NetworksController } from './controller';
export type { NetworksDoorParts, NetworksDoorSettings } from './door-parts';
export { networksWork } from './networks-work';
