import type { Address } from '../../../addressing/address';
import type { DataplaneChoice, EgressDataplane, EgressGroup } from '../../../ports/egress-dataplane';
import type { EgressNode } from '../../../rules/egress/placement/types';
import type { EgressPlan, EgressPool } from '../../../rules/egress/types';
import type { CarrierView, UnplacedTold } from '../facts/carrier';
import type { LookAgain } from '../facts/door-parts';
import { groupText } from './writes';

/** One address that a namespace sends from. */
export interface PlacedOne {
  readonly address: Address;
  readonly namespace: string;
  readonly group: EgressGroup;
  /** Node on which the door puts it; absent where none can carry it, or where the dataplane chooses. */
  readonly node?: string;
}

/** The nodes of one CIDR. */
export interface PoolNodes {
  readonly pool: EgressPool;
  readonly group: EgressGroup;
  readonly nodes: readonly EgressNode[];
}

/** Where the addresses of one EgressIPAM are to be. */
export interface Placed {
  readonly dataplane: EgressDataplane;
  readonly chooser: 'door' | 'dataplane';
  /** The last one that was valid. */
  readonly plan: EgressPlan;
  readonly uid: string;
  readonly pools: readonly PoolNodes[];
  /** Groups by node. */
  readonly groups: ReadonlyMap<string, readonly EgressGroup[]>;
  /** Addresses by namespace, each in the order of the CIDRs. */
  readonly namespaces: ReadonlyMap<string, readonly PlacedOne[]>;
  /** Addresses by the node on which the door puts them. */
  readonly onNodes: ReadonlyMap<string, readonly PlacedOne[]>;
  readonly unplaced: readonly UnplacedTold[];
}

/** Parts of {@link Placed} that are known before any address is placed. */
export type NotYetPlaced = Pick<Placed, 'dataplane' | 'chooser' | 'plan' | 'uid' | 'pools' | 'groups'>;

/** A namespace with the addresses that are to carry its traffic. */
export interface ActiveSender {
  readonly namespace: string;
  readonly addresses: readonly Pick<PlacedOne, 'address' | 'group'>[];
}

/** Namespaces whose addresses are placed, and where they were placed before. */
export interface Placing {
  readonly senders: readonly ActiveSender[];
  readonly before: Placed | undefined;
}

/** Where addresses were put, and when that is to be decided again. */
export type PlacedAgain = Pick<Placed, 'namespaces' | 'onNodes' | 'unplaced'> & { readonly again: LookAgain };

/** The placement of one EgressIPAM as it was decided last. */
export interface EgressIpamPlacement {
  readonly choice: DataplaneChoice;
  /** Absent where no dataplane serves it, or nothing can be decided yet. */
  readonly placed?: Placed;
  /** True where its nodes are not known, so that none may lose what it has. */
  readonly isFrozen: boolean;
  readonly view: CarrierView;
}

/**
 * Writes what a node is to have as texts.
 *
 * @param placed - of an EgressIPAM; undefined has nothing
 * @param node - name
 * @returns groups and addresses
 */
export function nodeTexts(placed: Placed | undefined, node: string): readonly string[] {
  const addresses = (placed?.onNodes.get(node) ?? []).map(({ address }) => address.toString());
  return [...(placed?.groups.get(node) ?? []).map(groupText), ...addresses];
}

/**
 * Writes what a namespace is to send from as texts.
 *
 * @param placed - of an EgressIPAM; undefined has nothing
 * @param namespace - name
 * @returns addresses with their nodes, and the destinations that they are not for; empty where it sends from nothing
 */
export function namespaceTexts(placed: Placed | undefined, namespace: string): readonly string[] {
  const ones = placed?.namespaces.get(namespace) ?? [];
  if (placed === undefined || ones.length === 0) return [];
  return [
    ...ones.map(({ address, node = '' }) => `${address.toString()} ${node}`),
    ...placed.plan.exceptDestinations.map((prefix) => `not to ${prefix.toString()}`),
  ];
}
