// The Networks door: NetworkInstances, IPPrefixes and IPAllocations.
export { registerNetworksPages } from './networks-pages';
export { NetworksController } from './controller';
export type { NetworksDoorParts, NetworksDoorSettings } from './door-parts';
export { networksWork } from './networks-work';
