// The Networks door: NetworkInstances, IPPrefixes and IPAllocations.
export { registerNetworksPages } from './networks-pages';
export { NetworksController } from './controller';
export type { NetworksDoorParts, NetworksDoorSettings } from './door-parts';
export { allocHandlers } from './grpc/alloc-methods';
export { ANONYMOUS_CALLERS, tokenCallers } from './grpc/callers';
export { ClientClaims } from './client-claims';
export { grpcTerm } from './grpc/grpc-term';
export { networksWork } from './networks-work';
