import type { LabelSelector } from '../../operator/contract/label-selector';

/** How MetalLB tells the network about the addresses of a pool: by ARP and NDP, by BGP, by both, or not at all. */
export type AdvertiseBy = 'l2' | 'bgp' | 'both' | 'none';

/** One L2Advertisement of MetalLB: addresses answered for by ARP (IPv4) and NDP (IPv6). */
export interface L2AdvertisementProps {
  /**
   * Names of the node interfaces that answer, at most 15 characters each.
   *
   * @default - every interface
   */
  readonly interfaces?: readonly string[];
  /**
   * Nodes that may answer; a node that fulfils one of the selectors is in.
   *
   * @default - every node
   */
  readonly nodeSelectors?: readonly LabelSelector[];
}

/** One BGPAdvertisement of MetalLB: routes to the addresses, told to BGP peers. */
export interface BgpAdvertisementProps {
  /**
   * BGP communities of the routes: `65000:100` (both 0 to 65535), `large:65000:1:2` (each 0 to 4294967295), or an alias that a
   * `Community` object of MetalLB defines.
   *
   * @default - none
   */
  readonly communities?: readonly string[];
  /**
   * LOCAL_PREF, 0 to 4294967295; the path with the higher one wins. Only peers of the same AS see it.
   *
   * @default 0
   */
  readonly localPref?: number;
  /**
   * Bits of the IPv4 routes, 1 to 32; below 32 neighbours are told as one route. No prefix of the pool may be smaller.
   *
   * @default 32
   */
  readonly aggregationLength?: number;
  /**
   * Bits of the IPv6 routes, 1 to 128; below 128 neighbours are told as one route. No prefix of the pool may be smaller.
   *
   * @default 128
   */
  readonly aggregationLengthV6?: number;
  /**
   * Names of the `BGPPeer` objects of MetalLB that learn the routes.
   *
   * @default - every peer
   */
  readonly peers?: readonly string[];
  /**
   * Nodes that are next hops; a node that fulfils one of the selectors is in.
   *
   * @default - every node
   */
  readonly nodeSelectors?: readonly LabelSelector[];
}

/** Protocols that tell the network about a pool. */
export interface AdvertisedProps {
  /**
   * Announcement to the network: by MetalLB by ARP and NDP (`l2`), by BGP (`bgp`), by `both`, or advertisements of your own (`none`).
   *
   * @default - what `l2` and `bgp` list; 'l2' where neither is given
   */
  readonly advertise?: AdvertiseBy;
  /**
   * L2 advertisements with their settings; several announce from different nodes or interfaces.
   *
   * @default - one without settings, where `advertise` wants one
   */
  readonly l2?: readonly L2AdvertisementProps[];
  /**
   * BGP advertisements with their settings; several tell different peers different things.
   *
   * @default - one without settings, where `advertise` wants one
   */
  readonly bgp?: readonly BgpAdvertisementProps[];
}

/** A MetalLB pool that the operator does not manage, see {@link MetalLbPool}. */
export interface MetalLbPoolProps extends AdvertisedProps {
  /**
   * Name of the pool and of its advertisements. The name of a zone is taken by the zone's own pool.
   *
   * @default - the id of the construct
   */
  readonly name?: string;
  /**
   * Namespace of MetalLB.
   *
   * @default 'metallb-system'
   */
  readonly namespace?: string;
  /** CIDR blocks without host bits, or ranges such as `192.0.2.10-192.0.2.20`, at least one; none overlaps another one. */
  readonly addresses: readonly string[];
  /**
   * Whether MetalLB gives these addresses to Services that name no pool; one that our webhook missed is among them.
   *
   * @default true
   */
  readonly autoAssign?: boolean;
  /**
   * Whether MetalLB leaves out addresses that end in .0 and .255, which some old routers and clients drop.
   *
   * @default false
   */
  readonly avoidBuggyIps?: boolean;
  /**
   * Cluster that the pool is meant for, any word, where one app describes several: pools of different clusters may overlap.
   *
   * @default - every cluster of the app
   */
  readonly cluster?: string;
}

/** Addresses that MetalLB may announce for one zone. */
export interface ZonePoolProps extends AdvertisedProps {
  /** Name of the zone, which the pool and its advertisements carry too. */
  readonly zone: string;
  /**
   * Prefixes of the zone in CIDR notation.
   *
   * @default - no pool is emitted, only its advertisements: the operator writes the pool
   */
  readonly prefixes?: readonly string[];
}
