// The decisions of the VIPs door.
export { decideService, ingressOf, isTakenByOthers, outcomeOf } from './decide';
export { countedAs, decideGroupDeletion, excludedInUse, sumGroup } from './group-life';
export { termsOf } from './join';
export { decideOrphan } from './orphans';
export { planGroups, spacesOf } from './plan-groups';
export { conditionOf } from './say';
export { readVipWish } from './wish';
export { explainFreeAddress, whyNotGiven } from './explain-address';
export { explainGroups } from './explain-service';
