import type { ForeignLoadBalancer } from '../../../operator/contract/foreign-load-balancers';

/** Settings of the VIPs front door. */
export interface VipsDoorProps {
  /**
   * Whether Services of its classes get addresses of IPGroups, in their status. Its kinds are installed with it.
   *
   * @default false
   */
  readonly enabled?: boolean;
  /**
   * Values of `spec.loadBalancerClass` that it serves.
   *
   * @default ['paas.org/vip']
   */
  readonly loadBalancerClasses?: readonly string[];
  /**
   * Whether it serves Services without a class too, as the older operator did. Not beside `services.defaultZone`.
   *
   * @default false
   */
  readonly classless?: boolean;
  /**
   * Says that the MetalLB of the cluster serves a class of its own alone (its option `--lb-class`), which `classless` needs beside it:
   * without one it clears the status of every Service without a class.
   *
   * @default false
   */
  readonly besideMetalLbClass?: boolean;
  /**
   * Seconds for which an address stays on record for a Service that was found missing, as after a restore.
   *
   * @default 300
   */
  readonly orphanGraceSeconds?: number;
  /**
   * Other load balancers by whose annotations Services may ask for an address, a group or a sharing key too: `metallb`, `cilium`, `purelb`,
   * `kube-vip` and `openelb`. Which Services are served does not change.
   *
   * @default - none
   */
  readonly foreignAnnotations?: readonly ForeignLoadBalancer[];
  /**
   * Whether VirtualIPs of the older VIP allocator operator become Services of type LoadBalancer where their annotation orders it. Brings
   * the kinds VirtualIP and GroupSegmentMapping, and the rights to change the type of Services and to delete the copies that VirtualIPs
   * made of them.
   *
   * @default false
   */
  readonly migration?: boolean;
}
