// What a product team writes: a web shop on a cluster where the operator runs already, one stack for each cluster.
//
//   pulumi stack init oslo && pulumi config set kubernetes:context oslo
//   pulumi config set --secret addressSecret '8 to 64 characters, the same in every stack' && pulumi up
//
// In a program of your own the import is 'cdk8s-ipam/infra'.
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

import { IpamService } from '../../../infra';

const config = new pulumi.Config('shop');

const namespace = new kubernetes.core.v1.Namespace('shop', {
  metadata: { name: 'shop', labels: { 'example.com/public': 'true' } },
});

// Knowing the secret is owning the addresses: a Service in another namespace or cluster, and this one after a disaster.
const secret = new kubernetes.core.v1.Secret(
  'addresses',
  { metadata: { name: 'addresses', namespace: 'shop' }, stringData: { secret: config.requireSecret('addressSecret') } },
  { dependsOn: namespace },
);
const owned = { namespace: 'shop', secret: 'addresses' };

const selector = { app: 'shop' };
new kubernetes.apps.v1.Deployment(
  'shop',
  {
    metadata: { name: 'shop', namespace: 'shop' },
    spec: {
      replicas: 2,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: selector },
        spec: { containers: [{ name: 'shop', image: 'registry.example.com/shop:4.2.0' }] },
      },
    },
  },
  { dependsOn: namespace },
);

// The shop, for all users: one public address of each family, kept for a week when the Service is deleted by mistake.
const web = new IpamService(
  'web',
  {
    ...owned,
    selector,
    zone: 'inet',
    ipFamily: 'dual',
    retentionPeriodDays: 7,
    ports: [{ port: 443, targetPort: 8443 }],
  },
  { dependsOn: secret },
);

// The back office, for the company: one private IPv4 address.
const office = new IpamService(
  'office',
  { ...owned, selector, zone: 'hnet-private', ipFamily: 'ipv4', ports: [{ port: 443, targetPort: 9443 }] },
  { dependsOn: secret },
);

// The address that the payment provider has in its allow list. To replace this Service means to delete it first.
new IpamService(
  'payments',
  { ...owned, selector, zone: 'inet', addresses: ['83.118.168.25'], ports: [{ port: 8444, targetPort: 8444 }] },
  { dependsOn: secret },
);

// Anycast: every cluster announces this address, and the network takes each customer to the nearest one. The same secret makes
// Services of several clusters one owner; their operators keep their record in one place: one PostgreSQL database and the
// same Secret ipam-keys, or one IPAM-API.
new IpamService(
  'nearest',
  { ...owned, selector, zone: 'inet', addresses: ['83.118.168.53'], ports: [{ port: 443, targetPort: 8443 }] },
  { dependsOn: secret },
);

// Outputs are known when the Services have their addresses. This one could be a record of your DNS provider.
const records = new kubernetes.core.v1.ConfigMap(
  'dns',
  {
    metadata: { name: 'dns', namespace: 'shop' },
    data: { 'shop.example.com': web.addresses.apply((all) => all.join(',')), 'office.example.com': office.address },
  },
  { dependsOn: namespace },
);

export const names = records.data;
