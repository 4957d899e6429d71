// What programs in other languages write. Pulumi reads these declarations and makes the schema of them: it takes named
// interfaces, and no unions. Words such as `deny` are texts here, and checked by the components.
import type * as pulumi from '@pulumi/pulumi';

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

/** Wish, ports and Pods of a Service of the Services door. */
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

/** Wish, ports and Pods of a Service of the VIPs door. */
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
