// An address plan in the cluster: a NetworkInstance with nested prefixes, and allocations out of it. The operator serves nothing else here.
//
//   npx cdk8s synth --app 'npx tsx examples/cdk8s/networks/main.ts'     writes dist/0000-ipam.k8s.yaml and dist/0001-networks.k8s.yaml
//
// The cluster needs nothing beside it. In an app of your own the import is 'cdk8s-ipam/constructs'.
import { App, Chart } from 'cdk8s';

import { AddressPlan, IpAllocation, IpamOperator } from '../../../constructs';

const app = new App();

const operator = new Chart(app, 'ipam');
new IpamOperator(operator, 'operator', { services: { enabled: false }, networks: { enabled: true } });

const networks = new Chart(app, 'networks', { namespace: 'default' });
networks.addDependency(operator);

// Each line becomes an IPPrefix. One that overlaps another, or lies where its kind may not, fails at synth.
const plan = new AddressPlan(networks, 'plan', {
  instance: 'vpc-1',
  prefixes: [
    {
      prefix: '10.0.0.0/8',
      name: 'aggregate0',
      children: [
        {
          prefix: '10.0.1.0/24',
          network: 'net1',
          name: 'net1-prefix1',
          gateway: '10.0.1.1',
          // An address that only a request for this interface gets.
          children: [{ prefix: '10.0.1.10/24', name: 'net1-prefix10', labels: { 'nephio.org/interface': 'n3' } }],
        },
        { prefix: '10.255.0.0/24', kind: 'loopback', name: 'loopbacks' },
      ],
    },
    { prefix: '2001:db8::/32', children: [{ prefix: '2001:db8:1::/64', network: 'net1', gateway: '2001:db8:1::1' }] },
  ],
});

const inNet1 = { 'nephio.org/network-instance': plan.instance, 'nephio.org/network-name': 'net1' };

// One address of each family.
const web = new IpAllocation(networks, 'web', {
  spec: { kind: 'network', selector: { matchLabels: inNet1 } },
  families: ['ipv4', 'ipv6'],
});
// The recorded address of the interface.
const n3 = new IpAllocation(networks, 'n3', {
  spec: { kind: 'network', selector: { matchLabels: { ...inNet1, 'nephio.org/interface': 'n3' } } },
});
// A prefix for a site, of which nothing but the size is said.
const site = new IpAllocation(networks, 'site', {
  spec: {
    kind: 'pool',
    prefixLength: 16,
    addressFamily: 'ipv4',
    selector: { matchLabels: { 'nephio.org/network-instance': plan.instance } },
  },
});
// They come after the prefixes that they are given from.
for (const allocation of [web, n3, site]) allocation.node.addDependency(plan);

app.synth();
