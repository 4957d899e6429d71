// The Egress door: EgressIPAMs, and the Namespaces that opt in to them.
export { EgressController } from './controller';
export type { EgressDoorParts } from './facts/door-parts';
export { registerEgressDoor } from './admission/webhook';
export { egressWork } from './egress-work';
export { registerEgressPages } from './admin/egress-pages';
