import type { Address } from '../../addressing/address';
import { IpamError } from '../../errors/ipam-error';
import { accept, type Outcome } from '../../errors/outcome';
import {
  refuseExhausted,
  refuseHeld,
  refuseKeyInUse,
  refuseOutdated,
  refuseQuarantined,
  refuseUnclaimed,
  type NamedHolder,
} from '../../errors/store-refusals';
import type {
  ClusterTally,
  FormerHolder,
  KeyUse,
  PastClaim,
  RecordFilter,
  RecordPage,
  UsageTally,
  ZoneSpace,
} from '../../ports/claim-archive';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  ClaimStore,
  Holder,
  ReleaseRequest,
  Taken,
  TakeRequest,
  ZoneTally,
} from '../../ports/claim-store';
import type { OutsideRows, OutsideRowsHost } from '../../ports/outside-rows';
import { ClaimHistory } from './claim-history';
import { FreeAddresses } from './free-addresses';
import { frozenHolder, frozenRecord } from './frozen-record';
import { MemoryOutsideRows } from './memory-outside-rows';
import { RecordIndex, term } from './record-index';
import { overLimit } from './take-limits';
import { clustersOf, keyUseOf, pageOf, usageOf, type ClusterReport } from './record-views';

function isLiveAt(record: AddressRecord, nowMs: number): boolean {
  return record.quarantine === undefined || record.quarantine.untilMs > nowMs;
}

function nameOf({ service, namespace }: Holder): NamedHolder {
  return { ...service, namespace };
}

/**
 * Claims in plain maps: the reference of the port, for tests, the demo and dry runs. Nothing is durable.
 *
 * Safe for parallel calls: each verb runs in one piece. After `close()` every call throws `store/closed`.
 */
export class MemoryClaimStore implements ClaimStore, OutsideRowsHost {
  private readonly records = new RecordIndex();
  private readonly free = new FreeAddresses();
  private readonly past = new ClaimHistory();
  private readonly reports = new Map<string, ClusterReport>();
  private readonly listeners = new Set<(change: ClaimChange) => void>();
  /** Counts changes; the version of a record is the count at its newest change, so no version ever comes back. */
  private changes = 0;
  private fingerprint = '';
  private readonly notes = new Map<string, string>();
  private readonly outside = new MemoryOutsideRows(() => {
    if (this.closed) throw new IpamError('store/closed', 'the store was closed');
  });
  private closed = false;

  /** @inheritdoc */
  async take(request: TakeRequest): Promise<Outcome<Taken>> {
    return this.whenOpen(() => {
      const { key } = request.holder;
      const same = key === undefined ? undefined : this.records.one(term.key(key));
      if (same !== undefined) return accept({ record: same, created: false });
      const refusal = overLimit(this.records, request);
      if (refusal !== undefined) return refusal;
      const { address } = request;
      const target = address === undefined ? this.lowest(request, 'takeLowest') : this.named(request, address);
      return target.ok ? accept({ record: this.create(request, target.value), created: true }) : target;
    });
  }

  /** @inheritdoc */
  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    return this.whenOpen(() => {
      const found = this.heldBy(request);
      if (!found.ok) return found;
      const { record, holder: old } = found.value;
      if (this.keyBelongsToOther(request, old)) return refuseKeyInUse(request.address.toString());
      const version = ++this.changes;
      const identity = old ?? { id: String(version), sinceMs: request.nowMs };
      const holder = frozenHolder(request.holder, identity);
      const holders =
        old === undefined ? [...record.holders, holder] : record.holders.map((each) => (each === old ? holder : each));
      const secret = request.secret ?? record.secret;
      return accept(this.change(record, { ...record, secret, holders, version }, request.nowMs));
    });
  }

  /** @inheritdoc */
  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    return this.whenOpen(() => {
      const found = this.heldBy(request);
      if (!found.ok) return found;
      const { record, holder: former } = found.value;
      const version = ++this.changes;
      const holders = record.holders.filter((each) => each !== former);
      if (holders.length > 0) return accept(this.change(record, { ...record, holders, version }, request.nowMs));
      const untilMs = request.quarantineUntilMs ?? 0;
      if (untilMs <= request.nowMs || former === undefined) {
        this.end(record, request.nowMs);
        return accept(undefined);
      }
      const quarantine = { untilMs, former };
      const after = { ...record, state: 'quarantined', holders, quarantine, version } as const;
      return accept(this.change(record, after, request.nowMs));
    });
  }

  /** @inheritdoc */
  async get(network: string, address: Address, nowMs: number): Promise<AddressRecord | undefined> {
    return this.whenOpen(() => {
      const record = this.records.one(term.address(network, address));
      return record !== undefined && isLiveAt(record, nowMs) ? record : undefined;
    });
  }

  /** @inheritdoc */
  async list(query: ClaimQuery, nowMs: number): Promise<readonly AddressRecord[]> {
    return this.whenOpen(() => this.records.find(query).filter((record) => isLiveAt(record, nowMs)));
  }

  /** @inheritdoc */
  async revision(): Promise<number> {
    return this.whenOpen(() => this.changes);
  }

  /** @inheritdoc */
  async tally(nowMs: number): Promise<readonly ZoneTally[]> {
    return this.whenOpen(() => this.records.tally((record) => isLiveAt(record, nowMs)));
  }

  /** @inheritdoc */
  async usage(spaces: readonly ZoneSpace[], nowMs: number): Promise<readonly UsageTally[]> {
    return this.whenOpen(() => usageOf(this.live(nowMs), spaces));
  }

  /** @inheritdoc */
  async page(filter: RecordFilter, page: RecordPage, nowMs: number): Promise<readonly AddressRecord[]> {
    return this.whenOpen(() => pageOf(this.live(nowMs), filter, page));
  }

  /** @inheritdoc */
  async history(
    { network, address }: { readonly network: string; readonly address: Address },
    { limit, before = Infinity }: { readonly limit: number; readonly before?: number },
    nowMs: number,
  ): Promise<readonly PastClaim[]> {
    const past = (): readonly PastClaim[] => this.past.of(network, address, nowMs);
    return this.whenOpen(() =>
      past()
        .filter(({ place }) => place < before)
        .slice(0, limit),
    );
  }

  /** @inheritdoc */
  async lastAddress(of: FormerHolder): Promise<Address | undefined> {
    return this.whenOpen(() => this.past.lastOf(of));
  }

  /** @inheritdoc */
  async peek(request: TakeRequest): Promise<Outcome<Address>> {
    return this.whenOpen(() => {
      const { key } = request.holder;
      const same = key === undefined ? undefined : this.records.one(term.key(key));
      if (same !== undefined) return accept(same.address);
      const refusal = overLimit(this.records, request);
      if (refusal !== undefined) return refusal;
      const { address } = request;
      return address === undefined
        ? this.lowest(request, 'lowest')
        : (this.inTheWay(request, address) ?? accept(address));
    });
  }

  /** @inheritdoc */
  async reportCluster(report: { readonly clusterUid: string } & ClusterReport): Promise<undefined> {
    return this.whenOpen(() => {
      const { clusterUid, name, atMs } = report;
      const known = this.reports.get(clusterUid);
      this.reports.set(clusterUid, { name: name === '' ? (known?.name ?? '') : name, atMs });
      return undefined;
    });
  }

  /** @inheritdoc */
  async clusters(): Promise<readonly ClusterTally[]> {
    return this.whenOpen(() => clustersOf(this.records.everything(), this.reports));
  }

  /** @inheritdoc */
  async prune(old: { readonly endedBeforeMs: number; readonly limit: number }): Promise<number> {
    return this.whenOpen(() => this.past.prune(old.endedBeforeMs, old.limit));
  }

  /** @inheritdoc */
  async keyUse(): Promise<readonly KeyUse[]> {
    return this.whenOpen(() => keyUseOf(this.records.everything()));
  }

  /** @inheritdoc */
  async replaceKeyFingerprint(before: string, after: string): Promise<boolean> {
    return this.whenOpen(() => {
      if (this.fingerprint !== before) return false;
      this.fingerprint = after;
      return true;
    });
  }

  /** @inheritdoc */
  async note({ name, text }: { readonly name: string; readonly text?: string }): Promise<string> {
    return this.whenOpen(() => (text === undefined ? this.notes : this.notes.set(name, text)).get(name) ?? '');
  }

  /** @inheritdoc */
  outsideRows(): OutsideRows {
    return this.outside;
  }

  /** @inheritdoc */
  watch(listener: (change: ClaimChange) => void): () => void {
    if (this.closed) throw new IpamError('store/closed', 'the store was closed');
    // an own entry: one function may be registered twice and stopped once
    const entry = (change: ClaimChange): void => {
      listener(change);
    };
    this.listeners.add(entry);
    return () => {
      this.listeners.delete(entry);
    };
  }

  /** @inheritdoc */
  async keyFingerprint(candidate?: string): Promise<string> {
    return this.whenOpen(() => {
      const { length } = this.records.tally((record) => record.state === 'held');
      // nobody holds anything: no stored hash depends on the old key any more
      if (length === 0 && candidate !== undefined) this.fingerprint = candidate;
      return this.fingerprint;
    });
  }

  /** @inheritdoc */
  async ping(): Promise<void> {
    return this.whenOpen(() => undefined);
  }

  /** @inheritdoc */
  close(): Promise<void> {
    this.closed = true;
    this.listeners.clear();
    return Promise.resolve();
  }

  // Turns a throw into a rejection, and keeps callers from seeing half a change: nothing here waits.
  private whenOpen<V>(work: () => V): Promise<V> {
    if (this.closed) return Promise.reject(new IpamError('store/closed', 'the store was closed'));
    return Promise.resolve(work());
  }

  private live(nowMs: number): readonly AddressRecord[] {
    return this.records.everything().filter((record) => isLiveAt(record, nowMs));
  }

  private named(request: TakeRequest, address: Address): Outcome<Address> {
    const refusal = this.inTheWay(request, address);
    if (refusal !== undefined) return refusal;
    const record = this.records.one(term.address(request.network, address));
    if (record === undefined) return accept(address);
    if (!isLiveAt(record, request.nowMs)) this.end(record, request.nowMs);
    else this.replace(record, undefined, request.nowMs);
    return accept(address);
  }

  // Who has the address, unless its quarantine is over or may be ended by the caller.
  private inTheWay(request: TakeRequest, address: Address): Outcome<never> | undefined {
    const record = this.records.one(term.address(request.network, address));
    if (record === undefined) return undefined;
    const text = address.toString();
    const { quarantine, holders } = record;
    if (quarantine === undefined) return refuseHeld(text, nameOf(holders[0] as Holder));
    const waitMs = quarantine.untilMs - request.nowMs;
    if (waitMs <= 0 || request.returningOver === record.version) return undefined;
    const end = { at: new Date(quarantine.untilMs).toISOString(), seconds: Math.ceil(waitMs / 1000) };
    return refuseQuarantined(text, nameOf(quarantine.former), end);
  }

  private lowest(request: TakeRequest, how: 'takeLowest' | 'lowest'): Outcome<Address> {
    const { network, zone, family, nowMs } = request;
    const quarantined = this.records.all(term.quarantined(network));
    for (const record of quarantined) if (!isLiveAt(record, nowMs)) this.end(record, nowMs);
    const isLive = (address: Address): boolean => this.records.one(term.address(network, address)) !== undefined;
    const address = this.free[how](request, isLive);
    if (address !== undefined) return accept(address);
    const waiting = quarantined.filter(
      (record) => record.zone === zone && record.family === family && isLiveAt(record, nowMs),
    );
    const ends = waiting.map((record) => record.quarantine?.untilMs ?? 0);
    const firstFreeAt = ends.length === 0 ? {} : firstFree(Math.min(...ends), nowMs);
    return refuseExhausted({ zone, family, quarantined: waiting.length, ...firstFreeAt });
  }

  private create(request: TakeRequest, address: Address): AddressRecord {
    const { network, zone, secret, nowMs } = request;
    const version = ++this.changes;
    const holders = [frozenHolder(request.holder, { id: String(version), sinceMs: nowMs })];
    const { family } = address;
    const record = frozenRecord({
      network,
      address,
      zone,
      family,
      secret,
      state: 'held',
      holders,
      version,
      takenAtMs: nowMs,
    });
    this.replace(undefined, record, nowMs);
    this.tell('taken', record);
    return record;
  }

  private change(before: AddressRecord, after: AddressRecord, nowMs: number): AddressRecord {
    const record = frozenRecord(after);
    this.replace(before, record, nowMs);
    this.tell('changed', record);
    return record;
  }

  private replace(before: AddressRecord | undefined, after: AddressRecord | undefined, nowMs: number): void {
    this.records.replace(before, after);
    this.past.note(before, after, nowMs);
  }

  private end(record: AddressRecord, nowMs: number): void {
    this.replace(record, undefined, Math.min(nowMs, record.quarantine?.untilMs ?? nowMs));
    this.free.freed(record);
    this.tell('freed', record);
  }

  // The held record, if it is the one that the caller decided on and still has the holder that the caller names.
  private heldBy(
    request: BindRequest | ReleaseRequest,
  ): Outcome<{ record: AddressRecord; holder: Holder | undefined }> {
    const { network, address, version, holderId, nowMs } = request;
    const record = this.records.one(term.address(network, address));
    if (record === undefined || !isLiveAt(record, nowMs)) return refuseUnclaimed(address.toString());
    if (record.version !== version) return refuseOutdated(address.toString());
    const holder = record.holders.find((each) => each.id === holderId);
    const missing = holderId !== undefined && holder === undefined;
    if (record.state === 'quarantined' || missing) return refuseUnclaimed(address.toString());
    return accept({ record, holder });
  }

  private keyBelongsToOther({ holder: { key } }: BindRequest, old: Holder | undefined): boolean {
    if (key === undefined) return false;
    const owner = this.records.one(term.key(key))?.holders.find((each) => each.key === key);
    return owner !== undefined && owner.id !== old?.id;
  }

  private tell(kind: ClaimChange['kind'], { network, zone, address }: AddressRecord): void {
    for (const listener of this.listeners) {
      try {
        listener({ kind, network, zone, address });
      } catch (error) {
        // a watcher's fault must not undo half of a verb
        process.emitWarning(`a watcher of the claim store threw: ${String(error)}`);
      }
    }
  }
}

function firstFree(atMs: number, nowMs: number): { readonly firstFreeAt: string; readonly firstFreeInSeconds: number } {
  return { firstFreeAt: new Date(atMs).toISOString(), firstFreeInSeconds: Math.ceil((atMs - nowMs) / 1000) };
}
