// The public entry for Pulumi programs, `import { IpamOperator, IpamService } from 'cdk8s-ipam/infra'`, and itself the program
// that `pulumi up` runs by Pulumi.yaml.
import './args/peers';
import { program, type ProgramOutputs } from './program';

export type { OperatorZone } from '../constructs';
export type { ZoneCatalogue } from '../operator/contract/zones';
export { IpamOperator, type IpamOperatorArgs } from './components/ipam-operator';
export { IpamService, type IpamServiceArgs } from './components/ipam-service';
export { AddressClaim, type AddressClaimArgs } from './components/address-claim';
export { EgressIpam, type EgressIpamArgs } from './components/egress-ipam';
export { EgressNamespace, type EgressNamespaceArgs } from './components/egress-namespace';
export { IpGroup, type IpGroupArgs } from './components/ip-group';
export { NetworkInstance, type NetworkInstanceArgs } from './components/network-instance';
export { IpPrefix, type IpPrefixArgs } from './components/ip-prefix';
export { IpAllocation, type IpAllocationArgs } from './components/ip-allocation';
export { AddressPlan, type AddressPlanArgs } from './components/address-plan';
export { VipService, type VipServiceArgs } from './components/vip-service';
export type { ReadyArgs } from './args/extra-args';
export type { Deferred, DeferredExcept, DeferredProps } from './args/deferred-props';
export { MetalLbPool, type MetalLbPoolArgs } from './components/metallb-pool';
export { program, type ProgramOutputs };

// Pulumi's own entry file loads the program of a stack, and runs what it exports if that is a function. A program that imports the
// components has another parent.
// eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else tells the importer of this file
if (/@pulumi[\\/]pulumi[\\/]cmd[\\/]run/u.test(module.parent?.filename ?? '')) module.exports = program;
