import { ChangeListeners } from '../../claim-store/change-listeners';
import { MAX_WRITES } from '../../contract/kinds/address-table';
import { IpamError } from '../../errors/ipam-error';
import type { Outcome } from '../../errors/outcome';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  Claims,
  Place,
  ReleaseRequest,
  Taken,
  TakeRequest,
} from '../../ports/claims';
import type { Clock } from '../../ports/clock';
import type { KnownClaims } from '../../ports/known-claims';
import type { NetworkTables } from '../../ports/network-tables';
import type { VersionedFeed } from '../../ports/object-feed';
import type { ObjectWriter } from '../../ports/object-writer';
import type { Store } from '../../ports/store';
import { ClaimCarrier } from './carry-out';
import type { ClaimCodec } from './claim-codec';
import { ClaimIndex } from './claim-index';
import type { ClaimVerb } from './claim-verb';
import { TableCommit } from './commit-by-table';
import { commitDirectly, type CommitParts } from './commit-direct';
import { bindVerb, releaseVerb } from './decide-change';
import { takeVerb } from './decide-take';
import { EndedSweep } from './delete-ended';
import { feedReached } from './feed-reached';
import { knownClaims } from './known-claims';
import { networkTables, type NetworkTablesParts } from './network-tables';
import { ServerTime } from './server-time';
import { VerbQueue, type Job } from './verb-queue';
import { isLiveAt } from '../../claim-store/record-terms';

/** Objects of one kind: their watch, and uncached reads and writes. */
export interface WatchedKind {
  readonly feed: VersionedFeed;
  readonly writer: ObjectWriter;
}

/** How claims as cluster objects are opened. */
export interface ClaimObjectsOptions {
  /** The kind of the claims. */
  readonly codec: ClaimCodec;
  readonly claims: WatchedKind;
  /** AddressTables; may be left out where no network is nested. */
  readonly tables?: WatchedKind;
  /**
   * Options of a network. `nested: false`: its claims are single addresses, or prefixes that never overlap under different names. Then the
   * names of the objects are the only lock and there is no table: a take costs one write in place of three, and two
   * processes that take under one key at the same time both get a space.
   */
  readonly network: (name: string) => { readonly nested: boolean };
  /** Own clock, for pauses; moments that are stored come from the API server's clock. */
  readonly clock: Clock;
  /** Name of this process, which no other process ever has: a restarted one has a new name. */
  readonly writer: string;
  /**
   * Milliseconds after which decisions that another process left behind are carried out in its place. Longer than its calls of the API
   * server may take.
   *
   * @default 30000
   */
  readonly takeOverAfterMs?: number;
  /**
   * From 0 to 1, spreads the pauses before a table is written again that another process wrote.
   *
   * @default Math.random
   */
  readonly random?: () => number;
}

const TAKE_OVER_MS = 30_000;
/** After this part of that time, decisions of this process that could not be carried out are tried again. */
const RETRY_SHARE = 3;

/** Claims as objects of the cluster, from their opening to their end. */
export type ClaimObjectStore = Claims &
  Pick<Store, 'close'> & {
    /** Claims that this process knows without asking; `list` waits for calls that are under way. */
    readonly known: KnownClaims;
  };

/**
 * Opens claims that are cluster objects, one for each space, under a name that only this space has. Waits for the first lists of both
 * watches, and carries out what another process decided and left behind.
 *
 * Every verb but `list` and `watch` rests on uncached reads and compare-and-swap writes; `list` sees the own writes at once, and those of
 * other processes as soon as the watch tells them. Expiry moments come from the API server's clock, to the second. A claim has at
 * most as many holders as its kind can name; one more is refused with `address/held`, and a secret with `claim/invalid`. Claims about which
 * another process decides at the moment are refused with `store/conflict`. Limits of a take are exact within a network that has a table.
 *
 * @param options - kinds, networks and tools
 * @returns the claims; with AddressTables, the table of a nested network can be decided about
 * @throws IpamError `cluster/unavailable` when a watch is closed before its first list
 */
export async function openClaimObjects(
  options: ClaimObjectsOptions & { readonly tables: WatchedKind },
): Promise<ClaimObjectStore & NetworkTables>;
export async function openClaimObjects(options: ClaimObjectsOptions): Promise<ClaimObjectStore>;
export async function openClaimObjects(options: ClaimObjectsOptions): Promise<ClaimObjectStore> {
  const { claims, tables } = options;
  await Promise.all([claims.feed.whenSynced(), tables?.feed.whenSynced()]);
  const store = new ClaimObjects(options);
  await store.lookAfter();
  return store;
}

/** How the calls of one network are committed. */
interface NetworkCommit {
  readonly commit: (jobs: readonly Job[]) => Promise<readonly Job[]>;
  /** Tells whether nothing has to be remembered for the next commit. */
  readonly settled: () => boolean;
}

/** The claims of {@link openClaimObjects}. */
class ClaimObjects implements ClaimObjectStore {
  readonly known: KnownClaims;
  /** Absent without AddressTables. */
  readonly decide?: NetworkTables['decide'];
  /** Absent without AddressTables. */
  readonly look?: NetworkTables['look'];
  /** Absent without AddressTables. */
  readonly page?: NetworkTables['page'];
  readonly #options: ClaimObjectsOptions;
  readonly #listeners = new ChangeListeners();
  readonly #index: ClaimIndex;
  readonly #parts: CommitParts;
  readonly #queues = new Map<string, VerbQueue>();
  readonly #stopFollowing: () => void;
  readonly #timers = new Map<string, { readonly atMs: number; readonly cancel: () => void }>();
  #closing: Promise<void> | undefined;

  constructor(options: ClaimObjectsOptions) {
    const { codec, claims, clock, random = Math.random } = options;
    this.#options = options;
    this.#index = new ClaimIndex(codec, (before, after) => {
      tellChange(this.#listeners, before, after);
    });
    this.known = knownClaims(this.#index, (place) => codec.nameOf(place));
    const time = new ServerTime(clock, () => claims.writer.read({ namespace: '', name: 'time' }));
    const carrier = new ClaimCarrier({ codec, index: this.#index, writer: claims.writer, time });
    this.#parts = { codec, index: this.#index, carrier, time };
    if (options.tables !== undefined) {
      const run: NetworkTablesParts['run'] = (network, verb) => this.#runNested(network, verb);
      const tables = networkTables({ ...this.#parts, clock, random, run });
      this.decide = (network, decide) => tables.decide(network, decide);
      this.look = (network, read) => tables.look(network, read);
      this.page = (network, page) => tables.page(network, page);
    }
    this.#stopFollowing = claims.feed.onChange((change) => {
      this.#index.follow(change);
    });
  }

  /** Carries out what is left behind in the tables, and begins to look after quarantines. */
  async lookAfter(): Promise<void> {
    const { tables, network: optionsOf } = this.#options;
    const withTable = (tables?.feed.list() ?? []).map(networkOf).filter((network) => optionsOf(network).nested);
    const networks = new Set([...withTable, ...this.#index.quarantinedNetworks()]);
    // a table that cannot be looked after now is looked after later, or before its next decision
    await Promise.allSettled([...networks].map((network) => this.#look(network)));
  }

  /** @inheritdoc */
  take(request: TakeRequest): Promise<Outcome<readonly Taken[]>> {
    return this.#run(request.network, takeVerb(this.#options.codec, request));
  }

  /** @inheritdoc */
  bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    return this.#run(request.network, bindVerb(this.#options.codec, request));
  }

  /** @inheritdoc */
  release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    return this.#run(request.network, releaseVerb(this.#options.codec, request));
  }

  /** @inheritdoc */
  async get(place: Place): Promise<AddressRecord | undefined> {
    this.#requireOpen();
    const { carrier, codec, time } = this.#parts;
    const object = await carrier.refresh(codec.nameOf(place));
    const record = object === undefined ? undefined : codec.read(object);
    return record !== undefined && isLiveAt(record, await time.now()) ? record : undefined;
  }

  /** @inheritdoc */
  async list(query: ClaimQuery): Promise<readonly AddressRecord[]> {
    this.#requireOpen();
    await Promise.all([...this.#queues.values()].map((queue) => queue.answered()));
    const nowMs = await this.#parts.time.now();
    return this.#index.find(query, nowMs).filter((record) => isLiveAt(record, nowMs));
  }

  /** @inheritdoc */
  watch(listener: (change: ClaimChange) => void): () => void {
    this.#requireOpen();
    return this.#listeners.add(listener);
  }

  /** @inheritdoc */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #runNested<V>(network: string, verb: ClaimVerb<V>): Promise<Outcome<V>> {
    if (!this.#options.network(network).nested) throw new IpamError('internal', `network "${network}" has no table`);
    return this.#run(network, verb);
  }

  async #end(): Promise<void> {
    for (const { cancel } of this.#timers.values()) cancel();
    await Promise.all([...this.#queues.values()].map((queue) => queue.drained()));
    this.#stopFollowing();
    this.#listeners.clear();
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new IpamError('store/closed', 'the store was closed');
  }

  async #run<V>(network: string, verb: ClaimVerb<V>): Promise<Outcome<V>> {
    this.#requireOpen();
    return this.#queueOf(network).run(verb);
  }

  #queueOf(network: string): VerbQueue {
    const known = this.#queues.get(network);
    if (known !== undefined) return known;
    const { commit, settled } = this.#swept(network);
    const queue = new VerbQueue(commit, () => {
      // a network that was only asked about, or is empty again, leaves nothing behind
      if (settled() && !this.#index.has(network)) this.#queues.delete(network);
    });
    this.#queues.set(network, queue);
    return queue;
  }

  // Commits of a network, after each of which its quarantines are looked after.
  #swept(network: string): NetworkCommit {
    const isNested = this.#options.network(network).nested;
    const sweep = new EndedSweep({
      network,
      index: this.#index,
      // without a table the deletes of one decision are not one
      round: isNested ? { decisions: 1, deletes: MAX_WRITES } : { decisions: MAX_WRITES, deletes: 1 },
      later: (ms) => {
        this.#lookLater(network, ms);
      },
    });
    const { commit, settled } = isNested
      ? this.#tableCommit(network, sweep)
      : { commit: commitDirectly(this.#parts, sweep), settled: () => true };
    return {
      commit: (jobs) =>
        commit(jobs).finally(() => {
          if (!this.#timers.has(network)) sweep.askLater();
        }),
      settled,
    };
  }

  #tableCommit(network: string, sweep: EndedSweep): NetworkCommit {
    const { tables, claims, clock, writer, takeOverAfterMs = TAKE_OVER_MS, random = Math.random } = this.#options;
    if (tables === undefined)
      throw new IpamError('internal', `network "${network}" is nested, but AddressTables are not open`);
    const commit = new TableCommit({
      ...this.#parts,
      network,
      clock,
      writer,
      takeOverAfterMs,
      random,
      sweep,
      tables: tables.writer,
      caughtUp: (version) => feedReached(claims.feed, version, clock),
      later: (ms = takeOverAfterMs / RETRY_SHARE) => {
        this.#lookLater(network, ms);
      },
    });
    const orLater: NetworkCommit['commit'] = async (jobs) => {
      try {
        return await commit.commit(jobs);
      } catch (thrown) {
        // a write of the table may have succeeded although its answer was lost
        this.#lookLater(network, takeOverAfterMs / RETRY_SHARE);
        throw thrown;
      }
    };
    return { commit: orLater, settled: () => commit.settled };
  }

  // The earliest of the moments that were asked for: each look asks for the next one.
  #lookLater(network: string, ms: number): void {
    const { clock } = this.#options;
    const atMs = clock.nowMs() + ms;
    const known = this.#timers.get(network);
    if (this.#closing !== undefined || (known !== undefined && known.atMs <= atMs)) return;
    known?.cancel();
    const cancel = clock.after(ms, () => {
      this.#timers.delete(network);
      // a commit that fails sets the timer again
      this.#look(network).catch(() => undefined);
    });
    this.#timers.set(network, { atMs, cancel });
  }

  // A call that decides nothing, before which the table is tidied and behind which quarantines that are over are deleted.
  async #look(network: string): Promise<void> {
    await this.#queueOf(network).run({ decide: () => ({ as: 'answer', value: undefined }) });
  }
}

function networkOf(table: Readonly<Record<string, unknown>>): string {
  return (table['metadata'] as { readonly name: string }).name;
}

function tellChange(
  listeners: ChangeListeners,
  before: AddressRecord | undefined,
  after: AddressRecord | undefined,
): void {
  if (after === undefined) {
    if (before !== undefined) listeners.tellOf('freed', before);
  } else if (before === undefined) listeners.tellOf('taken', after);
  else if (before.state === 'quarantined' && after.state === 'held') {
    // the space was free in between unless the former holder returned before the end
    if ((before.quarantine?.untilMs ?? 0) <= after.takenAtMs) listeners.tellOf('freed', before);
    listeners.tellOf('taken', after);
  } else listeners.tellOf('changed', after);
}
