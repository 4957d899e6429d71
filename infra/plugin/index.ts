// A Pulumi plugin, for programs in YAML, Python, Go, C# and Java: `pulumi package add <git address>/infra/plugin`.
import { componentProviderHost } from '@pulumi/pulumi/provider/experimental';

import {
  AddressClaim,
  AddressPlan,
  IpAllocation,
  IpamOperator,
  IpamService,
  EgressIpam,
  EgressNamespace,
  IpGroup,
  IpPrefix,
  MetalLbPool,
  NetworkInstance,
  VipService,
} from './components';

void componentProviderHost({
  name: 'cdk8s-ipam',
  dirname: __dirname,
  components: [
    ...[IpamOperator, IpamService, MetalLbPool, AddressClaim, EgressIpam, EgressNamespace, IpGroup, VipService],
    ...[NetworkInstance, IpPrefix, IpAllocation, AddressPlan],
  ],
});
