import type { Address } from '../addressing/address';
import type { Prefix } from '../addressing/prefix';
import type { JsonMap } from '../contract/loose-json';
import type { LabelSelector } from '../contract/label-selector';
import type { Written } from '../errors/after-write';
import type { AddressShowing } from './addresses-in-use';
import type { ObjectFeed } from './object-feed';

/** Nodes that carry the addresses of one CIDR of an EgressIPAM. */
export interface EgressGroup {
  /** Name of the EgressIPAM. */
  readonly egressIpam: string;
  /** Its UID, for owner references. */
  readonly uid: string;
  /** Canonical text. */
  readonly cidr: string;
  /** Number of CIDRs of the EgressIPAM. */
  readonly cidrs: number;
  /** Chooses the nodes: selector of the EgressIPAM together with its topology label. */
  readonly selector: LabelSelector;
}

/** What one node is to carry. A node that left every group has neither groups nor addresses. */
export interface NodeEgress {
  readonly node: string;
  readonly groups: readonly EgressGroup[];
  /** Addresses that the door placed on it, ascending; none where the dataplane chooses the nodes. */
  readonly addresses: readonly Address[];
  /** Most addresses that its machine can have, as a cloud tells; absent without one. */
  readonly capacity?: number;
}

/** One address of a namespace. */
interface NamespaceAddress {
  readonly address: Address;
  readonly group: EgressGroup;
  /** Node that the door chose; absent where no node can carry it, or where the dataplane chooses. */
  readonly node?: string;
}

/** What the traffic of one namespace is to be sent from. */
export interface NamespaceEgress {
  readonly namespace: string;
  readonly egressIpam: { readonly name: string; readonly uid: string };
  /** Destinations that it reaches without its addresses; a dataplane that cannot leave any out passes over them. */
  readonly exceptDestinations: readonly Prefix[];
  /** In the order of the CIDRs. */
  readonly addresses: readonly NamespaceAddress[];
}

/** An address on a node, as the dataplane shows it. */
export interface CarriedNow {
  readonly address: Address;
  readonly node: string;
  /** False while the dataplane, or the cloud below it, has not finished. */
  readonly isEffective: boolean;
}

/** What a node can carry, as the dataplane tells it. */
export interface NodeCapacity {
  /** Most addresses; absent where there is no limit. */
  readonly capacity?: number;
  /** Addresses that it carries beside those of EgressIPAMs. */
  readonly used: number;
}

/** An address that an object of the dataplane has, which the door did not make. */
export interface ForeignEgress extends AddressShowing {
  readonly address: Address;
  /**
   * The one namespace that the object is about, as an older operator or a migration made it. For this namespace the address is not in use: the
   * driver takes the object over once the namespace holds its addresses.
   */
  readonly namespace?: string;
}

/** What changed in a dataplane. */
export type DataplaneChange =
  | { readonly of: 'namespace'; readonly name: string }
  | { readonly of: 'node'; readonly name: string }
  /** An address that the dataplane uses without a claim came or went. */
  | { readonly of: 'address'; readonly address: Address };

/**
 * What puts egress addresses on nodes and sends the traffic of namespaces from them. The door calls it in the order: nodes, then namespaces;
 * for what ends: namespaces, then nodes. Every call is level-based: it compares what is stored with what is asked for, writes the difference
 * alone, and nothing where there is none. Only what the door made, or recorded as its own, is ever changed or removed.
 *
 * Calls throw IpamError `cluster/unavailable` when no answer came.
 */
export interface EgressDataplane {
  /** As `spec.dataplane` names it. */
  readonly name: string;
  /**
   * Tells what places the addresses of an EgressIPAM: `door`: the door puts each on a node; `dataplane`: the dataplane does, and
   * {@link placed} shows where.
   *
   * @param egressIpam - of which a dataplane may place a single address for each namespace alone
   */
  chooserOf(egressIpam: Pick<EgressGroup, 'cidrs'>): 'door' | 'dataplane';
  /** Most addresses of a namespace that carry traffic at once; the first of its list with a usable node is the one. Absent: all. */
  readonly mostPerNamespace?: number;
  /** True: where it chooses the nodes, it takes one of the group of an address; otherwise the groups are advice. */
  readonly heedsGroups?: boolean;
  /** What a node has to have before it can carry an address, as a part of a sentence; absent where nothing special is needed. */
  readonly nodesNeed?: string | undefined;
  /** Objects that it reads; nothing is decided before all of them are known. */
  readonly feeds: readonly ObjectFeed[];
  /**
   * Tells what a node can carry.
   *
   * @param node - as the API server has it
   * @returns undefined for a node that carries nothing, such as one the dataplane has not prepared yet
   */
  capacityOf(node: JsonMap): NodeCapacity | undefined;
  /**
   * Tells whether a node can carry an address of a family and subnet.
   *
   * @param node - as the API server has it
   * @param address - of a CIDR
   */
  canCarry(node: JsonMap, address: Address): boolean;
  /** Lists where addresses are now; for one on two nodes the confirmed place comes first. */
  placed(): readonly CarriedNow[];
  /** Addresses that the dataplane has for something else than a claim: objects that the door did not make. */
  foreign(): readonly ForeignEgress[];
  /** Names of the nodes, and of the namespaces, that have something of the door; without the orphans of {@link orphanNamespace}. */
  known(): { readonly nodes: readonly string[]; readonly namespaces: readonly string[] };
  /**
   * Brings a node to what it is to carry.
   *
   * @returns `changed`: something else wrote at the same time, and the node is to be looked at again
   */
  applyNode(wanted: NodeEgress): Promise<Written>;
  /** Brings the objects of a namespace to what it is to send from. */
  applyNamespace(wanted: NamespaceEgress): Promise<Written>;
  /** Takes the objects of a namespace away; none is success. */
  releaseNamespace(namespace: string): Promise<Written>;
  /** Leaves the objects of a namespace where they are and marks them as orphans: its EgressIPAM went with `deletionPolicy: Retain`. */
  orphanNamespace(namespace: string): Promise<Written>;
  /** What hinders the namespace, in the words of the dataplane; undefined where nothing is known to. */
  problemOf(namespace: string): { readonly reason: string; readonly message: string } | undefined;
  /** Tells each change; returns the function that stops it. */
  onChange(listener: (change: DataplaneChange) => void): () => void;
}

/** Which dataplane serves an EgressIPAM. */
export type DataplaneChoice =
  | { readonly kind: 'driver'; readonly dataplane: EgressDataplane }
  /** Addresses are written to namespaces alone, by the author's own choice. */
  | { readonly kind: 'none' }
  /** Nothing is written beside the namespaces: there is none, or more than one, or the one that is asked for is absent. */
  | {
      readonly kind: 'missing';
      readonly reason: 'NoDriver' | 'DataplaneAmbiguous' | 'DataplaneAbsent' | 'CloudAbsent';
      readonly message: string;
    };

/** The dataplanes of the cluster, as they were found last. */
export interface EgressDataplanes {
  /**
   * Chooses by what the spec asks for, and what the cluster has. The watches of a dataplane are opened with the first EgressIPAM that
   * it serves, so its feeds may have to be waited for.
   *
   * @param asked - `spec.dataplane`; `auto` where it is absent
   */
  choose(asked: string): DataplaneChoice;
  /** Those that are open now. */
  open(): readonly EgressDataplane[];
  /**
   * Looks for a dataplane that had addresses, whatever serves EgressIPAMs now.
   *
   * @param name - as the claims of these addresses have it
   * @returns the dataplane, which is open from now on; `absent`: the cluster has none of its kinds, so no object of it either; `unseen`: it is
   *   not driven, or not known yet, so it may have anything
   */
  find(name: string): EgressDataplane | 'absent' | 'unseen';
  /** Resolves when the first look at the cluster has ended. */
  whenKnown(): Promise<void>;
  /** Tells that one was found, or went; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}
