import type { AddressRecord } from '../../ports/claims';

/** A record with the name of its object. */
export interface NamedRecord {
  readonly name: string;
  readonly record: AddressRecord;
}

/**
 * Records by the terms under which they are looked for. Most terms, such as a UID, have one record, which needs no map of its own.
 *
 * @remarks Each change and each count costs O(1). One writer; holds memory only: about 100 bytes a term beside its text.
 */
export class TermIndex {
  readonly #found = new Map<string, NamedRecord | Map<string, NamedRecord>>();

  /**
   * Finds records.
   *
   * @param term - any text
   * @returns what has this term, in no particular order
   */
  all(term: string): readonly NamedRecord[] {
    const found = this.#found.get(term);
    if (found === undefined) return [];
    return found instanceof Map ? [...found.values()] : [found];
  }

  /**
   * Counts records.
   *
   * @param term - any text
   * @returns how many have it
   */
  count(term: string): number {
    const found = this.#found.get(term);
    if (found === undefined) return 0;
    return found instanceof Map ? found.size : 1;
  }

  /**
   * Adds a record; one of the same name is replaced.
   *
   * @param term - any text
   * @param named - the record
   */
  add(term: string, named: NamedRecord): void {
    const found = this.#found.get(term);
    if (found instanceof Map) found.set(named.name, named);
    else if (found === undefined || found.name === named.name) this.#found.set(term, named);
    else this.#found.set(term, new Map([found, named].map((each) => [each.name, each])));
  }

  /**
   * Takes a record away.
   *
   * @param term - any text
   * @param name - of its object
   */
  remove(term: string, name: string): void {
    const found = this.#found.get(term);
    if (found instanceof Map) {
      found.delete(name);
      if (found.size === 0) this.#found.delete(term);
    } else if (found?.name === name) this.#found.delete(term);
  }
}
