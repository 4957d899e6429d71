// What programs in other languages write. Pulumi reads these declarations and makes the schema of them: it takes named
// interfaces, and no unions. Words such as `deny` are texts here, and checked by the components.
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
