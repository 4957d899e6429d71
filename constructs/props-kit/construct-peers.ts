// The entry loads this file first: without it, a package that is missing is told as `Cannot find module`, from a file that no user knows.
import { needPeers } from './needed-peers';
/* eslint-disable @typescript-eslint/no-require-imports -- a module is asked for inside of a function, where its absence is told */

needPeers('cdk8s-ipam/constructs', {
  constructs: () => require('constructs') as unknown,
  cdk8s: () => require('cdk8s') as unknown,
  'cdk8s-plus-28': () => require('cdk8s-plus-28') as unknown,
});
