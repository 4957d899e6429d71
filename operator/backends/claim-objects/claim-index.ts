import type { Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { NestedSpace } from '../../addressing/nested-space';
import { blockOf } from '../../addressing/space-text';
import { claimTermOf } from '../../claim-store/claim-terms';
import { isExpired, recordTerm as term, termsOf } from '../../claim-store/record-terms';
import { metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { AddressRecord, ClaimQuery } from '../../ports/claims';
import type { ObjectChange, ObjectKey } from '../../ports/object-feed';
import type { ClaimCodec } from './claim-codec';
import { versionOf } from '../../contract/resource-version';
import { TakenAddresses } from './taken-addresses';
import { TermIndex, type NamedRecord } from './term-index';
import { byAddress } from '../../addressing/place';

/** One claim as it is known. */
export interface KnownClaim {
  readonly uid: string;
  readonly object: JsonMap;
  readonly record: AddressRecord;
}

/** Most UIDs of deleted objects that are remembered, of each sort. */
const MOST_DELETED = 10_000;

function remember(uids: Set<string>, uid: string): void {
  uids.add(uid);
  const [oldest] = uids.size > MOST_DELETED ? uids : [];
  if (oldest !== undefined) uids.delete(oldest);
}

/** Called with a record as it was and as it is; undefined where there is none. */
type Told = (before: AddressRecord | undefined, after: AddressRecord | undefined) => void;

/**
 * The claims as the watch tells them and as own writes left them, whichever is newer; so this process sees its own writes at once. One
 * caller at a time; holds memory only.
 */
export class ClaimIndex {
  readonly #codec: ClaimCodec;
  readonly #told: Told;
  readonly #claims = new Map<string, KnownClaim>();
  readonly #found = new TermIndex();
  readonly #spaces = new Map<string, NestedSpace<NamedRecord>>();
  /** Addresses that are held or quarantined, by network. */
  readonly #taken = new Map<string, TakenAddresses>();
  /** Deleted by own writes, of which the watch may still tell the life before. */
  readonly #deleted = new Set<string>();
  /** Deleted as the watch told, of which a read that was answered late may still tell the life before. */
  readonly #over = new Set<string>();

  /**
   * Starts empty.
   *
   * @param codec - of the claims
   * @param told - called after each change
   */
  constructor(codec: ClaimCodec, told: Told) {
    this.#codec = codec;
    this.#told = told;
  }

  /**
   * Takes a change as the watch tells it.
   *
   * @param change - of one object
   */
  follow({ key, after }: ObjectChange): void {
    if (after !== undefined) {
      // the watch tells in order: a list from a server that was behind may have left the object out
      this.#over.delete(key.uid);
      this.put(after);
      return;
    }
    this.#deleted.delete(key.uid);
    remember(this.#over, key.uid);
    if (this.#claims.get(key.name)?.uid === key.uid) this.#remove(key.name);
  }

  /**
   * Takes an object as it is stored; an older state than the known one, or one of an object whose end was told, changes nothing.
   *
   * @param object - as the API server answered
   */
  put(object: JsonMap): void {
    const name = textOf(metadataOf(object)['name']);
    const uid = textOf(metadataOf(object)['uid']);
    const known = this.#claims.get(name);
    if (this.#deleted.has(uid) || this.#over.has(uid)) return;
    if (known !== undefined && known.record.version >= versionOf(object)) return;
    const record = this.#codec.read(object);
    if (record === undefined) return;
    if (known !== undefined) this.#unlist(name, known.record, record);
    this.#claims.set(name, { uid, object, record });
    const named = { name, record };
    for (const each of termsOf(record)) this.#found.add(each, named);
    this.#spacesOf(record.network).insert(blockOf(record), named);
    this.#takenIn(record.network).add(record);
    this.#told(known?.record, record);
  }

  /**
   * Takes an object that an uncached read found, although it was taken as deleted: a finalizer keeps it. What the watch told as deleted
   * stays so: the read was answered late.
   *
   * @param object - as the API server answered
   */
  found(object: JsonMap): void {
    this.#deleted.delete(textOf(metadataOf(object)['uid']));
    this.put(object);
  }

  /**
   * Takes an object as deleted, before the watch tells so.
   *
   * @param key - which one
   */
  drop({ name, uid }: Pick<ObjectKey, 'name' | 'uid'>): void {
    if (this.#claims.get(name)?.uid !== uid) return;
    remember(this.#deleted, uid);
    this.#remove(name);
  }

  /**
   * Looks a claim up.
   *
   * @param name - of its object
   * @returns the claim as it is known; undefined where there is none
   */
  at(name: string): KnownClaim | undefined {
    return this.#claims.get(name);
  }

  /**
   * Finds records.
   *
   * @param wanted - one term
   * @returns what has this term, in no particular order
   */
  all(wanted: string): readonly NamedRecord[] {
    return this.#found.all(wanted);
  }

  /**
   * Counts records.
   *
   * @param wanted - one term
   * @returns how many have it
   */
  count(wanted: string): number {
    return this.#found.count(wanted);
  }

  /**
   * Finds the records of a query.
   *
   * @param query - as the port takes it
   * @param nowMs - the present
   * @returns lowest address first; those whose quarantine ran out as well
   */
  find(query: ClaimQuery, nowMs: number): readonly AddressRecord[] {
    const found = this.all(claimTermOf(query))
      .map(({ record }) => record)
      .sort(byAddress);
    if (query.by !== 'expired') return found;
    return found.filter(({ holders }) => holders.some((each) => isExpired(each, query, nowMs)));
  }

  /**
   * Finds the records that overlap a block.
   *
   * @param network - of the records
   * @param block - an address or a prefix
   * @returns in no particular order; those whose quarantine ran out as well
   */
  overlapping(network: string, block: Prefix): readonly NamedRecord[] {
    return this.#spaces.get(network)?.overlapping(block) ?? [];
  }

  /**
   * Shows the space of a network as it would be with further claims, or with other content of stored ones.
   *
   * @param network - of the records
   * @param layer - further claims, each with its own name
   * @param run - reads the space, without waiting
   * @returns what `run` gave
   */
  withLayer<V>(network: string, layer: readonly NamedRecord[], run: (space: NestedSpace<NamedRecord>) => V): V {
    const space = this.#spacesOf(network);
    const undo: (() => void)[] = [];
    try {
      for (const each of layer) {
        const block = blockOf(each.record);
        const before = space.get(block);
        undo.push(() => {
          if (before === undefined) space.remove(block);
          else space.insert(block, before);
        });
        space.insert(block, each);
      }
      return run(space);
    } finally {
      for (const each of undo.reverse()) each();
      if (space.size === 0) this.#spaces.delete(network);
    }
  }

  /**
   * Finds where a run of taken addresses ends: held ones, and those in a quarantine that was not over at the last {@link passTo}.
   *
   * @param network - of the records
   * @param address - any address
   * @returns the last one of the run from this address on; undefined where it is not taken
   */
  endOfTaken(network: string, address: Address): Address | undefined {
    return this.#taken.get(network)?.endOf(address);
  }

  /**
   * Tells the present, at which quarantines are over.
   *
   * @param nowMs - by the server's clock
   */
  passTo(nowMs: number): void {
    for (const taken of this.#taken.values()) taken.passTo(nowMs);
  }

  /**
   * Tells whether a network has claims.
   *
   * @param network - its name
   * @returns true for one with a claim, held or quarantined
   */
  has(network: string): boolean {
    return this.#spaces.has(network);
  }

  /**
   * Lists the networks that have quarantined claims.
   *
   * @returns their names, in no particular order
   */
  quarantinedNetworks(): readonly string[] {
    return [...this.#spaces.keys()].filter((network) => this.count(term.quarantined(network)) > 0);
  }

  #remove(name: string): void {
    const known = this.#claims.get(name);
    if (known === undefined) return;
    this.#claims.delete(name);
    this.#unlist(name, known.record);
    this.#told(known.record, undefined);
  }

  // A record of the same space follows at once where `next` is given: the free space in it stays remembered.
  #unlist(name: string, record: AddressRecord, next?: AddressRecord): void {
    for (const each of termsOf(record)) this.#found.remove(each, name);
    this.#takenIn(record.network).remove(record);
    if (next?.network === record.network && blockOf(next).equals(blockOf(record))) return;
    const spaces = this.#spacesOf(record.network);
    spaces.remove(blockOf(record));
    if (spaces.size > 0) return;
    this.#spaces.delete(record.network);
    this.#taken.delete(record.network);
  }

  #takenIn(network: string): TakenAddresses {
    const known = this.#taken.get(network) ?? new TakenAddresses();
    this.#taken.set(network, known);
    return known;
  }

  #spacesOf(network: string): NestedSpace<NamedRecord> {
    const known = this.#spaces.get(network) ?? new NestedSpace<NamedRecord>();
    this.#spaces.set(network, known);
    return known;
  }
}
