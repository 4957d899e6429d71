import type { Address } from '../../addressing/address';
import type { FitSearch, NestedSpace } from '../../addressing/nested-space';
import type { Prefix } from '../../addressing/prefix';
import type { Range } from '../../addressing/range';
import { blockOf } from '../../addressing/space-text';
import { recordTerm as term } from '../../claim-store/record-terms';
import type { EntryOwner, NetworkEntry, PrefixKind } from '../../contract/networks/entry';
import type { EntryOwnerQuery, NetworkTable } from '../../contract/networks/table';
import type { AddressRecord, Holder } from '../../ports/claims';
import { present } from './claim-details';
import type { NamedRecord } from './term-index';

/** Claims of one network as a {@link TableView} reads them. */
export interface TableSource {
  readonly network: string;
  readonly nowMs: number;
  readonly space: NestedSpace<NamedRecord>;
  /** Finds the records of a term. */
  readonly find: (wanted: string) => readonly AddressRecord[];
  /** Tells whether a record is under way, so that it may not come to be, or is about to go. */
  readonly isUnderWay: (record: AddressRecord) => boolean;
  /** Called with each record that the reader sees. */
  readonly seen: (record: AddressRecord) => void;
}

const inOrder = (a: NetworkEntry, b: NetworkEntry): number => a.block.compareTo(b.block);

/** Entries of records, which never change. */
const entries = new WeakMap<AddressRecord, NetworkEntry>();

/**
 * Reads a record as an entry of a network table.
 *
 * @param record - of a claim that has a door
 * @returns the same entry for the same record
 */
export function entryOf(record: AddressRecord): NetworkEntry {
  const known = entries.get(record);
  if (known !== undefined) return known;
  const [holder = record.quarantine?.former, user] = record.holders;
  const entry: NetworkEntry = Object.freeze({
    block: blockOf(record),
    facts: record.entry,
    labels: record.labels ?? {},
    owner: ownerOf(holder),
    ...present('user', user?.owner),
    door: record.door ?? 'networks',
    ...present('key', holder?.key),
    takenAtMs: record.takenAtMs,
    version: record.version,
  });
  entries.set(record, entry);
  return entry;
}

const NO_OWNER: EntryOwner = { cluster: '', apiVersion: '', kind: '', namespace: '', namespaceUid: '', name: '' };

function ownerOf(holder: Holder | undefined): EntryOwner {
  return holder?.owner ?? NO_OWNER;
}

function isOf(query: EntryOwnerQuery, { owner }: Holder): boolean {
  const { kind, namespace, name, uid } = owner;
  if (kind !== query.kind || namespace !== query.namespace || name !== query.name) return false;
  return uid === undefined || query.uid === undefined || uid === query.uid;
}

/** The table of one network over the claims that this process knows. */
export class TableView implements NetworkTable {
  readonly nowMs: number;
  readonly #source: TableSource;

  /**
   * Starts over claims that do not change meanwhile.
   *
   * @param source - the claims
   */
  constructor(source: TableSource) {
    this.#source = source;
    this.nowMs = source.nowMs;
  }

  /** @inheritdoc */
  at(block: Prefix): NetworkEntry | undefined {
    const found = this.#source.space.get(block);
    return found === undefined ? undefined : this.#show(found.record);
  }

  /** @inheritdoc */
  around(block: Prefix): readonly NetworkEntry[] {
    return this.#source.space.around(block).map(({ record }) => this.#show(record));
  }

  /** @inheritdoc */
  eachInside(block: Prefix, visit: (entry: NetworkEntry) => boolean): void {
    this.#source.space.eachInside(block, ({ record }) => visit(this.#show(record)));
  }

  /** @inheritdoc */
  countInside(block: Prefix): bigint {
    return this.#source.space.countInside(block);
  }

  /** @inheritdoc */
  ofOwner(owner: EntryOwnerQuery): readonly NetworkEntry[] {
    const { network, find } = this.#source;
    const found = find(term.entryOwner(network, owner));
    return this.#list(found.filter(({ holders }) => holders.some((each) => isOf(owner, each))));
  }

  /** @inheritdoc */
  ofKey(key: string): NetworkEntry | undefined {
    const { network, find } = this.#source;
    return this.#list(find(term.key(key)).filter((record) => record.network === network))[0];
  }

  /** @inheritdoc */
  subnets(networkName?: string): readonly NetworkEntry[] {
    const { network } = this.#source;
    return this.#all(
      networkName === undefined ? term.entry(network, 'subnet', 'network') : term.subnet(network, networkName),
    );
  }

  /** @inheritdoc */
  hosts(subnet: Prefix): readonly NetworkEntry[] {
    return this.#all(term.hosts(this.#source.network, subnet.toString()));
  }

  /** @inheritdoc */
  prefixes(kind: Exclude<PrefixKind, 'network'>): readonly NetworkEntry[] {
    return this.#all(term.entry(this.#source.network, 'prefix', kind));
  }

  /** @inheritdoc */
  carved(kind: 'pool' | 'loopback'): readonly NetworkEntry[] {
    const { network, find, isUnderWay } = this.#source;
    // what is under way is not given from yet, so that requests of the same moment need not wait for one another
    return this.#list(find(term.entry(network, 'allocation', kind)).filter((record) => !isUnderWay(record)));
  }

  /** @inheritdoc */
  bestFit(parent: Prefix, search: FitSearch): Prefix | undefined {
    this.at(parent);
    return this.#source.space.bestFit(parent, search);
  }

  /** @inheritdoc */
  lowestFree(parent: Prefix, range: Range, search: FitSearch): Address | undefined {
    this.at(parent);
    return this.#source.space.lowestFree(parent, range, search);
  }

  #all(wanted: string): readonly NetworkEntry[] {
    return this.#list(this.#source.find(wanted));
  }

  #list(records: readonly AddressRecord[]): readonly NetworkEntry[] {
    return records.map((record) => this.#show(record)).sort(inOrder);
  }

  #show(record: AddressRecord): NetworkEntry {
    this.#source.seen(record);
    return entryOf(record);
  }
}
