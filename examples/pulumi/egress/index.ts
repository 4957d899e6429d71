// Egress addresses of a namespace, which are an Output. The operator serves nothing else here.
//
//   pulumi stack init dev && pulumi up
//
// The cluster needs nothing beside it. In a program of your own the import is 'cdk8s-ipam/infra'.
import { EgressIpam, EgressNamespace, IpamOperator } from '../../../infra';

const ipam = new IpamOperator('ipam', { services: { enabled: false }, egress: { enabled: true } });

// CIDRs that overlap, and reserved addresses outside of their CIDR, fail in the preview.
const edge = new EgressIpam(
  'edge',
  {
    spec: {
      dataplane: 'none',
      topologyLabel: 'egressGateway',
      cidrAssignments: [{ CIDR: '192.0.2.0/27', labelValue: 'true', reservedIPs: ['192.0.2.1'] }],
    },
  },
  { dependsOn: ipam },
);

const shop = new EgressNamespace('shop', { egressIpam: 'edge' }, { dependsOn: edge });

/** Known once the operator has given them, for the rule of a firewall. */
export const { addresses } = shop;
