import type { Address } from '../../../addressing/address';
import type { EgressUnplacedReason } from '../../../contract/egress';
import type { DataplaneChoice } from '../../../ports/egress-dataplane';
import type { HeldEgress } from '../../../rules/egress/types';

/** An address on record. */
export type HeldPlace = Pick<HeldEgress, 'network' | 'address'>;

/** An address that is on no node which can carry it. */
export interface UnplacedTold {
  readonly address: Address;
  readonly namespace: string;
  /** Empty for an address of a CIDR that was taken out. */
  readonly cidr: string;
  readonly reason: EgressUnplacedReason;
  readonly message: string;
}

/** A node that carries addresses of one CIDR. */
export interface CarryingNode {
  readonly name: string;
  readonly cidr: string;
  /** Most addresses; absent where that is not known, or not limited. */
  readonly capacity?: number;
  /** False for a node of which the dataplane does not tell what it can carry. */
  readonly isKnown: boolean;
  /** Addresses of the CIDR on it. */
  readonly allocated: number;
  /** Addresses on it, whatever they are for. */
  readonly used: number;
  /** True where addresses can be placed on it. */
  readonly isReady: boolean;
}

/** What carries the addresses of one EgressIPAM, and where they are. */
export interface CarrierView {
  readonly choice: DataplaneChoice;
  /** Why nothing is known of the dataplane. */
  readonly problem?: string;
  /** By name, then in the order of the CIDRs. */
  readonly nodes: readonly CarryingNode[];
  readonly unplaced: readonly UnplacedTold[];
  /** True where the dataplane may put addresses on nodes of another CIDR, since both are in one subnet. */
  readonly isSelectionAdvisory: boolean;
}

/** What carries the addresses, as the allocation of addresses asks it. */
export interface Carrier {
  /**
   * Tells what carries the addresses of an EgressIPAM.
   *
   * @param egressIpam - its name
   * @returns undefined while that is not known in this term
   */
  view(egressIpam: string): CarrierView | undefined;
  /**
   * Tells whether no dataplane has addresses any more that a namespace is to give back. If not, the namespace is woken once that is so.
   *
   * @param namespace - that holds them
   * @param held - addresses, none of which it sends from
   */
  isClear(namespace: string, held: readonly HeldPlace[]): boolean;
  /**
   * Tells whether one dataplane has nothing of an address, which another one carries now.
   *
   * @param dataplane - its name
   * @param namespace - that holds the address
   * @param held - the address
   */
  hasLetGo(dataplane: string, namespace: string, held: HeldPlace): boolean;
  /**
   * Lists what dataplanes still have of an EgressIPAM.
   *
   * @param egressIpam - that is being deleted
   */
  remainsOf(egressIpam: string): { readonly nodes: readonly string[]; readonly namespaces: readonly string[] };
}
