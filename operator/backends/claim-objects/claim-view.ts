import type { Address } from '../../addressing/address';
import type { NestedSpace } from '../../addressing/nested-space';
import type { Prefix } from '../../addressing/prefix';
import type { PrefixSet } from '../../addressing/prefix-set';
import { PrefixTree } from '../../addressing/prefix-tree';
import { blockOf } from '../../addressing/space-text';
import type { AddressRecord, Place } from '../../ports/claims';
import type { ClaimCodec } from './claim-codec';
import { recordTerm as term, termsOf } from '../../claim-store/record-terms';
import type { ClaimIndex, KnownClaim } from './claim-index';
import type { ClaimWrite } from './claim-write';
import type { NamedRecord } from './term-index';
import { byAddress } from '../../addressing/place';

/** Process whose decision is not yet carried out: this one, in the same batch, or another one. */
export type Deciding = 'own' | 'foreign';

/** Where a search for free space ended. */
interface SearchEnd {
  readonly space: PrefixSet;
  readonly at: Address;
}

interface Layered {
  readonly record: AddressRecord;
  readonly terms: ReadonlySet<string>;
  readonly by: Deciding;
}

/** The claims as they will be once everything that is decided is carried out. */
export class ClaimView {
  readonly nowMs: number;
  readonly #index: ClaimIndex;
  readonly #codec: ClaimCodec;
  readonly #layer = new Map<string, Layered>();
  readonly #spaces = new Map<string, PrefixTree<AddressRecord>>();
  readonly #ends = new Map<string, SearchEnd>();
  /** Claims that a decision deletes; their space is taken until that is carried out. */
  readonly #leaving = new Map<string, Deciding>();

  /**
   * Starts with the claims as they are.
   *
   * @param index - the claims
   * @param codec - of the claims
   * @param nowMs - the present by the server's clock
   */
  constructor(index: ClaimIndex, codec: ClaimCodec, nowMs: number) {
    this.#index = index;
    this.#codec = codec;
    this.nowMs = nowMs;
    index.passTo(nowMs);
  }

  /**
   * Adds a decision that is not yet carried out.
   *
   * @param writes - of the decision
   * @param by - process that decided
   */
  add(writes: readonly ClaimWrite[], by: Deciding): void {
    for (const { name, after } of writes) {
      const record = after === undefined ? undefined : this.#codec.read(versioned(after));
      if (record === undefined) this.#leaving.set(name, by);
      else this.#layOver(name, { record, terms: termsOf(record), by });
    }
  }

  /**
   * Tells whether a claim is about to change.
   *
   * @param name - of its object
   * @returns the process that decided so; undefined where nothing is under way
   */
  deciding(name: string): Deciding | undefined {
    return this.#layer.get(name)?.by ?? this.#leaving.get(name);
  }

  /**
   * Finds a claim that this batch deletes: what takes space afterwards has to wait until that is carried out.
   *
   * @returns name of its object; undefined where none is deleted
   */
  leavingSoon(): string | undefined {
    return [...this.#leaving].find(([, by]) => by === 'own')?.[0];
  }

  /**
   * Finds a claim that this batch writes or deletes.
   *
   * @returns name of its object; undefined where nothing is decided yet
   */
  writtenSoon(): string | undefined {
    return this.leavingSoon() ?? [...this.#layer].find(([, { by }]) => by === 'own')?.[0];
  }

  /**
   * Tells the name of a claim whose record may not come to be, or is about to go.
   *
   * @param record - as this view gave it
   * @returns name of its object; undefined for a claim about which nothing is under way
   */
  underWay(record: AddressRecord): string | undefined {
    if (this.#layer.size + this.#leaving.size === 0) return undefined;
    const name = this.#codec.nameOf(record);
    return this.deciding(name) === undefined ? undefined : name;
  }

  /**
   * Shows the space of a network, with everything that is decided. What a decision deletes is still in it.
   *
   * @param network - of the records
   * @param run - reads the space, without waiting
   * @returns what `run` gave
   */
  inSpace<V>(network: string, run: (space: NestedSpace<NamedRecord>) => V): V {
    const layer = [...this.#layer].map(([name, { record }]) => ({ name, record }));
    return this.#index.withLayer(
      network,
      layer.filter(({ record }) => record.network === network),
      run,
    );
  }

  /**
   * Tells whether another process deletes a claim.
   *
   * @param name - of its object
   * @returns true until that is carried out
   */
  isLeaving(name: string): boolean {
    return this.#leaving.has(name);
  }

  /**
   * Looks a stored claim up.
   *
   * @param name - of its object
   * @returns the claim without what is only decided
   */
  stored(name: string): KnownClaim | undefined {
    return this.#index.at(name);
  }

  /**
   * Finds the claim of an idempotency key.
   *
   * @param key - of a live holder
   * @returns its record; undefined where no live holder has it
   */
  byKey(key: string): AddressRecord | undefined {
    return this.all(term.key(key))[0];
  }

  /**
   * Finds records.
   *
   * @param wanted - one term
   * @returns what has this term, lowest address first
   */
  all(wanted: string): readonly AddressRecord[] {
    const stored = this.#undecided(this.#index.all(wanted));
    const decided = [...this.#layer.values()].filter(({ terms }) => terms.has(wanted));
    return [...stored, ...decided.map(({ record }) => record)].sort(byAddress);
  }

  /**
   * Counts records.
   *
   * @param wanted - one term
   * @returns how many have it
   */
  count(wanted: string): number {
    let count = this.#index.count(wanted);
    for (const [name, { terms }] of this.#layer) {
      const before = this.#index.at(name)?.record;
      if (before !== undefined && termsOf(before).has(wanted)) count -= 1;
      if (terms.has(wanted)) count += 1;
    }
    return count;
  }

  /**
   * Finds what overlaps a block.
   *
   * @param network - of the records
   * @param block - an address or a prefix
   * @returns lowest address first; those whose quarantine ran out as well
   */
  overlapping(network: string, block: Prefix): readonly AddressRecord[] {
    const stored = this.#undecided(this.#index.overlapping(network, block));
    const decided = this.#spaces.get(network)?.overlapping(block) ?? [];
    return [...stored, ...decided].sort(byAddress);
  }

  /**
   * Finds where a run of taken addresses ends, all of which are taken whatever is decided: what ends keeps its space until that is carried out.
   *
   * @param network - of the records
   * @param address - any address
   * @returns the last stored one of the run from this address on; undefined where it is not taken
   */
  endOfTaken(network: string, address: Address): Address | undefined {
    return this.#index.endOfTaken(network, address);
  }

  /**
   * Names the object of a space.
   *
   * @param place - the space
   * @returns its name
   */
  nameOf(place: Place): string {
    return this.#codec.nameOf(place);
  }

  /**
   * Tells whether a record is live.
   *
   * @param record - held or quarantined
   * @returns false once its quarantine is over
   */
  isLive(record: AddressRecord): boolean {
    return record.quarantine === undefined || record.quarantine.untilMs > this.nowMs;
  }

  /**
   * Remembers where the search for free space ended.
   *
   * @param search - network, family and length
   * @param found - the space that was searched, and the first address of the block that was found
   */
  remember(search: string, found: SearchEnd): void {
    this.#ends.set(search, found);
  }

  /**
   * Tells where a search may begin: everything before is taken, since nothing was freed meanwhile.
   *
   * @param search - network, family and length
   * @returns the end of the last one
   */
  remembered(search: string): SearchEnd | undefined {
    return this.#ends.get(search);
  }

  /** Forgets where searches ended: a claim may have gone. */
  forgetSearches(): void {
    this.#ends.clear();
  }

  #undecided(records: readonly NamedRecord[]): readonly AddressRecord[] {
    return records.flatMap(({ name, record }) => (this.#layer.has(name) ? [] : [record]));
  }

  #layOver(name: string, { record, terms, by }: Layered): void {
    const before = this.#layer.get(name)?.record;
    if (before !== undefined) this.#spaces.get(before.network)?.remove(blockOf(before));
    this.#layer.set(name, { record, terms, by });
    const tree = this.#spaces.get(record.network) ?? new PrefixTree<AddressRecord>();
    this.#spaces.set(record.network, tree);
    tree.insert(blockOf(record), record);
  }
}

// What is only decided has no version yet.
function versioned(after: ClaimWrite['after']): Readonly<Record<string, unknown>> {
  const { metadata, ...rest } = after as { readonly metadata: object };
  return { ...rest, metadata: { ...metadata, resourceVersion: '0' } };
}
