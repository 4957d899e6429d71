import { IpamError } from '../../../errors/ipam-error';
import { accept, type Outcome } from '../../../errors/outcome';
import type { Address, Family } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import type {
  ClusterTally,
  FormerHolder,
  KeyUse,
  PastClaim,
  RecordFilter,
  RecordPage,
  UsageTally,
  ZoneSpace,
} from '../../../ports/claim-archive';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  ClaimStore,
  ReleaseRequest,
  Taken,
  TakeRequest,
  ZoneTally,
} from '../../../ports/claim-store';
import { fromColumn, toColumn } from '../shared/address-column';
import type { FreedLog, FreedLogHost } from '../../../ports/freed-log';
import type { OutsideRows, OutsideRowsHost } from '../../../ports/outside-rows';
import type { StoreBackup } from '../../../ports/store-backup';
import { plainFilter } from './archive-wire';
import { ChangeListeners } from '../shared/change-listeners';
import { oneRecord, recordsOf } from '../shared/claim-row';
import { pastClaims } from '../shared/past-claims';
import {
  queryParameters,
  wireBind,
  wireRelease,
  wireTake,
  type WireChange,
  type WireRequest,
  type WireResults,
} from './wire';
import type { WireRange } from './take-wire';
import { SqliteFreedLog } from './sqlite-freed-log';
import { SqliteOutsideRows } from './sqlite-outside-rows';
import { WorkerThread, type WorkerOptions } from './worker-thread';

function wireRanges(space: PrefixSet, family: Family): readonly WireRange[] {
  return space.ranges(family).map((range): WireRange => [toColumn(range.first), toColumn(range.last)]);
}

/**
 * Claims in one SQLite file, whose statements run in a worker thread.
 *
 * Safe for parallel calls: they share transactions, and each is durable when it answers. One process at a time has the
 * file. After `close()` every call throws `store/closed`; after the worker died, `store/unavailable`.
 */
class SqliteClaimStore implements ClaimStore, OutsideRowsHost, FreedLogHost, StoreBackup {
  private readonly listeners = new ChangeListeners();
  /** What the worker knows of each zone, so that a space travels only when it changed. */
  private readonly spaces = new Map<string, PrefixSet>();
  private thread: WorkerThread | undefined;
  private closing: Promise<void> | undefined;

  /**
   * Starts the worker.
   *
   * @param options - file of the store, and where the worker's code is
   */
  async open(options: WorkerOptions): Promise<void> {
    this.thread = await WorkerThread.start(options, (changes) => {
      this.tell(changes);
    });
  }

  async take(request: TakeRequest): Promise<Outcome<Taken>> {
    const { address } = request;
    const target = address === undefined ? this.newSpace(request) : { address: toColumn(address) };
    const taken = await this.ask({ ...wireTake(request), ...target });
    return taken.ok ? accept({ record: oneRecord(taken.value.rows), created: taken.value.created }) : taken;
  }

  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    const bound = await this.ask(wireBind(request));
    return bound.ok ? accept(oneRecord(bound.value)) : bound;
  }

  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    const released = await this.ask(wireRelease(request));
    return released.ok ? accept(recordsOf(released.value)[0]) : released;
  }

  async get(network: string, address: Address, nowMs: number): Promise<AddressRecord | undefined> {
    return recordsOf(await this.ask({ verb: 'get', network, address: toColumn(address), nowMs }))[0];
  }

  async list(query: ClaimQuery, nowMs: number): Promise<readonly AddressRecord[]> {
    return recordsOf(await this.ask({ verb: 'list', by: query.by, parameters: queryParameters(query), nowMs }));
  }

  async revision(): Promise<number> {
    return this.ask({ verb: 'revision' });
  }

  async tally(nowMs: number): Promise<readonly ZoneTally[]> {
    return this.ask({ verb: 'tally', nowMs });
  }

  outsideRows(): OutsideRows {
    return new SqliteOutsideRows((statement, values) => this.ask({ verb: 'outside', statement, values }));
  }

  freedLog(): FreedLog {
    return new SqliteFreedLog((statement, values) => this.ask({ verb: 'freed', statement, values }));
  }

  async usage(spaces: readonly ZoneSpace[], nowMs: number): Promise<readonly UsageTally[]> {
    const wired = spaces.map(({ network, zone, family, space }) => {
      return { network, zone, family, ranges: wireRanges(space, family) };
    });
    return this.ask({ verb: 'usage', spaces: wired, nowMs });
  }

  async page(filter: RecordFilter, { limit, after }: RecordPage, nowMs: number): Promise<readonly AddressRecord[]> {
    const begins = after === undefined ? {} : { after: { network: after.network, address: toColumn(after.address) } };
    return recordsOf(await this.ask({ verb: 'page', filter: plainFilter(filter), limit, ...begins, nowMs }));
  }

  async history(
    { network, address }: { readonly network: string; readonly address: Address },
    page: { readonly limit: number; readonly before?: number },
    nowMs: number,
  ): Promise<readonly PastClaim[]> {
    return pastClaims(await this.ask({ verb: 'past', network, address: toColumn(address) }), page, nowMs);
  }

  async lastAddress({ network, family, namespace, service }: FormerHolder): Promise<Address | undefined> {
    const { serviceName, namespaceUid, clusterUid } = service;
    const of = { network, family, namespace, service: { serviceName, namespaceUid, clusterUid } };
    const column = await this.ask({ verb: 'lastAddress', of });
    return column === undefined ? undefined : fromColumn(column);
  }

  async peek(request: TakeRequest): Promise<Outcome<Address>> {
    const { address } = request;
    const target = address === undefined ? this.newSpace(request) : { address: toColumn(address) };
    const found = await this.ask({ ...wireTake(request), ...target, verb: 'peek' });
    return found.ok ? accept(fromColumn(found.value)) : found;
  }

  async reportCluster(report: {
    readonly clusterUid: string;
    readonly name: string;
    readonly atMs: number;
  }): Promise<undefined> {
    const { clusterUid, name, atMs } = report;
    return this.ask({ verb: 'reportCluster', clusterUid, name, atMs });
  }

  async clusters(): Promise<readonly ClusterTally[]> {
    return this.ask({ verb: 'clusters' });
  }

  async prune({ endedBeforeMs, limit }: { readonly endedBeforeMs: number; readonly limit: number }): Promise<number> {
    return this.ask({ verb: 'prune', endedBeforeMs, limit });
  }

  async keyUse(): Promise<readonly KeyUse[]> {
    return this.ask({ verb: 'keyUse' });
  }

  async replaceKeyFingerprint(before: string, after: string): Promise<boolean> {
    return this.ask({ verb: 'replaceKeyFingerprint', before, after });
  }

  async note(note: { readonly name: string; readonly text?: string }): Promise<string> {
    return this.ask({ verb: 'note', ...note });
  }

  async backup(path: string): Promise<void> {
    return this.running().backup(path);
  }

  watch(listener: (change: ClaimChange) => void): () => void {
    this.running();
    return this.listeners.add(listener);
  }

  async keyFingerprint(candidate?: string): Promise<string> {
    return this.ask({ verb: 'keyFingerprint', ...(candidate === undefined ? {} : { candidate }) });
  }

  // a row of the file, read inside a transaction of the worker that could write as well
  async ping(): Promise<void> {
    await this.keyFingerprint();
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  // The worker serves in order, so whatever was asked before is done before it closes.
  private async end(): Promise<void> {
    const { thread } = this;
    // a dead worker has nothing open any more
    await thread?.ask({ verb: 'close' }).then(
      () => thread.ended(),
      () => undefined,
    );
    this.listeners.clear();
  }

  private running(): WorkerThread {
    if (this.closing !== undefined || this.thread === undefined)
      throw new IpamError('store/closed', 'the store was closed');
    return this.thread;
  }

  private async ask<R extends WireRequest>(request: R): Promise<WireResults[R['verb']]> {
    return this.running().ask(request);
  }

  private newSpace({ network, zone, family, space }: TakeRequest): { space?: readonly WireRange[] } {
    const key = JSON.stringify([network, zone, family]);
    const known = this.spaces.get(key);
    if (known === space || known?.equals(space) === true) return {};
    this.spaces.set(key, space);
    return { space: wireRanges(space, family) };
  }

  private tell(changes: readonly WireChange[]): void {
    for (const change of changes) this.listeners.tell({ ...change, address: fromColumn(change.address) });
  }
}

/**
 * Opens the store, creating the file where it is missing.
 *
 * @param options - `path`: file on a volume that only this process uses; `workerFile`: compiled worker, where it is not
 *   found by itself
 * @returns the running store; the process has an exclusive lock on the file until it ends or closes the store
 * @throws IpamError `store/locked` (another process has it), `store/unavailable` (folder, permissions, no database),
 *   `store/schema` (written by a newer version or another program)
 */
export async function openSqliteStore(
  options: WorkerOptions,
): Promise<ClaimStore & OutsideRowsHost & FreedLogHost & StoreBackup> {
  const store = new SqliteClaimStore();
  await store.open(options);
  return store;
}
