import { familyBits, type Address, type Family } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import { IpamError } from '../../../errors/ipam-error';
import { accept, type Outcome } from '../../../errors/outcome';
import type { PoolSpace, PoolTally, PoolUsage, RecordFilter, RecordPage } from '../../../ports/claim-counts';
import type { FormerHolder, PastClaim, PruneRequest } from '../../../ports/claim-history';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  FirstTake,
  Move,
  Place,
  ReleaseRequest,
  Taken,
  TakeRequest,
  Want,
} from '../../../ports/claims';
import type { Clock } from '../../../ports/clock';
import type { ClusterRename } from '../../../ports/cluster-renames';
import type { ClusterTally } from '../../../ports/cluster-reports';
import type { ClaimRevision } from '../../../ports/claim-revision';
import type { FreedLog, FreedLogHost } from '../../../ports/freed-log';
import type { KeyUse } from '../../../ports/key-mark';
import type { OccupiedAddresses, OccupiedAddressesHost } from '../../../ports/occupied-addresses';
import type { OutsideRows, OutsideRowsHost } from '../../../ports/outside-rows';
import type { NoteRequest } from '../../../ports/notes';
import type { OwnStore } from '../../../ports/store';
import type { StoreBackup } from '../../../ports/store-backup';
import { fromColumn, toColumn } from '../shared/address-column';
import { ChangeListeners } from '../../../claim-store/change-listeners';
import { oneRecord, recordsOf } from '../shared/claim-row';
import { exchangeMoves } from '../shared/exchange-moves';
import { pastClaims } from '../shared/past-claims';
import { plainFilter } from './archive-wire';
import { SqliteFreedLog } from './sqlite-freed-log';
import { SqliteOccupied } from './sqlite-occupied';
import { SqliteOutsideRows } from './sqlite-outside-rows';
import { takenRows, wireTake, wireUnless, type WireFirstTake, type WireRange, type WireTake } from './take-wire';
import {
  queryParameters,
  wireBind,
  wireExchange,
  wirePlace,
  wireRelease,
  type WireChange,
  type WireRequest,
  type WireResults,
} from './wire';
import { WorkerThread, type WorkerOptions } from './worker-thread';

/** How the store is opened. */
export interface SqliteStoreOptions extends WorkerOptions {
  /** The store's clock: what it says is stored and compared. */
  readonly clock: Pick<Clock, 'nowMs'>;
}

function wireRanges(space: PrefixSet, family: Family): readonly WireRange[] {
  return space.ranges(family).map((range): WireRange => [toColumn(range.first), toColumn(range.last)]);
}

function takenFrom(taken: WireResults['take'], request: WireTake | WireFirstTake): Outcome<readonly Taken[]> {
  if (!taken.ok) return taken;
  return accept(
    request.wants.flatMap((want, index) => {
      const each = taken.value[index];
      return each === undefined
        ? []
        : [{ record: oneRecord(takenRows(each, request, want)), created: each.kind === 'made' }];
    }),
  );
}

/**
 * Claims in one SQLite file, whose statements run in a worker thread.
 *
 * Safe for parallel calls: they share transactions, and each is durable when it answers. One process at a time has the
 * file. After `close()` every call throws `store/closed`; after the worker died, `store/unavailable`.
 */
class SqliteClaimStore implements OwnStore, OutsideRowsHost, OccupiedAddressesHost, FreedLogHost, StoreBackup {
  readonly #listeners = new ChangeListeners();
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** Space of each pool as the worker knows it, so that a space travels only when it changed. */
  readonly #spaces = new Map<string, PrefixSet>();
  #thread: WorkerThread | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Opens nothing yet.
   *
   * @param clock - says what is stored as the present
   */
  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /**
   * Starts the worker.
   *
   * @param options - file of the store, and where the worker's code is
   */
  async open(options: WorkerOptions): Promise<void> {
    this.#thread = await WorkerThread.start(options, (changes) => {
      this.#tell(changes);
    });
  }

  async take(request: TakeRequest): Promise<Outcome<readonly Taken[]>> {
    const wired = this.#wireTake(request);
    return takenFrom(await this.#ask(wired), wired);
  }

  async takeFirst(request: FirstTake): Promise<Outcome<readonly Taken[]> | undefined> {
    const unless = request.unless.map((query) => wireUnless(query, request.holder.owner, queryParameters));
    const wired = { ...this.#wireTake(request), verb: 'takeFirst', unless } as const;
    const taken = await this.#ask(wired);
    return taken === undefined ? undefined : takenFrom(taken, wired);
  }

  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    const bound = await this.#ask(wireBind(request, this.#clock.nowMs()));
    return bound.ok ? accept(oneRecord(bound.value)) : bound;
  }

  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    const released = await this.#ask(wireRelease(request, this.#clock.nowMs()));
    return released.ok ? accept(recordsOf(released.value)[0]) : released;
  }

  async exchange(moves: readonly Move[]): Promise<Outcome<readonly AddressRecord[]>> {
    const checked = exchangeMoves(moves);
    if (!checked.ok) return checked;
    const exchanged = await this.#ask(wireExchange(checked.value, this.#clock.nowMs()));
    return exchanged.ok ? accept(exchanged.value.map(oneRecord)) : exchanged;
  }

  async get(place: Place): Promise<AddressRecord | undefined> {
    return recordsOf(await this.#ask({ verb: 'get', ...wirePlace(place), nowMs: this.#clock.nowMs() }))[0];
  }

  async list(query: ClaimQuery): Promise<readonly AddressRecord[]> {
    const nowMs = this.#clock.nowMs();
    return recordsOf(await this.#ask({ verb: 'list', by: query.by, parameters: queryParameters(query), nowMs }));
  }

  async peek(request: TakeRequest): Promise<Outcome<readonly Place[]>> {
    const found = await this.#ask({ ...this.#wireTake(request), verb: 'peek' });
    if (!found.ok) return found;
    return accept(
      found.value.map(([network, column, length]) => {
        const place = { network, address: fromColumn(column) };
        return length === null ? place : { ...place, length };
      }),
    );
  }

  async revision(): Promise<number> {
    return this.#ask({ verb: 'revision' });
  }

  async tally(): Promise<readonly PoolTally[]> {
    return this.#ask({ verb: 'tally', nowMs: this.#clock.nowMs() });
  }

  async usage(spaces: readonly PoolSpace[]): Promise<readonly PoolUsage[]> {
    const wired = spaces.map(({ network, pool, family, space }) => {
      return { network, pool, family, ranges: wireRanges(space, family) };
    });
    return this.#ask({ verb: 'usage', spaces: wired, nowMs: this.#clock.nowMs() });
  }

  async page(filter: RecordFilter, { limit, after }: RecordPage): Promise<readonly AddressRecord[]> {
    const begins = after === undefined ? {} : { after: { network: after.network, address: toColumn(after.address) } };
    const nowMs = this.#clock.nowMs();
    return recordsOf(await this.#ask({ verb: 'page', filter: plainFilter(filter), limit, ...begins, nowMs }));
  }

  async history(of: Place, page: { readonly limit: number; readonly before?: number }): Promise<readonly PastClaim[]> {
    return pastClaims(await this.#ask({ verb: 'past', ...wirePlace(of), nowMs: this.#clock.nowMs() }), page);
  }

  async lastAddress({ network, family, owner }: FormerHolder): Promise<Address | undefined> {
    const { cluster, apiVersion, kind, namespace, namespaceUid, name } = owner;
    const of = { network, family, owner: { cluster, apiVersion, kind, namespace, namespaceUid, name } };
    const column = await this.#ask({ verb: 'lastAddress', of });
    return column === undefined ? undefined : fromColumn(column);
  }

  async prune({ endedForMs, limit, perNamespace = Infinity }: PruneRequest): Promise<number> {
    return this.#ask({ verb: 'prune', endedForMs, limit, perNamespace, nowMs: this.#clock.nowMs() });
  }

  outsideRows(): OutsideRows {
    return new SqliteOutsideRows((statement, values) => this.#ask({ verb: 'outside', statement, values }));
  }

  occupiedAddresses(): OccupiedAddresses {
    return new SqliteOccupied(
      (request) => this.#ask(request),
      () => this.#clock.nowMs(),
    );
  }

  freedLog(): FreedLog {
    return new SqliteFreedLog((statement, values) => this.#ask({ verb: 'freed', statement, values }));
  }

  async reportCluster({ cluster, name }: { readonly cluster: string; readonly name: string }): Promise<undefined> {
    return this.#ask({ verb: 'reportCluster', cluster, name, nowMs: this.#clock.nowMs() });
  }

  async renameCluster({ from, to, keys }: ClusterRename): Promise<Outcome<{ readonly claims: number }>> {
    return this.#ask({ verb: 'renameCluster', from, to, keys, nowMs: this.#clock.nowMs() });
  }

  async clusters(): Promise<readonly ClusterTally[]> {
    return this.#ask({ verb: 'clusters' });
  }

  async keyUse(): Promise<readonly KeyUse[]> {
    return this.#ask({ verb: 'keyUse' });
  }

  async keyFingerprint(candidate?: string): Promise<string> {
    return this.#ask({ verb: 'keyFingerprint', ...(candidate === undefined ? {} : { candidate }) });
  }

  async replaceKeyFingerprint(before: string, after: string): Promise<boolean> {
    return this.#ask({ verb: 'replaceKeyFingerprint', before, after });
  }

  async note(note: NoteRequest): Promise<string> {
    return this.#ask({ verb: 'note', ...note });
  }

  async backup(path: string): Promise<void> {
    return this.#running().backup(path);
  }

  watch(listener: (change: ClaimChange) => void): () => void {
    this.#running();
    return this.#listeners.add(listener);
  }

  async ping(): Promise<void> {
    await this.#ask({ verb: 'ping', nowMs: this.#clock.nowMs() });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  // The worker serves in order, so whatever was asked before is done before it closes.
  async #end(): Promise<void> {
    const thread = this.#thread;
    // a dead worker has nothing open any more
    await thread?.ask({ verb: 'close' }).then(
      () => thread.ended(),
      () => undefined,
    );
    this.#listeners.clear();
  }

  #running(): WorkerThread {
    if (this.#closing !== undefined || this.#thread === undefined)
      throw new IpamError('store/closed', 'the store was closed');
    return this.#thread;
  }

  async #ask<R extends WireRequest>(request: R): Promise<WireResults[R['verb']]> {
    return this.#running().ask(request);
  }

  #wireTake(request: TakeRequest): WireTake {
    const ranges = (want: Want): readonly WireRange[] | undefined => this.#newSpace(request, want);
    return wireTake(request, { nowMs: this.#clock.nowMs(), ranges });
  }

  #newSpace({ network, pool }: TakeRequest, { family, space }: Want): readonly WireRange[] | undefined {
    const key = JSON.stringify([network, pool, family]);
    const known = this.#spaces.get(key);
    if (known === space || known?.equals(space) === true) return undefined;
    this.#spaces.set(key, space);
    return wireRanges(space, family);
  }

  #tell(changes: readonly WireChange[]): void {
    for (const [kind, network, pool, column, length] of changes) {
      const address = fromColumn(column);
      this.#listeners.tell({ kind, network, pool, address, length: length ?? familyBits(address.family) });
    }
  }
}

/**
 * Opens the store, creating the file where it is missing.
 *
 * @param options - `path`: file on a volume that only this process uses; `clock`; `workerFile`: compiled worker, where it is not
 *   found by itself
 * @returns the running store; the process has an exclusive lock on the file until it ends or closes the store
 * @throws IpamError `store/locked` (another process has it), `store/unavailable` (folder, permissions, no database),
 *   `store/schema` (written by a newer version or another program)
 */
export async function openSqliteStore(
  options: SqliteStoreOptions,
): Promise<OwnStore & ClaimRevision & OutsideRowsHost & OccupiedAddressesHost & FreedLogHost & StoreBackup> {
  const { clock, ...worker } = options;
  const store = new SqliteClaimStore(clock);
  await store.open(worker);
  return store;
}
