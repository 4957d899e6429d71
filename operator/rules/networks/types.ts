import type { Address, Family } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import type { PrefixSet } from '../../addressing/prefix-set';
import type { Range } from '../../addressing/range';
import type { LabelSelector } from '../../contract/label-selector';
import type { EntryOwner, NetworkEntry, PrefixKind } from '../../contract/networks/entry';
import type { Refusal } from '../../errors/outcome';

/** A NetworkInstance as the rules see it. */
export interface Instance {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Name of its network on record. */
  readonly network: string;
  /** Whether prefixes need a parent: where an aggregate of their family is declared, always, or never. */
  readonly parents: 'declared' | 'required' | 'free';
  readonly isDying: boolean;
}

/** An object by kind and name. */
export interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A range that an IPPrefix declares inside of a subnet, a pool or a loopback prefix. */
export interface DeclaredRange {
  readonly name: string;
  readonly uid: string;
  readonly range: Range;
  /** Kind and network of its IPPrefix, which the prefix of the range must have too. */
  readonly kind: PrefixKind;
  readonly networkName: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Gives no more addresses: its IPPrefix is being deleted or drained, or refused by itself. */
  readonly isClosed: boolean;
}

/**
 * Configuration around a table, from the objects of the cluster. A set stays the same object while nothing in it changes,
 * since the free space is remembered by it.
 */
export interface TableContext {
  /** Gives nothing more: its IPPrefix is being deleted or drained; a subnet: all of its IPPrefixes are. */
  isClosed(entry: NetworkEntry): boolean;
  /** Space that is never chosen inside of an entry: reserved first address, exclusions, ranges, space of other doors, addresses in use. */
  neverChosenIn(entry: NetworkEntry): PrefixSet;
  /** Space that may not even be wished for inside of an entry: exclusions, space of other doors, addresses in use. */
  excludedFrom(entry: NetworkEntry): PrefixSet;
  /** Ranges of a subnet or prefix, oldest first. */
  rangesOf(block: Prefix): readonly DeclaredRange[];
  /** Object that uses an address without a claim, or the other door whose space it is; in words. */
  usedBy(address: Address): string | undefined;
  /**
   * Holder of an address that the table does not know: another door, by its pool or a claim, or a Service that shows it; in words. Nodes
   * and the API server do not count, since a plan may declare their addresses.
   */
  heldOutside(address: Address): string | undefined;
  /** The same without pools: an address that was not given yet has no holder. */
  takenOutside(address: Address): string | undefined;
  /** Holder in another NetworkInstance of the same annotated network that overlaps, or an older IPPrefix where neither is on record. */
  otherInstance(block: Prefix): NamedObject | undefined;
}

/** Facts of a decision beside the table. */
export interface At {
  readonly instance: Instance;
  readonly context: TableContext;
}

/** An IPPrefix that was read. */
export interface PrefixRequest {
  readonly owner: EntryOwner;
  readonly kind: PrefixKind;
  /** Address before the slash. */
  readonly address: Address;
  readonly block: Prefix;
  /** Empty but for kind network. */
  readonly networkName: string;
  readonly isGateway: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly excluded: PrefixSet;
  readonly range?: Range;
  readonly digest: string;
}

interface AllocationParts {
  readonly owner: EntryOwner;
  readonly key?: string;
  readonly door: 'networks' | 'grpc';
  readonly kind: PrefixKind;
  readonly selector: LabelSelector;
  readonly instanceName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly digest: string;
  /** Block that the status shows: of several that are held it stays. */
  readonly shown?: Prefix;
}

/** The one prefix, or the range of it, that a request is given from. */
export interface NamedSource {
  readonly block: Prefix;
  /** Name of the IPPrefix that declares the range. */
  readonly range?: string;
}

/** An IPAllocation, a gRPC call or an IPAddressClaim that was read. */
export type AllocationRequest =
  | (AllocationParts & {
      readonly form: 'static';
      readonly address: Address;
      readonly block: Prefix;
      /** True: an object has it already, so that it comes on record where nothing new is given too. */
      readonly isRestored?: boolean;
    })
  | (AllocationParts & {
      readonly form: 'dynamic';
      readonly family?: Family;
      readonly length?: number;
      /** Takes the place of the selector. */
      readonly from?: NamedSource;
    });

/** Changes after which a refused request is worth another try. */
export interface WokenBy {
  /** Space freed inside of one of these. */
  readonly parents: readonly Prefix[];
  /** Entries at these put or removed. */
  readonly places: readonly Prefix[];
  /** Labels, prefixes or subnets of the network. */
  readonly isByLabels: boolean;
  /** The NetworkInstance. */
  readonly isByInstance: boolean;
}

/** Refusal of a networks rule. */
export interface NetworkRefusal extends Refusal {
  readonly wokenBy: WokenBy;
}

/** An allocation that was given. */
export interface Granted {
  readonly block: Prefix;
  /** As `status.prefix` shows it. */
  readonly text: string;
  readonly gateway?: Address;
  readonly parent?: Prefix;
  /** Entries of the same owner that go once this one is shown. */
  readonly superseded: readonly Prefix[];
}

/** A prefix that was accepted. */
export interface Accepted {
  /** As `status.prefix` shows it. */
  readonly text: string;
  readonly networkName: string;
  readonly parent?: Prefix;
  /** Pools of other doors, and objects, that have a part of it. */
  readonly others: readonly string[];
}
