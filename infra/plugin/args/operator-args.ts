// What programs in other languages write. Pulumi reads these declarations and makes the schema of them: it takes named
// interfaces, and no unions. Words such as `deny` are texts here, and checked by the components.
import type * as pulumi from '@pulumi/pulumi';
import type { LabelSelectorArgs, L2AdvertisementArgs, BgpAdvertisementArgs } from './shared-args';

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

/** Connections that the network lets out of the Pods. */
export interface OperatorNetworkPolicyArgs {
  /** Whether there is a NetworkPolicy; true by default. */
  readonly enabled?: boolean;
  /** Where the database or the IPAM-API is. */
  readonly storeCidrs?: pulumi.Input<string>[];
}

/** Zones, doors, store and Pods of an operator. */
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
  /** Treatment of a Service while no address can be given: deny or admit; deny by default. */
  readonly whenUnavailable?: string;
  /** Families of the cluster's Services, the primary one first; IPv4 and IPv6 by default. */
  readonly clusterFamilies?: string[];
  /** Writer of the pool of a zone: prefixes (the program) or claims (the operator); prefixes by default. */
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
  /** Connections that the network lets out of the Pods. */
  readonly networkPolicy?: OperatorNetworkPolicyArgs;
  /** Priority class of the Pods. */
  readonly priorityClassName?: pulumi.Input<string>;
  /** Least severe level that is logged; info by default. */
  readonly logLevel?: pulumi.Input<string>;
  /** Fate of the objects that hold data when they are deleted: retain, protect or none; retain by default. */
  readonly dataProtection?: string;
}
