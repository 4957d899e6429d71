import type { Address, Family } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { PrefixTree } from '../../addressing/prefix-tree';
import { blockOf } from '../../addressing/space-text';
import { claimTermOf } from '../../claim-store/claim-terms';
import { isExpired, recordTerm, termsOf as allTermsOf } from '../../claim-store/record-terms';
import type { PoolTally } from '../../ports/claim-counts';
import type { AddressRecord, ClaimQuery } from '../../ports/claims';
import { byAddress } from '../../addressing/place';

/** Writes the terms under which records are found: those of every index, and those of this one. */
export const term = {
  ...recordTerm,
  address: (network: string, address: Address): string => JSON.stringify(['address', network, address.toString()]),
};

function termsOf(record: AddressRecord): Set<string> {
  return allTermsOf(record).add(term.address(record.network, record.address));
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
    return this.#spacesOf(network).overlapping(block).toSorted(byAddress);
  }

  /**
   * Finds the record of an address, or of the prefix that it lies in.
   *
   * @param network - of the records
   * @param address - any address
   * @returns the record, also where its quarantine ran out; undefined where there is none
   */
  at(network: string, address: Address): AddressRecord | undefined {
    return this.#spacesOf(network).lookup(address);
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
    return found.filter(({ holders }) => holders.some((each) => isExpired(each, query, nowMs)));
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
