// The placement of egress addresses on nodes, with a queue of its own.
export { PlacementController } from './placement-controller';
export { placementWork } from './placement-work';
