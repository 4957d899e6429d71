import type { DoorEvent } from './door-pages';

/** One AddressClaim of the Egress door: an address on record. */
export interface EgressAddress {
  readonly address: string;
  readonly network: string;
  /** EgressIPAM that gave it. */
  readonly egressIpam: string;
  readonly state: 'held' | 'quarantined';
  /** End of the quarantine, RFC 3339; absent unless quarantined. */
  readonly until?: string;
  /** Namespace that holds it; of a quarantined address the former one. */
  readonly namespace: string;
  /** RFC 3339. */
  readonly since: string;
  /** Node that carries it; absent where no dataplane shows one. */
  readonly node?: string;
}

/** One CIDR of an EgressIPAM with what is on record in it. */
interface EgressCidr {
  readonly cidr: string;
  /** Value of the topology label of the nodes that carry its addresses. */
  readonly labelValue: string;
  readonly total: string;
  /** Addresses that can be given now. */
  readonly free: string;
  readonly addresses: readonly EgressAddress[];
}

/** One EgressIPAM. */
export interface EgressIpamTree {
  readonly egressIpam: string;
  readonly network: string;
  readonly dataplane: string;
  /** Why it gives nothing new; absent where it does. */
  readonly problem?: string;
  /** In the order of the spec. */
  readonly cidrs: readonly EgressCidr[];
  /** Addresses that it gave, and that lie in none of its CIDRs now. */
  readonly outside: readonly EgressAddress[];
}

/** Answer of the page of all EgressIPAMs. */
export interface EgressTree {
  /** The oldest first. */
  readonly egressIpams: readonly EgressIpamTree[];
  /** Addresses on record that no stored EgressIPAM gave. */
  readonly withoutIpam: readonly EgressAddress[];
}

/** Answer about one address, one Namespace or one EgressIPAM. */
export interface EgressExplanation {
  /** False: the door has nothing to do with it. */
  readonly known: boolean;
  readonly sentences: readonly string[];
  readonly addresses: readonly EgressAddress[];
}

/** Answer about the past of one address. */
export interface EgressHistory {
  /** One for each network in which the address is on record. */
  readonly addresses: readonly EgressAddress[];
  /** Newest first. */
  readonly events: readonly DoorEvent[];
}
