// The entry loads this file first, as that of the constructs does.
import { needPeers } from '../../constructs/props-kit/needed-peers';
/* eslint-disable @typescript-eslint/no-require-imports -- a module is asked for inside of a function, where its absence is told */

needPeers('cdk8s-ipam/infra', {
  '@pulumi/pulumi': () => require('@pulumi/pulumi') as unknown,
  '@pulumi/kubernetes': () => require('@pulumi/kubernetes') as unknown,
  constructs: () => require('constructs') as unknown,
  cdk8s: () => require('cdk8s') as unknown,
  'cdk8s-plus-28': () => require('cdk8s-plus-28') as unknown,
});
