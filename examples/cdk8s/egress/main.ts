// Egress addresses of namespaces: an EgressIPAM with two zones, and namespaces that opt in. The operator serves nothing else here.
//
//   npx cdk8s synth --app 'npx tsx examples/cdk8s/egress/main.ts'     writes dist/0000-ipam.k8s.yaml and dist/0001-egress.k8s.yaml
//
// The cluster needs nothing beside it. In an app of your own the import is 'cdk8s-ipam/constructs'.
import { App, Chart } from 'cdk8s';
import { Namespace } from 'cdk8s-plus-28';

import { EgressIpam, EgressNamespace, IpamOperator } from '../../../constructs';

const app = new App();

const operator = new Chart(app, 'ipam');
new IpamOperator(operator, 'operator', { services: { enabled: false }, egress: { enabled: true } });

const egress = new Chart(app, 'egress');
egress.addDependency(operator);

// A CIDR for the nodes of each zone. CIDRs that overlap, and reserved addresses outside of their CIDR, fail at synth.
const zones = new EgressIpam(egress, 'zones', {
  spec: {
    dataplane: 'none',
    topologyLabel: 'topology.kubernetes.io/zone',
    cidrAssignments: [
      { CIDR: '192.0.2.0/27', labelValue: 'zone-a', reservedIPs: ['192.0.2.1'] },
      { CIDR: '192.0.2.32/27', labelValue: 'zone-b', reservedIPs: ['192.0.2.33'] },
    ],
  },
});

// The lowest free address of each CIDR.
new EgressNamespace(egress, 'shop', { egressIpam: zones.name });
// Addresses that a firewall knows already: one of each CIDR, or synth fails.
new EgressNamespace(egress, 'blog', { egressIpam: zones.name, addresses: ['192.0.2.10', '192.0.2.40'] });
// A namespace of cdk8s-plus.
zones.optIn(new Namespace(egress, 'news', { metadata: { name: 'news' } }));

app.synth();
