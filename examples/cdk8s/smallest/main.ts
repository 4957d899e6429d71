// The smallest app: the operator with two zones, and three Services that ask it for addresses.
//
//   npx cdk8s synth        writes dist/0000-ipam.k8s.yaml (first) and dist/0001-web.k8s.yaml (second)
//
// The cluster needs cert-manager and MetalLB. In an app of your own the import is 'cdk8s-ipam/constructs'.
import { App, Chart } from 'cdk8s';

import { IpamOperator, IpamService } from '../../../constructs';

const app = new App();

const ipam = new Chart(app, 'ipam');
const { zones } = new IpamOperator(ipam, 'operator', {
  zones: [
    // A zone is a name for addresses. What it excludes is never given to a Service.
    { name: 'hnet-private', prefixes: ['172.16.8.0/22'], excluded: ['172.16.8.0-172.16.8.15', '172.16.11.255'] },
    { name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'], excluded: ['83.118.168.0', '2a05:1234::'] },
  ],
  // Services that name no zone get an address of this one.
  services: { defaultZone: 'hnet-private' },
});

// The webhooks stand last in the first chart, so Services belong into a second one.
const web = new Chart(app, 'web', { namespace: 'default' });
web.addDependency(ipam);

// `zones` lets synth find a zone, family or address that the operator would refuse later.
const common = { ports: [{ port: 443, targetPort: 8443 }], zones };

// One IPv4 address of the default zone.
new IpamService(web, 'intranet', { ...common, selector: { app: 'intranet' }, ipFamily: 'ipv4' });

// One public IPv4 address, kept for a week when the Service is deleted.
new IpamService(web, 'shop', { ...common, selector: { app: 'shop' }, zone: 'inet', retentionPeriodDays: 7 });

// A public address of each family; the IPv4 one is chosen here.
new IpamService(web, 'api', {
  ...common,
  selector: { app: 'api' },
  zone: 'inet',
  ipFamily: 'dual',
  addresses: ['83.118.168.10'],
});

app.synth();
