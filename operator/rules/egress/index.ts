// The decisions of the Egress door about addresses.
export { decideNamespace, outcomeOf } from './decide-namespace';
export { planEgress } from './plan-egress';
export { readNamespace } from './read-namespace';
