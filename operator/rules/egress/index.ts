// The decisions of the Egress door about addresses.
export { decideNamespace, notFound, outcomeOf, type NamespaceOutcome } from './decide-namespace';
export { poolAt } from './judge-list';
export { planEgress } from './plan-egress';
export { emptyOptIn, optInOf, readNamespace } from './read-namespace';
export { reviewEgressIpam, type EgressReview } from './review-egress-ipam';
export { keysSet, reviewNamespace, USE_VERB, useForbidden } from './review-namespace';
