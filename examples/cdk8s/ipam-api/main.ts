// One IPAM-API for many clusters: this installation serves no Services of its own cluster, so it needs no MetalLB, brings no
// webhook, and may do nothing there but read its keys and hold its Lease.
//
//   npx cdk8s synth --app 'npx tsx examples/cdk8s/ipam-api/main.ts'     writes dist/ipam.k8s.yaml
//
// The cluster needs cert-manager. In an app of your own the import is 'cdk8s-ipam/constructs'.
//
// What is secret is no part of manifests. Two Secrets have to be there before the Pods start:
//
//   kubectl -n ipam-system create secret generic ipam-postgres --from-file=dsn=./dsn --from-file=ca.crt=./postgres-ca.crt
//   kubectl -n ipam-system create secret generic ipam-api-clients --from-file=clients.yaml=./clients.yaml
//
// clients.yaml names who may call version 3. A cluster speaks for the UID of its namespace kube-system; of its token only the
// hash stands here (printf %s "$TOKEN" | sha256sum):
//
//   version: 1
//   clients:
//     - { name: north, role: cluster, operator: true, clusterUids: [0b1c6d1e-…], tokenSha256: [9f86d081…], clusterQuota: 500 }
//     - { name: operations, role: admin, tokenSha256: [60303ae2…] }
//
// Each cluster installs an operator with `store: { remote: { url: 'https://ipam.example.com', token, ca } }`, the same zones and
// MetalLB. An installation of the vitistack IPAM-API is replaced in place: import its addresses (`ipam import`), give
// this one its name in the DNS and `allowAnonymousV2`, and move the clusters to version 3 one by one.
import { App, Chart } from 'cdk8s';

import { IpamOperator } from '../../../constructs';

const app = new App();

new IpamOperator(new Chart(app, 'ipam'), 'operator', {
  services: { enabled: false },
  zones: [
    { name: 'hnet-private', prefixes: ['172.16.0.0/12'] },
    { name: 'inet', prefixes: ['83.118.168.0/22', '2a05:1234::/64'], quarantineSeconds: 600 },
    // The same numbers again, of a network that is not connected to the other one.
    { name: 'lab', network: 'lab', prefixes: ['172.16.0.0/16'] },
  ],
  store: {
    postgres: { connection: { name: 'ipam-postgres' }, ca: { name: 'ipam-postgres' } },
  },
  replicas: 3,
  ipamApi: {
    expose: {
      serviceType: 'LoadBalancer',
      // Names that the clusters call, and an issuer that they trust.
      dnsNames: ['ipam.example.com'],
      issuer: { name: 'company' },
      clients: { secret: { name: 'ipam-api-clients' } },
    },
  },
  networkPolicy: { storeCidrs: ['10.20.0.0/24'] },
});

app.synth();
