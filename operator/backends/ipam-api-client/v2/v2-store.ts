import { randomUUID } from 'node:crypto';
import { familyBits } from '../../../addressing/address';
import { ChangeListeners } from '../../../claim-store/change-listeners';
import { claimTermOf } from '../../../claim-store/claim-terms';
import { isExpired } from '../../../claim-store/record-terms';
import { IpamError, isIpamError } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  Claims,
  Holder,
  Place,
  ReleaseRequest,
  Taken,
  TakeRequest,
} from '../../../ports/claims';
import type { Clock } from '../../../ports/clock';
import type { DisputedPlace, Disputes } from '../../../ports/disputes';
import type { IntentRows } from '../../../ports/intent-rows';
import type { Logger } from '../../../ports/logger';
import type { Meter } from '../../../ports/meter';
import type { Store } from '../../../ports/store';
import { IntentCounts } from './v2-counts';
import { CheckRounds } from './v2-check-rounds';
import type { V2Calls } from './v2-call';
import { bind, release } from './v2-change';
import type { RememberingHasher } from './v2-hasher';
import { addressRow, type Intent } from './v2-intent';
import type { RemoteContext } from './v2-line';
import { endLostAsks, Outbox } from './v2-outbox';
import { IntentTable, term, type Known } from './v2-table';
import { take } from './v2-take';
import { byPlace } from '../../../addressing/place';

/** Parts of {@link RemoteClaimStore}. */
export interface RemoteStoreProps {
  readonly rows: IntentRows;
  readonly calls: V2Calls;
  /** The one that the ledger hashes with, since version 2 wants the secrets themselves. */
  readonly hasher: RememberingHasher;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  /** Milliseconds for one call; below the deadline of an admission. */
  readonly budgetMs: number;
}

/**
 * The claims of one cluster at an IPAM-API of version 2. Each change is written to the intent rows, then told to the IPAM-API, then
 * written as done; what the ledger sees is what both agree on. Which address is free, and which are held elsewhere, the IPAM-API alone
 * knows: it chooses, and it proves uniqueness, so there is no `peek`. Quarantines and retentions are kept there, too.
 *
 * Safe for parallel calls and for several processes on the same rows.
 */
export class RemoteClaimStore extends IntentCounts implements Claims, Store, Disputes {
  readonly #context: RemoteContext;
  readonly #outbox: Outbox;
  readonly #rounds: CheckRounds;
  readonly #listeners = new ChangeListeners();
  #closed = false;

  /**
   * Begins to follow the rows, and to tell the IPAM-API what an earlier process left untold.
   *
   * @param props - rows, calls, tools; the rows are closed with the store
   */
  constructor(props: RemoteStoreProps) {
    super(new IntentTable(props.rows, props.hasher));
    const suspect = (id?: string): void => {
      this.#rounds.suspect(id);
    };
    this.table.onChange((_id, before, after) => {
      tellChange(this.#listeners, before, after);
    });
    this.#context = { ...props, table: this.table, process: randomUUID(), suspect };
    this.#outbox = new Outbox(this.#context);
    this.#rounds = new CheckRounds({ context: this.#context, outbox: this.#outbox, random: Math.random });
  }

  /** @inheritdoc */
  async take(request: TakeRequest): Promise<Outcome<readonly Taken[]>> {
    this.#requireOpen();
    const taken = await take(this.#context, request, (made) => this.#giveBack(made));
    if (!taken.ok) this.#kickWork();
    return taken;
  }

  /** @inheritdoc */
  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    this.#requireOpen();
    try {
      return await bind(this.#context, request);
    } finally {
      // after a failure too: what the call left in doubt is settled soon
      this.#outbox.kick(addressRow(request.network, request.address));
    }
  }

  /** @inheritdoc */
  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    this.#requireOpen();
    const released = await release(this.#context, request);
    if (released.ok) this.#outbox.kick(addressRow(request.network, request.address));
    return released;
  }

  /** @inheritdoc */
  async get({ network, address, length = familyBits(address.family) }: Place): Promise<AddressRecord | undefined> {
    return this.#whenOpen(() => {
      const record = this.table.get(addressRow(network, address))?.record;
      return record?.length === length ? record : undefined;
    });
  }

  /** @inheritdoc */
  async list(query: ClaimQuery): Promise<readonly AddressRecord[]> {
    return this.#whenOpen(() => {
      const records = this.table
        .all(claimTermOf(query))
        .flatMap(({ record }) => (record === undefined ? [] : [record]));
      return records
        .filter(({ holders }) => holders.some((each) => isAsked(each, query, this.#context.clock.nowMs())))
        .sort(byPlace);
    });
  }

  /** @inheritdoc */
  async ping(): Promise<void> {
    await this.#whenOpen(() => {
      const problem = this.#context.rows.problem();
      if (problem !== undefined) throw new IpamError('store/unavailable', problem);
    });
  }

  /** @inheritdoc */
  watch(listener: (change: ClaimChange) => void): () => void {
    this.#requireOpen();
    return this.#listeners.add(listener);
  }

  /**
   * Ends what was asked for and whose answer was lost, once its lease is over.
   *
   * @param startedMs - when the complete list of Services began that is swept by
   * @returns how many rows were given back or dropped
   */
  async sweepLostAsks(startedMs: number): Promise<number> {
    this.#requireOpen();
    try {
      const ids = await endLostAsks(this.#context, startedMs);
      for (const id of ids) this.#outbox.kick(id);
      return ids.length;
    } catch (thrown) {
      if (!isIpamError(thrown)) throw thrown;
      this.#context.logger.warn('answers that were lost cannot be settled yet', { code: thrown.code });
      return 0;
    }
  }

  /**
   * Begins to check whether the IPAM-API still knows what this cluster has; one process of a cluster is enough.
   *
   * @param everyMs - milliseconds in which each address is checked once, where a call in a second is enough for that
   * @returns the function that ends it
   */
  check(everyMs: number): () => Promise<void> {
    this.#requireOpen();
    return this.#rounds.start(everyMs);
  }

  /** @inheritdoc */
  over({ network, address }: DisputedPlace): Intent['disputed'] {
    return this.table.get(addressRow(network, address))?.intent.disputed;
  }

  /** @inheritdoc */
  known(): boolean {
    return true;
  }

  /** @inheritdoc */
  onChange(listener: (place: DisputedPlace) => void): () => void {
    return this.table.onChange((_id, before, after) => {
      if (disputeOf(before) === disputeOf(after)) return;
      const { network, address } = (after ?? before)?.intent ?? {};
      if (network !== undefined && address !== undefined) listener({ network, address });
    });
  }

  /** @inheritdoc */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listeners.clear();
    await this.#outbox.close();
    this.table.close();
    await this.#context.rows.close();
  }

  async #giveBack({ record }: Taken): Promise<void> {
    const { network, address, version, holders } = record;
    const holderId = holders.at(-1)?.id;
    if (holderId !== undefined) await this.release({ network, address, version, holderId });
  }

  // A refused address that does not fit goes back at once.
  #kickWork(): void {
    for (const { intent } of this.table.all(term.work)) if (intent.id.startsWith('q.')) this.#outbox.kick(intent.id);
  }

  #requireOpen(): void {
    if (this.#closed) throw new IpamError('store/closed', 'the store was closed');
  }

  // Turns a throw into a rejection.
  #whenOpen<V>(work: () => V): Promise<V> {
    return new Promise((resolve) => {
      this.#requireOpen();
      resolve(work());
    });
  }
}

// The row was found by any of its holders; the record shows only those that the IPAM-API confirmed.
function isAsked(holder: Holder, query: ClaimQuery, nowMs: number): boolean {
  switch (query.by) {
    case 'owner':
      return term.owner(holder.owner) === term.owner(query.owner);
    case 'name':
      return isNamed(holder, query);
    case 'uid':
      return holder.owner.uid === query.uid;
    case 'key':
      return holder.key === query.key;
    case 'pool':
      return true;
    case 'cluster':
      return holder.owner.cluster === query.cluster;
    case 'expired':
      return isExpired(holder, query, nowMs);
  }
}

function isNamed({ owner }: Holder, query: Extract<ClaimQuery, { by: 'name' }>): boolean {
  return term.name(owner.cluster, owner.namespace, owner.name) === claimTermOf(query);
}

function disputeOf(known: Known | undefined): string | undefined {
  return known?.intent.disputed?.message;
}

function tellChange(listeners: ChangeListeners, before: Known | undefined, after: Known | undefined): void {
  const [was, is] = [before?.record, after?.record];
  if (is !== undefined) listeners.tellOf(was === undefined ? 'taken' : 'changed', is);
  else if (was !== undefined) listeners.tellOf('freed', was);
}
