/** One prefix of an {@link AddressPlan}, with those inside of it. */
export interface PlannedPrefix {
  /** In CIDR notation; for kind network the address before the slash may be one inside of the subnet, which is then taken. */
  readonly prefix: string;
  /**
   * Kind of the prefix.
   *
   * @default - network where `network` is given or the prefix stands inside of a network, else aggregate
   */
  readonly kind?: 'network' | 'loopback' | 'pool' | 'aggregate';
  /**
   * Name of the object.
   *
   * @default - name of the instance and the prefix, such as `vpc-1-10-0-0-0-8`
   */
  readonly name?: string;
  /**
   * Name of the network; kind network only.
   *
   * @default - that of the network around it
   */
  readonly network?: string;
  /**
   * Address of the gateway, inside of the prefix; kind network only.
   *
   * @default - none
   */
  readonly gateway?: string;
  /**
   * Labels, by which allocations select it.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Addresses that are never given out: single ones, ranges such as 10.0.0.1-10.0.0.9, or CIDR notation.
   *
   * @default - none
   */
  readonly excluded?: readonly string[];
  /**
   * Prefixes inside of it; inside of a network these are its recorded addresses.
   *
   * @default - none
   */
  readonly children?: readonly PlannedPrefix[];
}

/** Props of an {@link AddressPlan}. */
export interface AddressPlanProps {
  /** Name of the NetworkInstance. */
  readonly instance: string;
  /**
   * Whether the NetworkInstance is made too.
   *
   * @default true
   */
  readonly createInstance?: boolean;
  /**
   * Namespace of all objects.
   *
   * @default - that of the chart
   */
  readonly namespace?: string;
  /** The outermost prefixes. */
  readonly prefixes: readonly PlannedPrefix[];
  /**
   * Labels of all objects; those of a prefix win.
   *
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Name of the cluster that the plan is for, any word, where one app describes several.
   *
   * @default - every cluster of the app
   */
  readonly cluster?: string;
}
