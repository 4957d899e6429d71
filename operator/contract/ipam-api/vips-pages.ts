import type { DoorEvent } from './door-pages';

/** A holder of an address of an IPGroup. */
export interface VipHolder {
  readonly kind: string;
  /** Empty for a kind without namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339. */
  readonly since: string;
  /** Absent where it never shares. */
  readonly sharingKey?: string;
}

/** One IP: an address on record. */
export interface VipAddress {
  readonly address: string;
  /** Group that it was given from; empty where no group gave it. */
  readonly group: string;
  readonly state: 'held' | 'quarantined';
  /** End of the quarantine, RFC 3339; absent unless quarantined. */
  readonly until?: string;
  /** The longest holder first; of a quarantined address the former one. */
  readonly holders: readonly VipHolder[];
}

/** One segment of a group with what is on record in it. */
interface VipSegment {
  readonly segment: string;
  readonly addresses: readonly VipAddress[];
}

/** One IPGroup. */
export interface VipGroupTree {
  readonly group: string;
  readonly network: string;
  readonly total: string;
  readonly free: string;
  readonly allocated: string;
  readonly quarantined: string;
  readonly foreign: string;
  readonly excluded: string;
  readonly draining: boolean;
  /** Why it does not give what its spec says; absent where it does. */
  readonly problem?: string;
  readonly segments: readonly VipSegment[];
  /** Addresses that were given from it, and lie in none of its segments now. */
  readonly outside: readonly VipAddress[];
}

/** Answer of the page of all groups. */
export interface VipsTree {
  /** In the order of choice. */
  readonly groups: readonly VipGroupTree[];
  /** Addresses on record that no stored group gave. */
  readonly groupless: readonly VipAddress[];
}

/** Answer about one address or one Service. */
export interface VipsExplanation {
  /** False: the door has nothing to do with it. */
  readonly known: boolean;
  readonly sentences: readonly string[];
  readonly addresses: readonly VipAddress[];
}

/** Answer about the past of one address. */
export interface VipsHistory {
  /** Absent where the address is not on record. */
  readonly address?: VipAddress;
  /** Newest first. */
  readonly events: readonly DoorEvent[];
}
