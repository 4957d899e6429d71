// An address plan in the cluster, and an allocation out of it whose address is an Output. The operator serves nothing else here.
//
//   pulumi stack init dev && pulumi up
//
// The cluster needs nothing beside it. In a program of your own the import is 'cdk8s-ipam/infra'.
import { AddressPlan, IpAllocation, IpamOperator } from '../../../infra';

const ipam = new IpamOperator('ipam', { services: { enabled: false }, networks: { enabled: true } });

// Each line becomes an IPPrefix. One that overlaps another, or lies where its kind may not, fails in the preview.
const plan = new AddressPlan(
  'plan',
  {
    instance: 'vpc-1',
    prefixes: [{ prefix: '10.0.0.0/8', children: [{ prefix: '10.0.1.0/24', network: 'net1', gateway: '10.0.1.1' }] }],
  },
  { dependsOn: ipam },
);

const upf = new IpAllocation(
  'upf',
  {
    spec: {
      kind: 'network',
      selector: { matchLabels: { 'nephio.org/network-instance': 'vpc-1', 'nephio.org/network-name': 'net1' } },
    },
  },
  { dependsOn: plan },
);

/** Known once the operator has given them, for the configuration of a router or another stack. */
export const { prefix, gateway } = upf;
