import type { Address } from '../../../addressing/address';
import { IpamError } from '../../../errors/ipam-error';
import type { NewOutsideRow, OutsideChange, OutsideRow, OutsideRows } from '../../../ports/outside-rows';
import { toColumn } from '../shared/address-column';
import {
  beginCells,
  changeCells,
  guardCells,
  outsideRowOf,
  type OutsideCell,
  type OutsideVerb,
} from '../shared/outside-tables';

/** Runs one statement in the worker thread; resolves to its rows. */
type AskOutside = (statement: OutsideVerb, values: readonly OutsideCell[]) => Promise<readonly (readonly unknown[])[]>;

/** {@link OutsideRows} in the file of the SQLite store, written in the transactions of the claims. */
export class SqliteOutsideRows implements OutsideRows {
  readonly #ask: AskOutside;

  /**
   * Asks the worker of an open store.
   *
   * @param ask - sends a statement
   */
  constructor(ask: AskOutside) {
    this.#ask = ask;
  }

  /** @inheritdoc */
  async begin(row: NewOutsideRow): Promise<OutsideRow> {
    const [cells] = await this.#ask('begin', beginCells(row));
    if (cells === undefined) throw new IpamError('internal', 'the store wrote no row for an outside source');
    return outsideRowOf(cells);
  }

  /** @inheritdoc */
  async change(row: OutsideRow, change: OutsideChange): Promise<OutsideRow | undefined> {
    return (await this.#ask('change', changeCells(row, change))).map(outsideRowOf)[0];
  }

  /** @inheritdoc */
  async end(row: OutsideRow): Promise<boolean> {
    return (await this.#ask('end', guardCells(row))).length > 0;
  }

  /** @inheritdoc */
  async get(network: string, address: Address): Promise<OutsideRow | undefined> {
    return (await this.#ask('readOne', [network, toColumn(address)])).map(outsideRowOf)[0];
  }

  /** @inheritdoc */
  async due(nowMs: number, limit: number): Promise<readonly OutsideRow[]> {
    return (await this.#ask('readDue', [nowMs, limit])).map(outsideRowOf);
  }

  /** @inheritdoc */
  async ofZone(zone: string): Promise<readonly OutsideRow[]> {
    return (await this.#ask('readZone', [zone])).map(outsideRowOf);
  }

  /** @inheritdoc */
  async zones(): Promise<readonly string[]> {
    return textsOf(await this.#ask('readZones', []));
  }

  /** @inheritdoc */
  async note(name: string): Promise<string> {
    return textsOf(await this.#ask('readNote', [name]))[0] ?? '';
  }

  /** @inheritdoc */
  async keep(name: string, text: string): Promise<void> {
    await this.#ask('keep', [name, text]);
  }

  /** @inheritdoc */
  async agree(name: string, text: string): Promise<string> {
    return textsOf(await this.#ask('agree', [name, text]))[0] ?? text;
  }
}

function textsOf(rows: readonly (readonly unknown[])[]): readonly string[] {
  return rows.map(([text]) => String(text));
}
