import type { Address } from '../../../addressing/address';
import type { EgressPlan } from '../types';

/** One Node as far as the placement of addresses is concerned. */
export interface EgressNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isControlPlane: boolean;
  /** Since when it is not ready, milliseconds since 1970; absent while it is ready. */
  readonly notReadySinceMs?: number;
  /** True: it takes no further address, and keeps those that it has. */
  readonly isCordoned: boolean;
  /** True: it is about to go, and its addresses move before. */
  readonly isDraining: boolean;
  /** Empty where the node tells none. */
  readonly zone: string;
}

/** Room of a node for addresses. */
export interface NodeRoom {
  /** Most addresses that it carries; absent where there is no limit. */
  readonly capacity?: number;
  /** Addresses that it carries beside those of the EgressIPAM. */
  readonly used: number;
}

/** An address that a namespace holds. */
export interface CarriedAddress {
  readonly address: Address;
  readonly namespace: string;
}

/** A wanted address with its CIDR and the nodes that may carry it. */
export interface PlaceableAddress extends CarriedAddress {
  /** Empty for an address of a CIDR that was taken out. */
  readonly cidr: string;
  readonly nodes: readonly EgressNode[];
}

/** An address on a node. */
export interface PlacedAddress {
  readonly address: Address;
  readonly node: string;
}

/** Everything that decides about the placement of the addresses of one EgressIPAM. */
export interface PlacementFacts {
  readonly plan: Pick<EgressPlan, 'pools' | 'topologyLabel' | 'nodeSelector' | 'notReadyMs' | 'isRebalanced'>;
  readonly nodes: readonly EgressNode[];
  /** In the order in which they are placed. */
  readonly wanted: readonly CarriedAddress[];
  /** Where addresses are now, the one that counts first: what the dataplane confirms, then the older one. */
  readonly placed: readonly PlacedAddress[];
  readonly nowMs: number;
  /** Most addresses that leave a node for the sake of balance. */
  readonly mostMoves: number;
  /**
   * Tells the room of a node; undefined for one that cannot carry addresses.
   *
   * @param node - one of `nodes`
   */
  roomOf(node: EgressNode): NodeRoom | undefined;
  /**
   * Tells whether a node can carry an address of a family and subnet.
   *
   * @param node - one of `nodes`
   * @param address - one of `wanted`
   */
  canCarry(node: EgressNode, address: Address): boolean;
}

/** An address that no node carries, or that only a node which is not ready carries. */
export interface UnplacedAddress extends CarriedAddress {
  readonly cidr: string;
  /** `NoReadyNode`: none of the nodes of its CIDR can carry addresses now; `NodesFull`: all of them carry as many as they can. */
  readonly reason: 'NoReadyNode' | 'NodesFull';
}

/** Where the addresses of one EgressIPAM are to be. */
export interface Placement {
  /** At most one node for each address, in the order of the wanted addresses. */
  readonly placed: readonly PlacedAddress[];
  readonly unplaced: readonly UnplacedAddress[];
  /** When a node that is not ready is to be looked at again. */
  readonly lookAgainAfterMs?: number;
  /** True where the balance of the nodes needs further moves. */
  readonly isUneven: boolean;
}
