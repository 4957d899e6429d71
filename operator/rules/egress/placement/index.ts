// The decisions of the Egress door about nodes.
export { isCandidate, nodesOfPool, selectorOfPool } from './groups';
export { isStaying, placeAddresses } from './place';
export { readNode } from './read-node';
export { sentFrom } from './sending';
