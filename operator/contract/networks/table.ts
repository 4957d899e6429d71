import type { Address } from '../../addressing/address';
import type { FitSearch } from '../../addressing/nested-space';
import type { Prefix } from '../../addressing/prefix';
import type { Range } from '../../addressing/range';
import type { Refusal } from '../../errors/outcome';
import type { EntryDraft, EntryOwner, NetworkEntry, PrefixKind } from './entry';

/** How an owner is looked for: by its UID, and by kind, namespace and name where the record or the caller has no UID. */
export type EntryOwnerQuery = Pick<EntryOwner, 'kind' | 'namespace' | 'name' | 'uid'>;

/** The table of one network as a decision sees it; synchronous, and valid during the decision only. */
export interface NetworkTable {
  /** Time of the store, milliseconds since 1970. */
  readonly nowMs: number;
  at(block: Prefix): NetworkEntry | undefined;
  /** Strictly larger entries around a block, largest first. */
  around(block: Prefix): readonly NetworkEntry[];
  /** Direct children, lowest first; `visit` ends the walk by returning false. */
  eachInside(block: Prefix, visit: (entry: NetworkEntry) => boolean): void;
  /** Addresses of the direct children of a block, without a walk where the block is an entry. */
  countInside(block: Prefix): bigint;
  /** Entries that an owner holds or uses. */
  ofOwner(owner: EntryOwnerQuery): readonly NetworkEntry[];
  ofKey(key: string): NetworkEntry | undefined;
  /** Subnets, of one network name or of all, lowest first. */
  subnets(networkName?: string): readonly NetworkEntry[];
  /** Entries of role `host` in a subnet, lowest first. */
  hosts(subnet: Prefix): readonly NetworkEntry[];
  /** Entries of role `prefix` of one kind, lowest first. */
  prefixes(kind: Exclude<PrefixKind, 'network'>): readonly NetworkEntry[];
  /** Entries of role `allocation` that are prefixes of more than one address, lowest first. */
  carved(kind: 'pool' | 'loopback'): readonly NetworkEntry[];
  /** Best-fit block inside of `parent`: from the smallest free block that has room, the lowest one of these. */
  bestFit(parent: Prefix, search: FitSearch): Prefix | undefined;
  /** Lowest free address of a range inside of `parent`. */
  lowestFree(parent: Prefix, range: Range, search: FitSearch): Address | undefined;
}

/** Result of a decision. */
export type TableVerdict<V> =
  | {
      readonly as: 'change';
      readonly put: readonly EntryDraft[];
      readonly remove: readonly Prefix[];
      readonly answer: V;
    }
  | { readonly as: 'answer'; readonly value: V }
  /** `because`: entries that the refusal rests on; they are read once more, past every cache, before the caller is told. */
  | { readonly as: 'refusal'; readonly refusal: Refusal; readonly because: readonly Prefix[] };
