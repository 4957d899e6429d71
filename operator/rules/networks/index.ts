// The decisions of the Networks door.
export { decideAdoption } from './adopt';
export { adoptionOrder, type AdoptedObjects, type AdoptionStep } from './adoption-order';
export { conditionsOf, type NetworksCondition, type NetworksOutcome } from './conditions';
export { countPrefix } from './count';
export { decideAllocation } from './decide-allocation';
export { decidePrefix } from './decide-prefix';
export { PlannedTable } from './planned-table';
export { readAllocation } from './read-allocation';
export { readInstance } from './read-object';
export { readPrefix } from './read-prefix';
export { decideRebind, decideRelease, decideReleaseOfKey } from './release';
export { reservedIn } from './reserved';
export type { At } from './types';
export { usersOfInstance, usersOfPrefix } from './users';
export { viewOf } from './view';
