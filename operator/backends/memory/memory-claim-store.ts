import { familyBits, type Address } from '../../addressing/address';
import { spaceText } from '../../addressing/space-text';
import { IpamError } from '../../errors/ipam-error';
import { accept, type Outcome } from '../../errors/outcome';
import { refuseKeyInUse, refuseKnownCluster, refuseOutdated, refuseUnclaimed } from '../../errors/store-refusals';
import type { PoolSpace, PoolTally, PoolUsage, RecordFilter, RecordPage } from '../../ports/claim-counts';
import type { FormerHolder, PastClaim, PruneRequest } from '../../ports/claim-history';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  FirstTake,
  Holder,
  Move,
  Place,
  ReleaseRequest,
  Taken,
  TakeRequest,
} from '../../ports/claims';
import type { Clock } from '../../ports/clock';
import { followRenames, refuseRenamed, renamedNote } from '../../contract/renamed-note';
import type { ClusterRename } from '../../ports/cluster-renames';
import type { ClusterTally } from '../../ports/cluster-reports';
import type { KeyUse } from '../../ports/key-mark';
import type { OccupiedAddresses, OccupiedAddressesHost } from '../../ports/occupied-addresses';
import type { OutsideRows, OutsideRowsHost } from '../../ports/outside-rows';
import type { NoteRequest } from '../../ports/notes';
import type { OwnStore } from '../../ports/store';
import { frozenHolder } from './frozen-record';
import { exchange } from './memory-exchange';
import { MemoryOccupied } from './memory-occupied';
import { UsesInMemory } from './uses-in-memory';
import { MemoryOutsideRows } from './memory-outside-rows';
import { MemoryRecords } from './memory-records';
import { renameAll } from './memory-rename';
import { pauseAfter } from './memory-pause';
import { placeOf, planTake, type Target } from './memory-take';
import { term } from './record-index';
import { clustersOf, keyUseOf, pageOf, usageOf, type ClusterReport } from './record-views';
import { isLiveAt } from '../../claim-store/record-terms';

/**
 * Claims in plain maps: the reference of the port, for tests, the demo and dry runs. Nothing is durable.
 *
 * Safe for parallel calls: each verb runs in one piece. After `close()` every call throws `store/closed`.
 */
export class MemoryClaimStore implements OwnStore, OutsideRowsHost, OccupiedAddressesHost {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #records = new MemoryRecords(new UsesInMemory());
  readonly #reports = new Map<string, ClusterReport>();
  readonly #notes = new Map<string, string>();
  readonly #outside = new MemoryOutsideRows(() => {
    if (this.#closed) throw new IpamError('store/closed', 'the store was closed');
  });
  readonly #occupied = new MemoryOccupied({
    uses: this.#records.uses,
    records: this.#records,
    nowMs: () => this.#clock.nowMs(),
    isClosed: () => this.#closed,
    isRenamed: (cluster, nowMs) => this.#newNameOf(cluster, nowMs) !== undefined,
  });
  #fingerprint = '';
  #closed = false;

  /**
   * Starts empty.
   *
   * @param clock - the time of the store
   */
  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** @inheritdoc */
  async take(request: TakeRequest): Promise<Outcome<readonly Taken[]>> {
    return this.#whenOpen((nowMs) => this.#underItsName(request, nowMs) ?? this.#take(request, nowMs));
  }

  /** @inheritdoc */
  async takeFirst(request: FirstTake): Promise<Outcome<readonly Taken[]> | undefined> {
    return this.#whenOpen((nowMs) => {
      const renamed = this.#underItsName(request, nowMs);
      if (renamed !== undefined) return renamed;
      return this.#knows(request, nowMs) ? undefined : this.#take(request, nowMs);
    });
  }

  /** @inheritdoc */
  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    return this.#whenOpen((nowMs) => {
      const renamed = this.#underItsName(request, nowMs);
      if (renamed !== undefined) return renamed;
      const found = this.#heldBy(request, nowMs);
      if (!found.ok) return found;
      const { record, holder: old } = found.value;
      if (this.#keyBelongsToOther(request, old)) return refuseKeyInUse(spaceText(request));
      const version = this.#records.nextVersion();
      const holder = frozenHolder(request.holder, { ...(old ?? { id: String(version), sinceMs: nowMs }), nowMs });
      const holders =
        old === undefined ? [...record.holders, holder] : record.holders.map((each) => (each === old ? holder : each));
      const secret = request.secret ?? record.secret;
      const after = { ...record, ...(secret === undefined ? {} : { secret }), holders, version };
      return accept(this.#records.change(record, after, nowMs));
    });
  }

  /** @inheritdoc */
  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    return this.#whenOpen((nowMs) => {
      const found = this.#heldBy(request, nowMs);
      if (!found.ok) return found;
      const { record, holder: former } = found.value;
      const version = this.#records.nextVersion();
      const holders = record.holders.filter((each) => each !== former);
      if (holders.length > 0) {
        if (former !== undefined) this.#records.left.note(record, former, nowMs);
        return accept(this.#records.change(record, { ...record, holders, version }, nowMs));
      }
      const quarantine = former && pauseAfter(this.#records, { record, last: former, nowMs }, request);
      if (quarantine === undefined) {
        this.#records.end(record, nowMs);
        return accept(undefined);
      }
      const after = { ...record, state: 'quarantined', holders, quarantine, version } as const;
      return accept(this.#records.change(record, after, nowMs));
    });
  }

  /** @inheritdoc */
  async exchange(moves: readonly Move[]): Promise<Outcome<readonly AddressRecord[]>> {
    return this.#whenOpen((nowMs) => exchange(this.#records, moves, nowMs));
  }

  /** @inheritdoc */
  async get(place: Place): Promise<AddressRecord | undefined> {
    return this.#whenOpen((nowMs) => {
      const record = this.#records.at(place);
      return record !== undefined && isLiveAt(record, nowMs) ? record : undefined;
    });
  }

  /** @inheritdoc */
  async list(query: ClaimQuery): Promise<readonly AddressRecord[]> {
    return this.#whenOpen((nowMs) =>
      this.#records.index.find(query, nowMs).filter((record) => isLiveAt(record, nowMs)),
    );
  }

  /** @inheritdoc */
  async peek(request: TakeRequest): Promise<Outcome<readonly Place[]>> {
    return this.#whenOpen((nowMs) => {
      const renamed = this.#underItsName(request, nowMs);
      if (renamed !== undefined) return renamed;
      const plan = planTake(this.#records, request, nowMs);
      return plan.ok ? accept(plan.value.map((target) => placeOf(request.network, target))) : plan;
    });
  }

  /** @inheritdoc */
  watch(listener: (change: ClaimChange) => void): () => void {
    if (this.#closed) throw new IpamError('store/closed', 'the store was closed');
    return this.#records.listeners.add(listener);
  }

  /** @inheritdoc */
  async usage(spaces: readonly PoolSpace[]): Promise<readonly PoolUsage[]> {
    return this.#whenOpen((nowMs) => usageOf(this.#records.live(nowMs), spaces));
  }

  /** @inheritdoc */
  async tally(): Promise<readonly PoolTally[]> {
    return this.#whenOpen((nowMs) => this.#records.index.tally((record) => isLiveAt(record, nowMs)));
  }

  /** @inheritdoc */
  async page(filter: RecordFilter, page: RecordPage): Promise<readonly AddressRecord[]> {
    return this.#whenOpen((nowMs) => pageOf(this.#records.live(nowMs), filter, page));
  }

  /** @inheritdoc */
  async revision(): Promise<number> {
    return this.#whenOpen(() => this.#records.revision);
  }

  /** @inheritdoc */
  async history(
    of: Place,
    { limit, before = Infinity }: { readonly limit: number; readonly before?: number },
  ): Promise<readonly PastClaim[]> {
    return this.#whenOpen((nowMs) => {
      const past = this.#records.past.of(of, nowMs).filter(({ place }) => place < before);
      return past.slice(0, limit);
    });
  }

  /** @inheritdoc */
  async lastAddress(of: FormerHolder): Promise<Address | undefined> {
    return this.#whenOpen(() => this.#records.past.lastOf(of));
  }

  /** @inheritdoc */
  async prune({ endedForMs, ...old }: PruneRequest): Promise<number> {
    return this.#whenOpen((nowMs) => this.#records.past.prune(nowMs - endedForMs, old));
  }

  /** @inheritdoc */
  async reportCluster(report: { readonly cluster: string; readonly name: string }): Promise<undefined> {
    return this.#whenOpen((atMs) => {
      const { cluster, name } = report;
      if (this.#newNameOf(cluster, atMs) !== undefined) return undefined;
      const known = this.#reports.get(cluster);
      this.#reports.set(cluster, { name: name === '' ? (known?.name ?? '') : name, atMs });
      return undefined;
    });
  }

  /** @inheritdoc */
  async clusters(): Promise<readonly ClusterTally[]> {
    return this.#whenOpen(() => clustersOf(this.#records.index.everything(), this.#reports));
  }

  /** @inheritdoc */
  async keyFingerprint(candidate?: string): Promise<string> {
    return this.#whenOpen(() => {
      const { length } = this.#records.index.tally((record) => record.state === 'held');
      // no claim is held: no stored hash depends on the old key any more
      if (length === 0 && candidate !== undefined) this.#fingerprint = candidate;
      return this.#fingerprint;
    });
  }

  /** @inheritdoc */
  async replaceKeyFingerprint(before: string, after: string): Promise<boolean> {
    return this.#whenOpen(() => {
      if (this.#fingerprint !== before) return false;
      this.#fingerprint = after;
      return true;
    });
  }

  /** @inheritdoc */
  async renameCluster(rename: ClusterRename): Promise<Outcome<{ readonly claims: number }>> {
    return this.#whenOpen((nowMs) => {
      const { from, to } = rename;
      const countOf = (cluster: string): number => this.#records.index.find({ by: 'cluster', cluster }, nowMs).length;
      const others = countOf(to);
      const isDone = this.#notes.get(renamedNote(from)) === to && countOf(from) === 0;
      if (others > 0) return isDone ? accept({ claims: others }) : refuseKnownCluster(to, others);
      this.#notes.set(renamedNote(from), to).delete(renamedNote(to));
      const report = this.#reports.get(rename.from);
      if (report !== undefined) this.#reports.set(rename.to, report);
      this.#reports.delete(rename.from);
      this.#occupied.renameComplete(rename);
      return accept({ claims: renameAll(this.#records, rename, nowMs) });
    });
  }

  /** @inheritdoc */
  async keyUse(): Promise<readonly KeyUse[]> {
    return this.#whenOpen(() => keyUseOf(this.#records.index.everything()));
  }

  /** @inheritdoc */
  async note({ name, text, expected }: NoteRequest): Promise<string> {
    return this.#whenOpen(() => {
      const kept = this.#notes.get(name) ?? '';
      if (text === undefined || (expected !== undefined && expected !== kept)) return kept;
      this.#notes.set(name, text);
      return text;
    });
  }

  /** @inheritdoc */
  occupiedAddresses(): OccupiedAddresses {
    return this.#occupied;
  }

  /** @inheritdoc */
  outsideRows(): OutsideRows {
    return this.#outside;
  }

  /** @inheritdoc */
  async ping(): Promise<void> {
    return this.#whenOpen(() => undefined);
  }

  /** @inheritdoc */
  close(): Promise<void> {
    this.#closed = true;
    this.#records.listeners.clear();
    return Promise.resolve();
  }

  // Turns a throw into a rejection, and keeps callers from seeing half a change: nothing here waits.
  #whenOpen<V>(work: (nowMs: number) => V): Promise<V> {
    if (this.#closed) return Promise.reject(new IpamError('store/closed', 'the store was closed'));
    return Promise.resolve(work(this.#clock.nowMs()));
  }

  #take(request: TakeRequest, nowMs: number): Outcome<readonly Taken[]> {
    const plan = planTake(this.#records, request, nowMs);
    return plan.ok ? accept(plan.value.map((target) => this.#carryOut(request, target, nowMs))) : plan;
  }

  #newNameOf(cluster: string, nowMs: number): string | undefined {
    return followRenames(cluster, {
      note: (name) => this.#notes.get(name) ?? '',
      isKnown: (name) =>
        this.#reports.has(name) || this.#records.index.find({ by: 'cluster', cluster: name }, nowMs).length > 0,
    });
  }

  // Nothing new is put under a name that a cluster had before.
  #underItsName({ holder }: Pick<TakeRequest | BindRequest, 'holder'>, nowMs: number): Outcome<never> | undefined {
    const { cluster } = holder.owner;
    const name = this.#newNameOf(cluster, nowMs);
    return name === undefined ? undefined : refuseRenamed(cluster, name);
  }

  #knows({ unless, wants, network, holder: { owner } }: FirstTake, nowMs: number): boolean {
    const { index, past } = this.#records;
    const counts = (record: AddressRecord): boolean =>
      isLiveAt(record, nowMs) && wants.some(({ family }) => family === record.family);
    if (unless.some((query) => index.find(query, nowMs).some(counts))) return true;
    return owner.name !== '' && wants.some(({ family }) => past.lastOf({ network, family, owner }) !== undefined);
  }

  #carryOut(request: TakeRequest, target: Target, nowMs: number): Taken {
    if (target.known !== undefined) return { record: target.known, created: false };
    for (const record of target.over) this.#records.resume(record, nowMs);
    const { address, want } = target;
    const { network, pool, secret } = request;
    const { family, length = familyBits(family), key } = want;
    const version = this.#records.nextVersion();
    const keyed = { ...request.holder, ...(key === undefined ? {} : { key }) };
    const holder = frozenHolder(keyed, { id: String(version), sinceMs: nowMs, nowMs });
    const space = { network, address, length, pool, family, ...(secret === undefined ? {} : { secret }) };
    const record = { ...space, state: 'held', holders: [holder], version, takenAtMs: nowMs } as const;
    return { record: this.#records.create(record, nowMs), created: true };
  }

  // The held record, if it is the one that the caller decided on and still has the holder that the caller names.
  #heldBy(
    request: BindRequest | ReleaseRequest,
    nowMs: number,
  ): Outcome<{ record: AddressRecord; holder: Holder | undefined }> {
    const { version, holderId } = request;
    const text = spaceText(request);
    const record = this.#records.at(request);
    if (record === undefined || !isLiveAt(record, nowMs)) return refuseUnclaimed(text);
    if (record.version !== version) return refuseOutdated(text);
    const holder = record.holders.find((each) => each.id === holderId);
    const missing = holderId !== undefined && holder === undefined;
    if (record.state !== 'held' || missing) return refuseUnclaimed(text);
    return accept({ record, holder });
  }

  #keyBelongsToOther({ holder: { key } }: BindRequest, old: Holder | undefined): boolean {
    if (key === undefined) return false;
    const owner = this.#records.index.one(term.key(key))?.holders.find((each) => each.key === key);
    return owner !== undefined && owner.id !== old?.id;
  }
}
