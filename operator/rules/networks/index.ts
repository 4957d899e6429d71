// The decisions of the Networks door.
export { decideAdoption } from './adopt';
export { adoptionOrder, type AdoptionStep } from './adoption-order';
export { clientOf, clientOwner, readCall, readClientName, refusalOfCall, tellGiven, type ClientName } from './client';
export { conditionsOf, type NetworksCondition } from './conditions';
export { countPrefix } from './count';
export { decideAddress, isFromSource, type AddressSource } from './decide-address';
export { decideAllocation } from './decide-allocation';
export { decidePrefix } from './decide-prefix';
export { gatewayOf } from './gateway';
export { isKnown } from './owners';
export { PlannedTable } from './planned-table';
export { readAllocation } from './read-allocation';
export { readDeclared, type DeclaredPrefix } from './read-declared';
export { readInstance } from './read-object';
export { readPrefix } from './read-prefix';
export { decideRebind, decideRelease } from './release';
export { usersOfInstance, usersOfPrefix } from './users';
export { viewOf } from './view';
