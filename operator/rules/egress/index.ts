export { decideNamespace, outcomeOf } from './decide-namespace';
export { planEgress } from './plan-egress';
export { readNamespace } from './read-namespace';
export { placeAddresses } from './placement/place';
export { readNode } from './placement/read-node';
