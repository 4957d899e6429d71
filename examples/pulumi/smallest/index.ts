// The smallest program: the operator with one zone, and a Service whose address is an Output.
//
//   pulumi stack init dev && pulumi up
//
// The cluster needs cert-manager and MetalLB. In a program of your own the import is 'cdk8s-ipam/infra'.
import { IpamOperator, IpamService } from '../../../infra';

const ipam = new IpamOperator('ipam', {
  // A zone is a name for addresses. What it excludes is never given to a Service.
  zones: [
    { name: 'inet', prefixes: ['83.118.168.0/24', '2a05:1234::/112'], excluded: ['83.118.168.0', '2a05:1234::'] },
  ],
  services: { defaultZone: 'inet' },
});

// `zones` lets a preview find a zone, family or address that the operator would refuse later. It reserves nothing.
const shop = new IpamService(
  'shop',
  { selector: { app: 'shop' }, ports: [{ port: 443, targetPort: 8443 }], zones: ipam.zones },
  { dependsOn: ipam },
);

/** Known when the Service has it, for a DNS record or another stack. */
export const address = shop.address;
