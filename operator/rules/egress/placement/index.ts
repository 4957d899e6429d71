// The decisions of the Egress door about nodes.
export { placeAddresses } from './place';
export { readNode } from './read-node';
