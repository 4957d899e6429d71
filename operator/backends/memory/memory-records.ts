import { familyBits, type Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { blockOf } from '../../addressing/space-text';
import { ChangeListeners } from '../../claim-store/change-listeners';
import type { AddressRecord, Holder, Place, SecretProof } from '../../ports/claims';
import { ClaimHistory } from './claim-history';
import { FreeAddresses, type Search, type TakenSpace } from './free-addresses';
import { frozenRecord } from './frozen-record';
import { LeftHolders } from './left-holders';
import { RecordIndex, term } from './record-index';
import type { UsesInMemory } from './uses-in-memory';
import { isLiveAt } from '../../claim-store/record-terms';

/** A record whose holders change places. */
export interface ExchangedRecord {
  /** As it is. */
  readonly before: AddressRecord;
  readonly holders: readonly Holder[];
  /** Proof of ownership from now on. */
  readonly secret: SecretProof | undefined;
}

/** Live records, their past and their listeners, in plain maps. One caller at a time; holds memory only. */
export class MemoryRecords {
  readonly index = new RecordIndex();
  readonly past = new ClaimHistory();
  readonly uses: UsesInMemory;
  readonly #free = new FreeAddresses();
  readonly listeners = new ChangeListeners();
  readonly left = new LeftHolders();
  /** Counts changes; the version of a record is the count at its newest change, so no version ever comes back. */
  #changes = 0;

  /**
   * Starts empty.
   *
   * @param uses - what clusters show without a claim
   */
  constructor(uses: UsesInMemory) {
    this.uses = uses;
  }

  /**
   * Counts the changes so far.
   *
   * @returns grows with each change
   */
  get revision(): number {
    return this.#changes;
  }

  /**
   * Makes the version of a change.
   *
   * @returns a number that was never given before
   */
  nextVersion(): number {
    return ++this.#changes;
  }

  /**
   * Finds the record of a place.
   *
   * @param place - an address or a prefix
   * @returns the record that has just this space, expired or not
   */
  at({ network, address, length = familyBits(address.family) }: Place): AddressRecord | undefined {
    const record = this.index.one(term.address(network, address));
    return record?.length === length ? record : undefined;
  }

  /**
   * Lists what is live.
   *
   * @param nowMs - the present
   * @returns in no particular order
   */
  live(nowMs: number): readonly AddressRecord[] {
    return this.index.everything().filter((record) => isLiveAt(record, nowMs));
  }

  /**
   * Finds the lowest free space, and leaves it free.
   *
   * @param search - where
   * @returns its first address; undefined when there is none
   */
  lowest(search: Search): Address | undefined {
    const { network, family, space, length = familyBits(family) } = search;
    const isTaken = (address: Address): boolean => this.index.overlaps(network, blockOf({ address }));
    const taken: TakenSpace = {
      has: (address) => isTaken(address) || this.uses.isAvoided({ network, address }),
      all: () => this.#blocks(network),
    };
    const found = this.#free.lowest(search, taken);
    if (found !== undefined || length < familyBits(family)) return found;
    return this.uses.avoidedIn(network, family, space).find((address) => !isTaken(address));
  }

  /**
   * Adds a record.
   *
   * @param record - with its version
   * @param nowMs - the present
   * @returns the record as it is kept
   */
  create(record: AddressRecord, nowMs: number): AddressRecord {
    const kept = frozenRecord(record);
    this.#replace(undefined, kept, nowMs);
    this.listeners.tellOf('taken', kept);
    return kept;
  }

  /**
   * Changes a record.
   *
   * @param before - as it is
   * @param after - as it shall be, with its new version
   * @param nowMs - the present
   * @returns the record as it is kept
   */
  change(before: AddressRecord, after: AddressRecord, nowMs: number): AddressRecord {
    const kept = frozenRecord(after);
    this.#replace(before, kept, nowMs);
    this.listeners.tellOf('changed', kept);
    return kept;
  }

  /**
   * Lets holders change places.
   *
   * @param changes - each record as it is, and what it has from now on
   * @param nowMs - the present
   * @returns the records as they are kept
   */
  exchange(changes: readonly ExchangedRecord[], nowMs: number): readonly AddressRecord[] {
    const pairs = changes.map(({ before: { secret: _kept, ...rest }, before, holders, secret }) => {
      const proof = secret === undefined ? {} : { secret };
      const changed = { ...rest, ...proof, holders, version: this.nextVersion(), takenAtMs: nowMs };
      return { before, after: frozenRecord(changed) };
    });
    // a key is found at one record only, so all of them go before the first one comes
    for (const { before } of pairs) this.index.replace(before, undefined);
    for (const { before, after } of pairs) {
      this.index.replace(undefined, after);
      this.past.note(before, after, nowMs);
    }
    for (const { after } of pairs) this.listeners.tellOf('changed', after);
    return pairs.map(({ after }) => after);
  }

  /**
   * Ends a record: its space is free.
   *
   * @param record - as it is
   * @param nowMs - the present
   */
  end(record: AddressRecord, nowMs: number): void {
    this.#replace(record, undefined, Math.min(nowMs, record.quarantine?.untilMs ?? nowMs));
    this.#free.freed(record);
    this.listeners.tellOf('freed', record);
    const block = blockOf(record);
    const { network } = record;
    for (const use of this.uses.all()) {
      if (use.network === network && block.contains(use.address)) this.settleUse(use, nowMs);
    }
  }

  /**
   * Ends a record for which no holder asked, which is a change of its own.
   *
   * @param record - as it is
   * @param nowMs - the present
   */
  expire(record: AddressRecord, nowMs: number): void {
    this.nextVersion();
    this.end(record, nowMs);
  }

  /**
   * Brings the record of an address in use in line with what clusters show there.
   *
   * @param place - network and address
   * @param nowMs - the present
   */
  settleUse({ network, address }: Pick<AddressRecord, 'network' | 'address'>, nowMs: number): void {
    const record = this.index.at(network, address);
    const use = this.uses.occupying({ network, address });
    const { family } = address;
    const length = familyBits(family);
    if (use === undefined) {
      if (record?.state === 'foreign') this.expire(record, nowMs);
      else if (record === undefined) this.#free.freed({ network, address, family });
    } else if (record === undefined) {
      const foreign = Object.freeze({ cluster: use.cluster, source: use.source });
      const place = { network, address, length, pool: '', family };
      const row = { ...place, state: 'foreign', holders: [], foreign, version: this.nextVersion(), takenAtMs: nowMs };
      this.#replace(undefined, frozenRecord(row as AddressRecord), nowMs);
    } else if (record.length === length) this.#rename(record, use, nowMs);
  }

  // What is in use now is not kept for a former holder; a claim stays.
  #rename(record: AddressRecord, { cluster, source }: AddressRecord['foreign'] & object, nowMs: number): void {
    if (record.state === 'quarantined') this.expire(record, nowMs);
    else if (record.state === 'foreign') {
      this.#replace(record, frozenRecord({ ...record, foreign: Object.freeze({ cluster, source }) }), nowMs);
    }
  }

  /**
   * Ends the quarantine of a former holder that returns: the space is not free in between.
   *
   * @param record - as it is
   * @param nowMs - the present
   */
  resume(record: AddressRecord, nowMs: number): void {
    this.#replace(record, undefined, nowMs);
  }

  #blocks(network: string): readonly Prefix[] {
    return this.index
      .everything()
      .filter((record) => record.network === network)
      .map(blockOf);
  }

  #replace(before: AddressRecord | undefined, after: AddressRecord | undefined, nowMs: number): void {
    this.index.replace(before, after);
    this.past.note(before, after, nowMs);
    const changed = after ?? before;
    if (changed === undefined || (before !== undefined && after !== undefined)) return;
    if (changed.length < familyBits(changed.family)) this.#free.forget(changed.network);
  }
}
