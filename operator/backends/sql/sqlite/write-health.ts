import { SERVICE } from '../../../contract/service-identity';
import { IpamError } from '../../../errors/ipam-error';
import { holderCells } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import { PRIMARY_CODE } from './open-database';
import { followFile } from './same-file';
import { FRESH_WRITE_MS } from '../shared/fresh-write';

/** Primary result codes of SQLite: pages that are not what they have to be. They do not heal while the file is open. */
const DAMAGED = [11, 26];

/**
 * Knows whether writes are stored: what became of the last ones, and whether the file is still the one that its path names. One
 * caller at a time.
 */
export class WriteHealth {
  readonly #path: string;
  readonly #nowMs: () => number;
  readonly #fileProblem: () => string | undefined;
  #logProblem: (() => string | undefined) | undefined;
  #storedAtMs = -Infinity;
  #damage: IpamError | undefined;

  /**
   * Follows an open file.
   *
   * @param path - file of the store
   * @param nowMs - a clock that never goes back
   */
  constructor(path: string, nowMs: () => number = () => performance.now()) {
    this.#path = path;
    this.#nowMs = nowMs;
    this.#fileProblem = followFile(path);
  }

  /**
   * Notes that writes were stored, and looks whether they are in the file that a start would open.
   *
   * @throws IpamError `store/unavailable` when file or write-ahead log were removed or replaced, so that what was written is lost
   */
  stored(): void {
    this.#checkFiles();
    this.#storedAtMs = this.#nowMs();
  }

  /**
   * Notes that something failed.
   *
   * @param thrown - by SQLite, or by the program
   * @param explained - the same in words of the operator
   */
  failed(thrown: unknown, explained: IpamError): void {
    const { errcode } = thrown as { readonly errcode?: number };
    if (errcode === undefined) return;
    this.#storedAtMs = -Infinity;
    if (DAMAGED.includes(errcode & PRIMARY_CODE)) this.#damage = explained;
  }

  /**
   * Tells whether only a write can tell, since nothing was stored lately.
   *
   * @returns true when the last stored write is too old, or one failed since
   */
  get isInDoubt(): boolean {
    return this.#nowMs() - this.#storedAtMs >= FRESH_WRITE_MS;
  }

  /**
   * Checks what can be told without a write.
   *
   * @throws IpamError `store/unavailable`
   */
  check(): void {
    if (this.#damage !== undefined) throw this.#damage;
    this.#checkFiles();
  }

  #checkFiles(): void {
    // there from the first write on
    this.#logProblem ??= followFile(`${this.#path}-wal`);
    const problem = this.#fileProblem() ?? this.#logProblem();
    if (problem !== undefined) throw new IpamError('store/unavailable', problem);
  }
}

const NO_HOLDER = holderCells(
  {
    owner: { cluster: '', ...SERVICE, namespace: '', namespaceUid: '', name: '' },
    state: 'reserved',
  },
  null,
);

/**
 * Does what a claim and its end do to the tables and takes it back, then writes one row that stays. Runs inside of a transaction.
 *
 * @param tables - of the store
 * @param nowMs - the moment of the store's clock
 */
export function tryWrite(tables: ClaimTables, nowMs: number): void {
  const { statements } = tables;
  statements.probe.run();
  const { lastInsertRowid } = statements.insertAddress.run('', 0n, null, 4, '', null, null, null, 0, nowMs);
  const addressId = Number(lastInsertRowid);
  tables.addHolder(addressId, { id: 0, sinceMs: nowMs, movedAtMs: null }, NO_HOLDER);
  statements.endHolder.run(nowMs, addressId, 0);
  statements.endAddress.run(nowMs, addressId);
  statements.undoProbe.run();
  statements.keepProbe.run();
  statements.setSetting.run('probe', nowMs);
}
