/** Settings of the Services front door. */
export interface ServicesDoorProps {
  /**
   * Whether LoadBalancer Services are served. Switched off, the door has no rights, no webhook and no pools, and the IPAM-API is
   * all that is served, for other clusters: `ipamApi.expose` has to be there.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Zone of a Service that names none. Set, it makes every LoadBalancer Service without a class ours.
   *
   * @default - a Service that asks for nothing is left alone
   */
  readonly defaultZone?: string;
  /**
   * Values of `spec.loadBalancerClass` that are ours.
   *
   * @default - only Services without a class
   */
  readonly loadBalancerClasses?: readonly string[];
  /**
   * Values of `spec.loadBalancerClass` that announcers of others serve in this cluster: what their Services show is never given out.
   *
   * @default - only Services without a class, and those of `loadBalancerClasses`, count as announced
   */
  readonly occupiedClasses?: readonly string[];
  /**
   * Namespaces whose Services never reach the webhooks, beside kube-system, kube-public, kube-node-lease and our own. The 13 that
   * the original operator left out as well are `ORIGINAL_EXCLUDED_NAMESPACES`; see `settings.namespacePreset`.
   *
   * @default - none more
   */
  readonly excludedNamespaces?: readonly string[];
}
