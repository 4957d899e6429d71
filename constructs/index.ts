// The public entry for cdk8s apps: `import { IpamOperator, IpamService } from 'cdk8s-ipam/constructs'`.
import './props-kit/construct-peers';

export type { ForeignLoadBalancer } from '../operator/contract/foreign-load-balancers';
export type { LabelExpression, LabelSelector } from '../operator/contract/label-selector';
export type { ZoneProps } from '../operator/contract/zones';
export type { AddressClaimEntry, AddressClaimHolder, AddressClaimSpec, AddressClaimUser } from './crds/address-claim';
export type { IPAllocationOwnerRef, IPAllocationSpec } from './crds/ip-allocation';
export type { IPPrefixSpec } from './crds/ip-prefix';
export type { EgressIPAMCidrAssignments, EgressIPAMFailover, EgressIPAMSpec } from './crds/egress-ipam';
export type { IPGroupSpec } from './crds/ip-group';
export type {
  ILabelSelector,
  IPods,
  IPodSelector,
  IWorkload,
  IWorkloadContainer,
  NamespaceSelection,
  PodSelection,
  WorkloadExpression,
  WorkloadPort,
} from './service/pods';
export { exposeViaIpam } from './service/expose-via-ipam';
export { IpamOperator, ipamOperatorProblems } from './operator/ipam-operator';
export type { IpamOperatorProps } from './operator/ipam-operator-props';
export type { ServicesDoorProps } from './operator/services-door/services-door-props';
export type { ClusterApiProps } from './operator/cluster-api/cluster-api-props';
export type { EgressCloudProps } from './operator/egress-door/egress-cloud-props';
export type { EgressDoorProps } from './operator/egress-door/egress-door-props';
export type { NetworksDoorProps } from './operator/networks-door/networks-door-props';
export type { VipsDoorProps } from './operator/vips-door/vips-door-props';
export { IpamService, ipamServiceProblems } from './service/ipam-service';
export type {
  ExposeViaIpamProps,
  GeneratedSecretProps,
  IAddressOwner,
  IpamExposureProps,
  IpamServicePort,
  IpamServiceProps,
  IpFamily,
  SharedTerms,
} from './service/ipam-service-props';
export { AddressClaim } from './kinds/address-claim';
export type { AddressClaimProps } from './kinds/address-claim-props';
export { NetworkInstance } from './kinds/network-instance';
export type { NetworkInstanceProps } from './kinds/network-instance-props';
export { IpPrefix } from './kinds/ip-prefix';
export type { IpPrefixProps } from './kinds/ip-prefix-props';
export { IpAllocation, type AllocatedField } from './kinds/ip-allocation';
export type { IpAllocationProps } from './kinds/ip-allocation-props';
export { AddressPlan } from './kinds/address-plan';
export type { AddressPlanProps, PlannedPrefix } from './kinds/address-plan-props';
export type { NephioObjectProps } from './kinds/nephio-object-props';
export { EgressIpam } from './kinds/egress-ipam';
export type { EgressIpamProps, OptedInNamespace } from './kinds/egress-ipam-props';
export { EgressNamespace } from './kinds/egress-namespace';
export type { EgressNamespaceProps } from './kinds/egress-namespace-props';
export type { EgressWish } from './kinds/egress-opt-ins';
export { IpGroup } from './kinds/ip-group';
export type { IpGroupProps } from './kinds/ip-group-props';
export { VipService, vipServiceProblems } from './vip-service/vip-service';
export type { VipServiceProps } from './vip-service/vip-service-props';
export { MetalLbPool, metalLbPoolProblems, ZonePool } from './metallb/metallb';
export type {
  AdvertisedProps,
  AdvertiseBy,
  BgpAdvertisementProps,
  L2AdvertisementProps,
  MetalLbPoolProps,
  ZonePoolProps,
} from './metallb/metallb-props';
export type { Manifest } from './operator/extra-objects/extra-objects';
export type { OperatorImage } from './operator/pod/image';
export type {
  CertificateIssuer,
  ConfigMapKeyReference,
  IpamApiClientsProps,
  IpamApiExposeProps,
  IpamApiProps,
} from './operator/ipam-api/ipam-api-props';
export type { NetworksGrpcProps } from './operator/networks-grpc/networks-grpc-props';
export type { NetBoxProps } from './operator/netbox/netbox-props';
export type { OperatorNetworkPolicyProps } from './operator/network/network-policy-props';
export type { OperatorEnvVar, OperatorPodProps, OperatorResources } from './operator/pod/pod-props';
export type { OperatorSettingsProps } from './operator/settings/settings-props';
export type { SplunkProps } from './operator/related-systems/splunk-props';
export type {
  OperatorStoreProps,
  PostgresStoreProps,
  RemoteStoreProps,
  SqliteStoreProps,
} from './operator/store/store-props';
export type { SecretKeyReference } from './props-kit/secret-key';
export type { CleanupEventsProps } from './operator/cleanup-events/cleanup-events-props';
export type { CrdsProps } from './operator/crds/crds-props';
export type {
  DashboardProps,
  MonitoringProps,
  PrometheusRuleProps,
  SecureMetricsProps,
  ServiceMonitorProps,
} from './operator/monitoring/monitoring-props';
export type { OperatorZone, ZonePoolsProps } from './operator/zones/zone-pools-props';
export { writeForEveryReader } from './app/portable-yaml';
export { zonesFromFile } from './operator/zones/zones-file';
export {
  admissionOf,
  expectNoIpamProblems,
  ipamProblems,
  synthIpam,
  type ServiceAdmission,
  type SynthesizedIpam,
} from './testing/testing';
export type { AdmissionOptions, IpamProblemsOptions } from './testing/testing-props';
export type { KubernetesObject } from './validations/plugin';
