// The decisions of the Egress door about addresses.
export { decideNamespace, outcomeOf, type NamespaceOutcome } from './decide-namespace';
export { poolAt } from './judge-list';
export { planEgress } from './plan-egress';
export { optInOf, readNamespace } from './read-namespace';
export { reviewEgressIpam, type EgressReview } from './review-egress-ipam';
export { keysSet, reviewNamespace, USE_VERB, useForbidden } from './review-namespace';
