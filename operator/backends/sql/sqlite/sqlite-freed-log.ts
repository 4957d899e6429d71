import type { FreedEntry, FreedLog } from '../../../ports/freed-log';
import { fromColumn } from '../shared/address-column';
import type { FreedRow, FreedVerb, FreedWire } from './freed-wire';

/** Number of an entry, and its token. */
const PLACE = /^(\d{1,15})-(\d{1,10})$/u;

/**
 * {@link FreedLog} over the table that a trigger fills. One process has the file, and its worker commits before it reads, so what
 * can be read is final and in order.
 */
export class SqliteFreedLog implements FreedLog {
  readonly #ask: (verb: FreedVerb, values: FreedWire['values']) => Promise<readonly FreedRow[]>;

  /**
   * Reads nothing yet.
   *
   * @param ask - runs one statement in the worker
   */
  constructor(ask: (verb: FreedVerb, values: FreedWire['values']) => Promise<readonly FreedRow[]>) {
    this.#ask = ask;
  }

  /** @inheritdoc */
  async here(): Promise<string> {
    const [last] = await this.#ask('last', []);
    return last === undefined ? '0-0' : placeOf(last);
  }

  /** @inheritdoc */
  async knows(place: string): Promise<boolean> {
    const [seq, token] = partsOf(place);
    if (seq === undefined || token === undefined) return false;
    if (seq > 0) return (await this.#ask('at', [seq, token])).length > 0;
    const [first] = await this.#ask('after', [0, Number.MAX_SAFE_INTEGER, 1]);
    return token === 0 && (first === undefined || first[0] === 1);
  }

  /** @inheritdoc */
  async after(
    place: string,
    page: { readonly limit: number; readonly until?: string },
  ): Promise<readonly FreedEntry[]> {
    const [from] = partsOf(place);
    if (from === undefined) return [];
    const [until = Number.MAX_SAFE_INTEGER] = page.until === undefined ? [] : partsOf(page.until);
    const rows = await this.#ask('after', [from, until, page.limit]);
    return rows.map((row) => {
      const [, , network, zone, address, freeAtMs] = row;
      return { place: placeOf(row), network, zone, address: fromColumn(address), freeAtMs };
    });
  }
}

function placeOf([seq, token]: FreedRow): string {
  return `${seq}-${token}`;
}

function partsOf(place: string): readonly [seq?: number, token?: number] {
  const [, seq, token] = PLACE.exec(place) ?? [];
  return seq === undefined || token === undefined ? [] : [Number(seq), Number(token)];
}
