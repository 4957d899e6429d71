// Addresses whose networks are kept in a NetBox: each of its zones is served, and each address in use is a host prefix there,
// with the cluster and the zone in custom fields.
//
//   npx cdk8s synth --app 'npx tsx examples/cdk8s/netbox/main.ts'     writes dist/ipam.k8s.yaml
//
// The cluster needs cert-manager and MetalLB. In an app of your own the import is 'cdk8s-ipam/constructs'.
//
// NetBox has a choice set for the custom field `k8s_zone`, whose choices are the zones; the containers of a zone are the active
// prefixes of status "container" that carry it. The token belongs to a user who may read these and add, change and delete
// prefixes with the tag below. Token and CA certificates are no part of manifests:
//
//   kubectl -n ipam-system create secret generic ipam-netbox --from-file=token=./token --from-file=ca.crt=./ca.crt
//
// An outage of NetBox stops nothing that is served: the last good zones stay, a new address is told as soon as NetBox answers,
// and releases never wait for it. The claims are kept here, so NetBox is no store: back up the volume.
import { App, Chart } from 'cdk8s';

import { IpamOperator } from '../../../constructs';

const app = new App();

new IpamOperator(new Chart(app, 'ipam'), 'operator', {
  zones: [
    // Prefixes come from NetBox. An entry here adds what NetBox does not say, and how MetalLB announces the zone.
    { name: 'inet', prefixes: [], fromNetBox: true, quota: 200, bgp: [{ communities: ['65000:100'] }] },
    { name: 'hnet-private', prefixes: [], fromNetBox: true },
    // A zone of this cluster alone, of which NetBox knows nothing.
    { name: 'lab', prefixes: ['192.168.40.0/24'], excluded: ['192.168.40.0', '192.168.40.255'] },
  ],
  services: { defaultZone: 'hnet-private' },

  netbox: {
    url: 'https://netbox.example.com',
    token: { name: 'ipam-netbox' },
    ca: { name: 'ipam-netbox' },
    tag: 'kubernetes-ipam',
    fields: { domain: 'datacenter', env: 'prod', purpose: 'loadbalancer' },
    refreshSeconds: 300,
  },
  // The pools of MetalLB hold what is claimed: what NetBox will have is not known at synth.
  zonePools: 'claims',
  networkPolicy: { netboxCidrs: ['10.40.0.0/24'] },
});

app.synth();
