// What a product team writes: a web shop on two clusters where the operator runs already.
//
//   npx cdk8s synth --app 'npx tsx examples/cdk8s/application/main.ts'
//   kubectl --context oslo apply -f dist/oslo.k8s.yaml && kubectl --context bergen apply -f dist/bergen.k8s.yaml
//
// A secret is no part of manifests. Make it in namespace shop, with one value in both clusters; a Service that knows it owns the addresses.
// The namespace has the label that the zone asks for:
//
//   kubectl -n shop create secret generic addresses --from-file=secret=./secret        8 to 64 characters, no line break
//
// In an app of your own the import is 'cdk8s-ipam/constructs'.
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';

import { exposeViaIpam, IpamService, zonesFromFile } from '../../../constructs';

const app = new App();
// From the team that runs the network. It lets synth find what the operator would refuse later.
const zones = zonesFromFile(join(__dirname, 'zones.yaml'));

for (const cluster of ['oslo', 'bergen']) {
  const chart = new Chart(app, cluster, { namespace: 'shop', disableResourceNameHashes: true });
  const owned = { cluster, zones, secret: 'addresses' };

  const shop = new kplus.Deployment(chart, 'shop', {
    replicas: 2,
    containers: [
      {
        image: 'registry.example.com/shop:4.2.0',
        portNumber: 8443,
        securityContext: {
          capabilities: { drop: [kplus.Capability.ALL] },
          seccompProfile: { type: kplus.SeccompProfileType.RUNTIME_DEFAULT },
        },
      },
    ],
    podMetadata: { labels: { app: 'shop' } },
  });

  // For all users: one public address of each family, kept for a week when the Service is deleted by mistake.
  exposeViaIpam(shop, {
    ...owned,
    name: 'web',
    zone: 'inet',
    ipFamily: 'dual',
    retentionPeriodDays: 7,
    ports: [{ port: 443, targetPort: 8443 }],
  });

  const selector = { app: 'shop' };
  // For the company: one private IPv4 address.
  const office = { zone: 'hnet-private', ipFamily: 'ipv4' as const, ports: [{ port: 443, targetPort: 9443 }] };
  new IpamService(chart, 'office', { ...owned, ...office, selector });

  // The address that the payment provider has in its allow list; only the shop in Oslo talks to it.
  if (cluster === 'oslo') {
    const payments = { zone: 'inet', addresses: ['83.118.168.25'], ports: [{ port: 8444 }] };
    new IpamService(chart, 'payments', { ...owned, ...payments, selector });
  }

  // Anycast: both clusters announce this address, and the network takes each customer to the nearest one. The same secret makes
  // both Services one owner; the operators keep their record in one place: one PostgreSQL database and the same Secret ipam-keys,
  // or one IPAM-API.
  const nearest = { zone: 'inet', addresses: ['83.118.168.53'], ports: [{ port: 443, targetPort: 8443 }] };
  new IpamService(chart, 'nearest', { ...owned, ...nearest, selector });
}

app.synth();
