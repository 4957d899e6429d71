import type { Address, Family } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { PrefixTree } from '../../addressing/prefix-tree';
import { blockOf } from '../../addressing/space-text';
import { claimTerm, claimTermOf } from '../../contract/claim-terms';
import type { PoolTally } from '../../ports/claim-counts';
import type { AddressRecord, ClaimQuery, Holder, Owner } from '../../ports/claims';

/** Writes the terms under which records are found: those of every index, and those of this one. */
export const term = {
  ...claimTerm,
  address: (network: string, address: Address): string => JSON.stringify(['address', network, address.toString()]),
  namespace: ({ cluster, namespaceUid }: Owner): string => JSON.stringify(['namespace', cluster, namespaceUid]),
  reserved: (namespaceUid: string): string => JSON.stringify(['reserved', namespaceUid]),
  held: (network: string, pool: string): string => JSON.stringify(['held', network, pool]),
  quarantined: (network: string): string => JSON.stringify(['quarantined', network]),
};

function ownerTerms({ owner }: Holder): string[] {
  const name = term.name(owner.cluster, owner.namespace, owner.name);
  return [term.owner(owner), name, ...(owner.uid === undefined ? [] : [term.uid(owner.uid)])];
}

function holderTerms(holder: Holder): string[] {
  const { key, state, owner } = holder;
  return [
    ...ownerTerms(holder),
    term.cluster(owner.cluster),
    term.namespace(owner),
    term.state(state),
    ...(key === undefined ? [] : [term.key(key)]),
    ...(state === 'reserved' ? [term.reserved(owner.namespaceUid)] : []),
  ];
}

function termsOf(record: AddressRecord): Set<string> {
  const { network, pool, quarantine } = record;
  const own = [term.address(network, record.address), term.pool(network, pool)];
  if (quarantine !== undefined) return new Set([...own, term.quarantined(network), ...ownerTerms(quarantine.former)]);
  return new Set([...own, term.held(network, pool), ...record.holders.flatMap(holderTerms)]);
}

function ranOut(holder: Holder, { state, sinceMs }: Extract<ClaimQuery, { by: 'expired' }>, nowMs: number): boolean {
  return holder.state === state && holder.expiresAtMs !== undefined && holder.expiresAtMs < nowMs - sinceMs;
}

function byAddress(a: AddressRecord, b: AddressRecord): number {
  return a.address.compareTo(b.address) || (a.network < b.network ? -1 : 1);
}

/** Live records, found by any {@link term}. One caller at a time; holds memory only. */
export class RecordIndex {
  readonly #found = new Map<string, Set<AddressRecord>>();
  readonly #spaces = new Map<string, PrefixTree<AddressRecord>>();

  /**
   * Puts a record in the place of an older one.
   *
   * @param before - the older state, absent for a new record
   * @param after - the new state, absent when the record ends
   */
  replace(before: AddressRecord | undefined, after: AddressRecord | undefined): void {
    if (before !== undefined) {
      for (const each of termsOf(before)) this.#remove(each, before);
      this.#spacesOf(before.network).remove(blockOf(before));
    }
    if (after === undefined) return;
    for (const each of termsOf(after)) this.#add(each, after);
    this.#spacesOf(after.network).insert(blockOf(after), after);
  }

  /**
   * Finds the records that overlap a block.
   *
   * @param network - of the records
   * @param block - an address or a prefix
   * @returns lowest address first; those whose quarantine ran out as well
   */
  overlapping(network: string, block: Prefix): readonly AddressRecord[] {
    const found = this.#spacesOf(network).overlapping(block);
    return found.map(({ value }) => value).sort(byAddress);
  }

  /**
   * Tells whether a record overlaps a block.
   *
   * @param network - of the records
   * @param block - an address or a prefix
   * @returns true also where its quarantine ran out
   */
  overlaps(network: string, block: Prefix): boolean {
    return this.#spacesOf(network).overlaps(block);
  }

  /**
   * Finds records.
   *
   * @param wanted - one term
   * @returns what has this term, lowest address first
   */
  all(wanted: string): readonly AddressRecord[] {
    return [...(this.#found.get(wanted) ?? [])].sort(byAddress);
  }

  /**
   * Finds the records of a query.
   *
   * @param query - as the port takes it
   * @param nowMs - the present
   * @returns lowest address first; those whose quarantine ran out as well
   */
  find(query: ClaimQuery, nowMs: number): readonly AddressRecord[] {
    const found = this.all(claimTermOf(query));
    if (query.by !== 'expired') return found;
    return found.filter(({ holders }) => holders.some((each) => ranOut(each, query, nowMs)));
  }

  /**
   * Finds the record of a term that only one can have.
   *
   * @param wanted - an address, or a key
   * @returns the record, if there is one
   */
  one(wanted: string): AddressRecord | undefined {
    return this.#found.get(wanted)?.values().next().value;
  }

  /**
   * Counts records.
   *
   * @param wanted - one term
   * @returns how many have this term
   */
  count(wanted: string): number {
    return this.#found.get(wanted)?.size ?? 0;
  }

  /**
   * Counts the records of every pool.
   *
   * @param isLive - tells whether a record counts
   * @returns one entry for each network, pool and family, in that order
   * @remarks O(records)
   */
  tally(isLive: (record: AddressRecord) => boolean): readonly PoolTally[] {
    const pools = new Map<
      string,
      { network: string; pool: string; family: Family; held: number; quarantined: number }
    >();
    for (const record of this.everything()) {
      const { network, pool, family, state } = record;
      if (state === 'foreign' || !isLive(record)) continue;
      const key = JSON.stringify([network, pool, family]);
      const tally = pools.get(key) ?? { network, pool, family, held: 0, quarantined: 0 };
      tally[state] += 1;
      pools.set(key, tally);
    }
    return [...pools.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => Object.freeze(tally));
  }

  /**
   * Lists every record.
   *
   * @returns in no particular order
   */
  everything(): readonly AddressRecord[] {
    return [...this.#found.entries()].filter(([key]) => key.startsWith('["address"')).flatMap(([, set]) => [...set]);
  }

  #spacesOf(network: string): PrefixTree<AddressRecord> {
    const known = this.#spaces.get(network);
    if (known !== undefined) return known;
    const tree = new PrefixTree<AddressRecord>();
    this.#spaces.set(network, tree);
    return tree;
  }

  #add(key: string, record: AddressRecord): void {
    const set = this.#found.get(key);
    if (set === undefined) this.#found.set(key, new Set([record]));
    else set.add(record);
  }

  #remove(key: string, record: AddressRecord): void {
    const set = this.#found.get(key);
    set?.delete(record);
    if (set?.size === 0) this.#found.delete(key);
  }
}
