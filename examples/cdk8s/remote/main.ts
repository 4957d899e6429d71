// A cluster whose addresses come from an IPAM-API that exists already, for example the one of vitistack, by its version 2.
// Other clusters go on using it as before; an address can be shared with them by one custom secret on both sides.
//
//   npx cdk8s synth --app 'npx tsx examples/cdk8s/remote/main.ts'     writes dist/ipam.k8s.yaml
//
// The cluster needs cert-manager and MetalLB. In an app of your own the import is 'cdk8s-ipam/constructs'.
//
// The CA certificates that signed the server of the IPAM-API are no part of manifests:
//
//   kubectl -n ipam-system create secret generic ipam-api-ca --from-file=ca.crt=./ca.crt
//
// The IPAM-API chooses every address and alone knows who elsewhere has one. What the operator asks it for is written to the
// Secrets ipam-intents-0 to ipam-intents-15 first, with the secret of each address: back them up, and let no other account read
// them. While the IPAM-API is away, Services keep what they have, deletes go through and are told later, and new Services are
// refused with the reason.
import { App, Chart } from 'cdk8s';

import { IpamOperator } from '../../../constructs';

const app = new App();

new IpamOperator(new Chart(app, 'ipam'), 'operator', {
  // Names and prefixes as the IPAM-API has them: an address outside of them is given back.
  zones: [
    { name: 'hnet-private', prefixes: ['172.16.0.0/12'] },
    { name: 'inet', prefixes: ['83.118.168.0/22', '2a05:1234::/64'] },
  ],
  services: { defaultZone: 'hnet-private' },
  store: {
    remote: {
      // Without the version: the operator adds it.
      url: 'https://ipam-api.example.com',
      apiVersion: 2,
      ca: { name: 'ipam-api-ca' },
    },
  },
  // The pools hold what this cluster has and nothing of the other clusters in the same zones.
  zonePools: 'claims',
  networkPolicy: { storeCidrs: ['10.30.0.0/24'] },
  replicas: 2,
});

app.synth();
