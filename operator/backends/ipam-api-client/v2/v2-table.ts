import { claimTerm } from '../../../claim-store/claim-terms';
import { familyBits } from '../../../addressing/address';
import { serviceOwner } from '../../../contract/service-identity';
import type { AddressRecord } from '../../../ports/claims';
import type { IntentRow, IntentRows } from '../../../ports/intent-rows';
import type { SecretHasher } from '../../../ports/secret-hasher';
import { holderOf, intentOf, type Intent, type IntentHolder } from './v2-intent';

/** One row as it is known, with what the ledger sees of it. */
export interface Known {
  readonly intent: Intent;
  /** Absent while the address has no holder. */
  readonly record: AddressRecord | undefined;
}

/** Terms of queries: those of every index, and those of this one. */
export const term = {
  ...claimTerm,
  unbound: (namespaceUid: string): string => JSON.stringify(['unbound', namespaceUid]),
  /** Rows with something left to do. */
  work: 'work',
  /** Rows with a holder whose answer is not known. */
  asking: 'asking',
  /** Rows whose address the IPAM-API has for another owner. */
  disputed: 'disputed',
};

/** The rows of this cluster in memory, found by any {@link term}. Follows every process that writes. */
export class IntentTable {
  readonly #hasher: SecretHasher;
  readonly #rows = new Map<string, Known>();
  readonly #found = new Map<string, Set<string>>();
  readonly #listeners = new Set<(id: string, before: Known | undefined, after: Known | undefined) => void>();
  readonly #stop: () => void;

  /**
   * Begins to follow rows.
   *
   * @param rows - where they are
   * @param hasher - hashes the secrets of records
   */
  constructor(rows: IntentRows, hasher: SecretHasher) {
    this.#hasher = hasher;
    this.#stop = rows.watch((id, row) => {
      this.#apply(id, row);
    });
  }

  /** Follows no longer. */
  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  /**
   * Looks a row up.
   *
   * @param id - of the row
   * @returns what is known of it
   */
  get(id: string): Known | undefined {
    return this.#rows.get(id);
  }

  /**
   * Finds rows, in no order.
   *
   * @param wanted - one term
   * @returns what has it. O(result)
   */
  all(wanted: string): readonly Known[] {
    return [...(this.#found.get(wanted) ?? [])].flatMap((id) => this.#rows.get(id) ?? []);
  }

  /**
   * Lists every row. O(rows)
   *
   * @returns all, in no order
   */
  every(): readonly Known[] {
    return [...this.#rows.values()];
  }

  /**
   * Tells each change, after it is durable.
   *
   * @param listener - told the row before and after
   * @returns the function that stops it
   */
  onChange(listener: (id: string, before: Known | undefined, after: Known | undefined) => void): () => void {
    const entry: typeof listener = (id, before, after) => {
      listener(id, before, after);
    };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  #apply(id: string, row: IntentRow | undefined): void {
    const before = this.#rows.get(id);
    for (const each of before === undefined ? [] : termsOf(before)) this.#remove(each, id);
    const after = row === undefined ? undefined : this.#known(intentOf(row));
    if (after === undefined) this.#rows.delete(id);
    else this.#rows.set(id, after);
    for (const each of after === undefined ? [] : termsOf(after)) this.#add(each, id);
    for (const listener of this.#listeners) listener(id, before, after);
  }

  #known(intent: Intent): Known {
    return { intent, record: recordOf(intent, this.#hasher) };
  }

  #add(key: string, id: string): void {
    const set = this.#found.get(key);
    if (set === undefined) this.#found.set(key, new Set([id]));
    else set.add(id);
  }

  #remove(key: string, id: string): void {
    const set = this.#found.get(key);
    set?.delete(id);
    if (set?.size === 0) this.#found.delete(key);
  }
}

/**
 * Shows an intent as the ledger sees it.
 *
 * @param intent - a row
 * @param hasher - hashes its secret
 * @returns the record with the holders that the IPAM-API confirmed; undefined while there is none
 */
export function recordOf(intent: Intent, hasher: SecretHasher): AddressRecord | undefined {
  const { network, zone, family, address, secret, version, takenAtMs } = intent;
  const holders = intent.holders.filter(({ phase }) => phase === 'held').map(holderOf);
  if (address === undefined || holders.length === 0) return undefined;
  const proof = { hash: hasher.hash(secret.value), scope: secret.scope };
  const space = { network, address, length: familyBits(family), pool: zone, family };
  return { ...space, secret: proof, state: 'held', holders, version, takenAtMs };
}

function termsOf({ intent, record }: Known): ReadonlySet<string> {
  const { network, zone, holders, next } = intent;
  const asks = holders.some(({ phase }) => phase === 'asking');
  const works = next !== undefined || holders.some(({ phase, stale }) => phase === 'leaving' || stale === true);
  return new Set([
    ...(asks ? [term.asking] : []),
    ...(works ? [term.work] : []),
    ...(intent.disputed === undefined ? [] : [term.disputed]),
    ...(record === undefined ? [] : [term.pool(network, zone)]),
    ...holders.flatMap(holderTerms),
  ]);
}

function holderTerms(holder: IntentHolder): readonly string[] {
  const { key, state, phase } = holder;
  const owner = serviceOwner(holder);
  return [
    term.owner(owner),
    term.name(owner.cluster, owner.namespace, owner.name),
    term.cluster(owner.cluster),
    term.state(state),
    ...(owner.uid === undefined ? [] : [term.uid(owner.uid)]),
    ...(key === undefined ? [] : [term.key(key)]),
    ...(state === 'reserved' && phase !== 'leaving' ? [term.unbound(owner.namespaceUid)] : []),
  ];
}
