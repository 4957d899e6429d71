// What programs in other languages write. Pulumi reads these declarations and makes the schema of them: it takes named
// interfaces, and no unions. Words such as `deny` are texts here, and checked by the components.
import type * as pulumi from '@pulumi/pulumi';

/** One expression of a label selector. */
export interface LabelExpressionArgs {
  /** Key of the label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** Values for In and NotIn. */
  readonly values?: string[];
}

/** Selects by labels; empty, it selects everything. */
export interface LabelSelectorArgs {
  /** Labels with their values. */
  readonly matchLabels?: Record<string, string>;
  /** Expressions that hold beside them. */
  readonly matchExpressions?: LabelExpressionArgs[];
}

/** An L2Advertisement of MetalLB. */
export interface L2AdvertisementArgs {
  /** Names of the node interfaces that answer; every one by default. */
  readonly interfaces?: string[];
  /** Nodes that may answer; every one by default. */
  readonly nodeSelectors?: LabelSelectorArgs[];
}

/** A BGPAdvertisement of MetalLB. */
export interface BgpAdvertisementArgs {
  /** BGP communities of the routes, such as 65000:100. */
  readonly communities?: string[];
  /** LOCAL_PREF of the routes; 0 by default. */
  readonly localPref?: number;
  /** Bits of the IPv4 routes, 1 to 32; 32 by default. */
  readonly aggregationLength?: number;
  /** Bits of the IPv6 routes, 1 to 128; 128 by default. */
  readonly aggregationLengthV6?: number;
  /** Names of the BGPPeer objects that learn the routes; every one by default. */
  readonly peers?: string[];
  /** Nodes that are next hops; every one by default. */
  readonly nodeSelectors?: LabelSelectorArgs[];
}

/** Addresses under a name. */
export interface ZoneArgs {
  /** Name of the zone, a DNS label. */
  readonly name: string;
  /** Prefixes that addresses are given from. */
  readonly prefixes: string[];
  /** Addresses, ranges and prefixes that are never given. */
  readonly excluded?: string[];
  /** Network of the zone, where prefixes of several overlap. */
  readonly network?: string;
  /** Namespaces that may use the zone; every one by default. */
  readonly namespaces?: LabelSelectorArgs;
  /** Seconds before a released address goes to another claimant; 300 by default. */
  readonly quarantineSeconds?: number;
  /** Most addresses in use. */
  readonly quota?: number;
  /** Claims stay, nothing new is given. */
  readonly draining?: boolean;
  /** How MetalLB announces the addresses: l2, bgp, both or none. */
  readonly advertise?: string;
  /** L2 advertisements with their settings. */
  readonly l2?: L2AdvertisementArgs[];
  /** BGP advertisements with their settings. */
  readonly bgp?: BgpAdvertisementArgs[];
}

/** Settings of the Services front door. */
export interface ServicesDoorArgs {
  /** Whether Services of type LoadBalancer are served; true by default. */
  readonly enabled?: boolean;
  /** Zone of a Service that names none. */
  readonly defaultZone?: string;
  /** Values of spec.loadBalancerClass that are ours. */
  readonly loadBalancerClasses?: string[];
  /** Further namespaces whose Services never reach the webhooks. */
  readonly excludedNamespaces?: pulumi.Input<string>[];
}

/** Where the image of the operator is pulled from. */
export interface OperatorImageArgs {
  /** Registry, with port and path where it has them. */
  readonly registry?: pulumi.Input<string>;
  /** Path behind the registry; cdk8s-ipam by default. */
  readonly repository?: pulumi.Input<string>;
  /** Tag; the version of the package by default. */
  readonly tag?: pulumi.Input<string>;
  /** Digest such as sha256:…; it decides where it is given. */
  readonly digest?: pulumi.Input<string>;
  /** Names of the Secrets by which the image is pulled. */
  readonly pullSecrets?: pulumi.Input<string>[];
}

/** A key of a Secret of the operator's namespace. */
export interface SecretKeyArgs {
  /** Name of the Secret. */
  readonly name: pulumi.Input<string>;
  /** Key of it. */
  readonly key?: pulumi.Input<string>;
}

/** SQLite on a volume: one replica. */
export interface SqliteStoreArgs {
  /** Size of the volume; 1Gi by default. */
  readonly size?: pulumi.Input<string>;
  /** Class of the volume; that of the cluster by default. */
  readonly storageClassName?: pulumi.Input<string>;
}

/** PostgreSQL: several replicas. */
export interface PostgresStoreArgs {
  /** Secret with the connection string, under the key dsn by default. */
  readonly connection: SecretKeyArgs;
  /** Secret with the CA certificates, under the key ca.crt by default. */
  readonly ca?: SecretKeyArgs;
}

/** Where claims are kept; one of the two, SQLite by default. */
export interface OperatorStoreArgs {
  /** A file on a volume. */
  readonly sqlite?: SqliteStoreArgs;
  /** A database. */
  readonly postgres?: PostgresStoreArgs;
}

/** Times and limits. */
export interface OperatorSettingsArgs {
  /** Seconds after which a review is answered without an address. */
  readonly admissionDeadlineSeconds?: pulumi.Input<number>;
  /** Seconds for which a reservation waits for its Service. */
  readonly reservationLeaseSeconds?: pulumi.Input<number>;
  /** Seconds between the signal to end and the end. */
  readonly shutdownDelaySeconds?: number;
}

/** Requests and limits of the Pods. */
export interface OperatorResourcesArgs {
  /** CPU that is reserved. */
  readonly cpuRequest?: pulumi.Input<string>;
  /** Memory that is reserved. */
  readonly memoryRequest?: pulumi.Input<string>;
  /** Memory that is the most. */
  readonly memoryLimit?: pulumi.Input<string>;
}

/** What the network lets out of the Pods. */
export interface OperatorNetworkPolicyArgs {
  /** Whether there is a NetworkPolicy; true by default. */
  readonly enabled?: boolean;
  /** Where the database or the IPAM-API is. */
  readonly storeCidrs?: pulumi.Input<string>[];
}

/** What an IpamOperator is made of. */
export interface IpamOperatorArgs {
  /** Addresses that may be given out, at least one zone. */
  readonly zones: ZoneArgs[];
  /** Settings of the Services front door. */
  readonly services?: ServicesDoorArgs;
  /** Image of the operator. */
  readonly image?: OperatorImageArgs;
  /** Where claims are kept. */
  readonly store?: OperatorStoreArgs;
  /** Pods of the operator; 1 with SQLite, else 2 by default. */
  readonly replicas?: number;
  /** What happens to a Service while no address can be given: deny or admit; deny by default. */
  readonly whenUnavailable?: string;
  /** Families of the cluster's Services, the primary one first; IPv4 and IPv6 by default. */
  readonly clusterFamilies?: string[];
  /** Who writes the pool of a zone: prefixes (the program) or claims (the operator); prefixes by default. */
  readonly zonePools?: string;
  /** Issuer of the certificate of the webhooks: cert-manager or self-managed; cert-manager by default. */
  readonly certificates?: string;
  /** kubernetes or openshift; kubernetes by default. */
  readonly platform?: string;
  /** Whether the namespace ipam-system is made; true by default. */
  readonly createNamespace?: boolean;
  /** Times and limits. */
  readonly settings?: OperatorSettingsArgs;
  /** Requests and limits of the Pods. */
  readonly resources?: OperatorResourcesArgs;
  /** What the network lets out of the Pods. */
  readonly networkPolicy?: OperatorNetworkPolicyArgs;
  /** Priority class of the Pods. */
  readonly priorityClassName?: pulumi.Input<string>;
  /** Least severe level that is logged; info by default. */
  readonly logLevel?: pulumi.Input<string>;
  /** What becomes of the objects that hold data when they are deleted: retain, protect or none; retain by default. */
  readonly dataProtection?: string;
}

/** One port of a Service. */
export interface IpamServicePortArgs {
  /** Port that clients connect to. */
  readonly port: number;
  /** Port of the container; the same number by default. */
  readonly targetPort?: pulumi.Input<number>;
  /** TCP, UDP or SCTP; TCP by default. */
  readonly protocol?: string;
  /** Name of the port; Kubernetes wants one where there are several. */
  readonly name?: string;
}

/** A Secret that is made beside a Service. */
export interface GeneratedSecretArgs {
  /** Name of the Secret; that of the Service and `-ipam` by default. */
  readonly name?: pulumi.Input<string>;
  /** The secret, 8 to 64 characters; it stays a secret in the state of the stack. */
  readonly value: pulumi.Input<string>;
}

/** What an IpamService is made of. */
export interface IpamServiceArgs {
  /** Ports, at least one. */
  readonly ports: IpamServicePortArgs[];
  /** Name of the Service; that of the component by default. */
  readonly name?: string;
  /** Namespace of the Service. */
  readonly namespace?: pulumi.Input<string>;
  /** Labels of the Pods behind the Service. */
  readonly selector?: Record<string, pulumi.Input<string>>;
  /** Zone that the addresses come from; the default zone by default. */
  readonly zone?: string;
  /** Wished addresses, at most one of each family. */
  readonly addresses?: string[];
  /** ipv4, ipv6 or dual; the primary family of the cluster by default. */
  readonly ipFamily?: string;
  /** Name of the Secret that owns the addresses; the cluster's own by default. */
  readonly secret?: pulumi.Input<string>;
  /** A Secret to be made beside the Service, in place of `secret`. */
  readonly generatedSecret?: GeneratedSecretArgs;
  /** Days for which the addresses stay with their secret after the Service is gone, 0 to 30. */
  readonly retentionPeriodDays?: number;
  /** Keeps the registration when a clean-up comes from outside of the cluster. */
  readonly denyExternalCleanup?: boolean;
  /** Services of one cluster with the same key may have one address, on different ports. */
  readonly allowLocalSharedIp?: pulumi.Input<string>;
  /** Cluster or Local. */
  readonly externalTrafficPolicy?: pulumi.Input<string>;
  /** Annotations beside ours. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
  /** Labels of the Service. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Whether the program waits for the addresses; true by default. */
  readonly waitForAddresses?: boolean;
  /** Seconds that it waits; 300 by default. */
  readonly timeoutSeconds?: number;
}

/** What a VipService is made of. */
export interface VipServiceArgs {
  /** Ports, at least one. */
  readonly ports: IpamServicePortArgs[];
  /** Name of the Service; that of the component by default. */
  readonly name?: string;
  /** Namespace of the Service. */
  readonly namespace?: pulumi.Input<string>;
  /** Labels of the Pods behind the Service. */
  readonly selector?: Record<string, pulumi.Input<string>>;
  /** Name of the IPGroup that the addresses come from. */
  readonly group?: string;
  /** Wished addresses, at most one of each family. */
  readonly addresses?: string[];
  /** Services with the same key may have one address, on different ports. */
  readonly sharingKey?: string;
  /** Load balancer class; paas.org/vip by default. */
  readonly loadBalancerClass?: string;
  /** Whether the Service has no class. */
  readonly classless?: boolean;
  /** SingleStack, PreferDualStack or RequireDualStack. */
  readonly ipFamilyPolicy?: string;
  /** Cluster or Local. */
  readonly externalTrafficPolicy?: string;
  /** Annotations beside ours. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
  /** Labels of the Service. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Whether the program waits for the address; true by default. */
  readonly waitForAddresses?: boolean;
  /** Seconds that it waits; 300 by default. */
  readonly timeoutSeconds?: number;
}

/** What a MetalLbPool is made of. */
export interface MetalLbPoolArgs {
  /** Addresses of the pool: prefixes and ranges. */
  readonly addresses: string[];
  /** Name of the pool; that of the component by default. */
  readonly name?: string;
  /** Namespace of MetalLB; metallb-system by default. */
  readonly namespace?: string;
  /** Whether MetalLB gives addresses of the pool by itself. */
  readonly autoAssign?: boolean;
  /** Whether addresses that end in .0 and .255 are left out. */
  readonly avoidBuggyIps?: boolean;
  /** How MetalLB announces the addresses: l2, bgp, both or none. */
  readonly advertise?: string;
  /** L2 advertisements with their settings. */
  readonly l2?: L2AdvertisementArgs[];
  /** BGP advertisements with their settings. */
  readonly bgp?: BgpAdvertisementArgs[];
}

/** The object that owns a claim. */
export interface AddressClaimHolderArgs {
  /** API group and version of the holder. */
  readonly apiVersion: string;
  /** Kind of the holder. */
  readonly kind: string;
  /** Namespace of the holder; absent for a kind without namespaces. */
  readonly namespace?: string;
  /** Name of the holder. */
  readonly name: string;
  /** UID of the holder; absent until the holder is stored. */
  readonly uid?: string;
}

/** Who holds which addresses. */
export interface AddressClaimSpecArgs {
  /** Name of the network; inside one network an address has one owner. */
  readonly network: string;
  /** What is claimed, in canonical text: one address, or a prefix in CIDR notation. */
  readonly address: string;
  /** Front door that the claim was made through: networks, egress or grpc. */
  readonly door: string;
  /** Name of the object or CIDR whose space was given out. */
  readonly pool?: string;
  /** State of the claim: reserved, bound, retained or quarantined. */
  readonly state: string;
  /** End of the lease, the retention or the quarantine; absent when bound. */
  readonly until?: string;
  /** The object that owns the claim, or that owned it last. */
  readonly holder?: AddressClaimHolderArgs;
  /** Key by which a caller without an object asks again for the same claim. */
  readonly key?: string;
  /** Labels by which requests select this space. */
  readonly labels?: Record<string, string>;
}

/** What an AddressClaim is made of. */
export interface AddressClaimArgs {
  /** Who holds which address; the name of the object follows from it. */
  readonly spec: AddressClaimSpecArgs;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
}

/** What an IPGroup gives out, and to which Services. */
export interface IpGroupSpecArgs {
  /** Addresses that are given out, in CIDR notation. */
  readonly segment?: string;
  /** Further segments, of one family or of both. */
  readonly segments?: string[];
  /** Addresses that are never given out: single ones, ranges, or CIDR notation. */
  readonly excludedIPs?: string[];
  /** Network of the addresses; default by default. */
  readonly network?: string;
  /** Groups of higher priority are chosen first; 0 by default. */
  readonly priority?: number;
  /** Namespaces that the group serves; all by default. */
  readonly namespaces?: LabelSelectorArgs;
  /** Services that the group serves; all by default. */
  readonly services?: LabelSelectorArgs;
  /** Only Services of this class are served; every class of the operator by default. */
  readonly loadBalancerClass?: string;
  /** Whether only Services that name the group or one of its addresses are served; false by default. */
  readonly explicitOnly?: boolean;
  /** Whether nothing new is given out; false by default. */
  readonly draining?: boolean;
  /** Seconds for which a released address waits for its former holder; 0 by default. */
  readonly quarantineSeconds?: number;
  /** lowest or segments; lowest by default. */
  readonly searchOrder?: string;
  /** Whether a change that cuts out addresses in use is applied; false by default. */
  readonly force?: boolean;
}

/** What an IpGroup is made of. */
export interface IpGroupArgs {
  /** What is given out, and to which Services. */
  readonly spec: IpGroupSpecArgs;
  /** Name of the group; that of the component by default. */
  readonly name?: string;
  /** Labels of the object. */
  readonly labels?: Record<string, pulumi.Input<string>>;
  /** Annotations of the object. */
  readonly annotations?: Record<string, pulumi.Input<string>>;
}
