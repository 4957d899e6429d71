import type { TableDecision } from '../../contract/kinds/address-table';
import { IpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import type { ObjectWriter } from '../../ports/object-writer';
import type { CarriedOut } from './carry-out';
import { ClaimView } from './claim-view';
import { refreshAll, type CommitParts } from './commit-direct';
import { decideBatch, type Planned } from './decide-batch';
import { fittingDecisions, tooLarge } from './decision-size';
import type { EndedSweep } from './delete-ended';
import { again, afterCarryOut } from './finish-job';
import { readTable, tableObject, tableWrite, writesOf, type StoredTable } from './stored-table';
import type { Job } from './verb-queue';
import { writePause } from './write-pause';

/** Parts of a {@link TableCommit}. */
export interface TableParts extends CommitParts {
  readonly network: string;
  readonly tables: ObjectWriter;
  /** Waits until the watch of claims has told everything up to a version. */
  readonly caughtUp: (version: number) => Promise<void>;
  readonly clock: Clock;
  /** Name of this process, which no other process ever has. */
  readonly writer: string;
  /** Age at which another process carries a decision out in place of its writer. */
  readonly takeOverAfterMs: number;
  /** From 0 to 1, for pauses. */
  readonly random: () => number;
  /** Asks for a commit later, in order to look after decisions that are left; after a pause where no time is given. */
  readonly later: (ms?: number) => void;
  /** Deletes quarantines that are over. */
  readonly sweep: EndedSweep;
}

/** A table, and when it was read. */
interface Read {
  readonly table: StoredTable;
  readonly serverMs: number;
  readonly ownMs: number;
}

/** How a decision ended, or why that is not known. */
interface Ended {
  readonly ended?: CarriedOut;
  readonly thrown?: unknown;
}

/** A writer goes on for this part of the time after which others take over; the rest is for calls that are under way. */
const WRITER_SHARE = 3;
const SETTLE_TRIES = 10;

/**
 * Commits calls of a network whose space nests, where names alone do not lock overlapping claims. The table of the network puts all decisions
 * in one order: each is a compare-and-swap on the table that lists the objects to write; then they are written, then the decision leaves
 * the table. Its space counts as taken as long as it is there. Decisions that a process left behind are carried out by another one.
 *
 * One commit at a time.
 */
export class TableCommit {
  readonly #parts: TableParts;
  /** Decisions of this process that ended and are still in the table. */
  readonly #ended = new Set<string>();
  /** Newest version of the claims that those decisions wrote. */
  #newest = 0;
  /** Version up to which the claims are known. */
  #known = 0;

  /**
   * Makes the commit of one network.
   *
   * @param parts - claims, tables and tools
   */
  constructor(parts: TableParts) {
    this.#parts = parts;
  }

  /**
   * Tells whether a commit made anew could go on in place of this one.
   *
   * @returns false while decisions that ended may still be in the table: they must not be carried out again
   */
  get settled(): boolean {
    return this.#ended.size === 0;
  }

  /**
   * Decides a batch and carries it out.
   *
   * @param jobs - the calls
   * @returns the calls that are to be decided again
   */
  async commit(jobs: readonly Job[]): Promise<readonly Job[]> {
    const read = await this.#tidy();
    const { codec, index, carrier, sweep } = this.#parts;
    const view = new ClaimView(index, codec, read.serverMs);
    for (const decision of read.table.decisions) view.add(writesOf(decision), 'foreign');
    const fresh = new Set<string>();
    const refresh = (names: readonly string[]): Promise<void> => {
      // one read of a claim is new enough for every call of the batch
      const due = names.filter((name) => !fresh.has(name));
      for (const name of due) fresh.add(name);
      return refreshAll(carrier, due);
    };
    const batch = await decideBatch(view, [...jobs, ...sweep.jobs(read.serverMs)], { refresh, tooLarge });
    const made = batch.planned.map((each) => this.#entry(each, read));
    const room = fittingDecisions(read.table.decisions, made);
    const [now, full] = [batch.planned.slice(0, room), batch.planned.slice(room)];
    const later = [...full.map(({ job }) => job), ...batch.later];
    if (now.length === 0) {
      if (full.length > 0) await writePause(this.#parts);
      return later;
    }
    const written = await this.#decide(read, now, made.slice(0, room));
    if (written === 'conflict') {
      await writePause(this.#parts);
      return [...now.flatMap(({ job }) => again(job)), ...later];
    }
    if (written === undefined) return later;
    return [...(await this.#carryOut(written, now)), ...later];
  }

  // Reads the table, knows every claim that was decided before, and carries out what other processes left behind.
  async #tidy(): Promise<Read> {
    for (let left = SETTLE_TRIES; left > 0; left -= 1) {
      const read = await this.#read();
      const open = read.table.decisions.filter(({ id }) => !this.#ended.has(id));
      const abandoned = open.filter((decision) => this.#isAbandoned(decision, read.serverMs));
      if (abandoned.length === 0) {
        this.#lookLater(open, read.serverMs);
        return { ...read, table: { ...read.table, decisions: open } };
      }
      await this.#takeOver(read, abandoned);
    }
    throw new IpamError('store/unavailable', `decisions about network "${this.#parts.network}" cannot be carried out`);
  }

  async #read(): Promise<Read> {
    const { network, tables, time, clock } = this.#parts;
    const ownMs = clock.nowMs();
    const found = await tables.read({ namespace: '', name: network });
    time.see(found);
    const table = readTable(network, found.object);
    if (table.claimsVersion > this.#known) {
      await this.#parts.caughtUp(table.claimsVersion);
      this.#known = table.claimsVersion;
    }
    return { table, serverMs: found.serverTimeMs, ownMs };
  }

  #isAbandoned({ writer, since }: TableDecision, nowMs: number): boolean {
    return writer === this.#parts.writer || nowMs - Date.parse(since) >= this.#parts.takeOverAfterMs;
  }

  #lookLater(open: readonly TableDecision[], nowMs: number): void {
    if (open.length === 0) return;
    const oldest = Math.min(...open.map(({ since }) => Date.parse(since)));
    this.#parts.later(Math.max(1, oldest + this.#parts.takeOverAfterMs - nowMs));
  }

  async #takeOver(read: Read, abandoned: readonly TableDecision[]): Promise<void> {
    const { table, serverMs } = read;
    const { writer } = this.#parts;
    const since = new Date(serverMs).toISOString();
    const decisions = table.decisions
      .filter(({ id }) => !this.#ended.has(id))
      .map((decision) => (abandoned.includes(decision) ? { ...decision, writer, since } : decision));
    const written = await this.#replace(table, decisions);
    if (written === 'conflict') {
      await writePause(this.#parts);
      return;
    }
    if (!written.ok) throw new IpamError('store/unavailable', written.refusal.message);
    const check = this.#deadline(read);
    const results = await Promise.all(
      abandoned.map((decision) => this.#end({ id: decision.id, writes: writesOf(decision) }, check)),
    );
    await this.#settle(written.value);
    const failed = results.find(({ ended }) => ended === undefined);
    if (failed !== undefined) throw failed.thrown;
  }

  #entry({ id, writes }: Planned, { serverMs }: Read): TableDecision {
    const { writer } = this.#parts;
    return { id, writer, since: new Date(serverMs).toISOString(), writes: writes.map(tableWrite) };
  }

  // Undefined: the API server refuses the table, which the callers are told.
  async #decide(
    read: Read,
    now: readonly Planned[],
    made: readonly TableDecision[],
  ): Promise<Read | 'conflict' | undefined> {
    const decisions = [...read.table.decisions, ...made];
    const written = await this.#replace(read.table, decisions);
    if (written === 'conflict') return this.#decidedAlready(now);
    if (written.ok) return { ...read, table: written.value };
    for (const { job } of now) job.refuse(written);
    return undefined;
  }

  // A call that is sent again, since its first answer was lost, meets its own write as a conflict.
  async #decidedAlready(now: readonly Planned[]): Promise<Read | 'conflict'> {
    const read = await this.#read();
    const ids = new Set(read.table.decisions.map(({ id }) => id));
    return now.every(({ id }) => ids.has(id)) ? read : 'conflict';
  }

  async #carryOut(read: Read, now: readonly Planned[]): Promise<readonly Job[]> {
    const check = this.#deadline(read);
    const results = await Promise.all(now.map((planned) => this.#end(planned, check)));
    await this.#settle(read.table);
    return now.flatMap((planned, index) => {
      const { ended, thrown } = results[index] ?? {};
      if (ended !== undefined) return afterCarryOut(planned, ended);
      planned.job.fail(thrown);
      return [];
    });
  }

  async #end({ id, writes }: Pick<Planned, 'id' | 'writes'>, check: () => void): Promise<Ended> {
    try {
      const ended = await this.#parts.carrier.carryOut(id, writes, check);
      this.#ended.add(id);
      this.#newest = Math.max(this.#newest, ended.newest);
      return { ended };
    } catch (thrown) {
      // the decision stays in the table, and is carried out with the next one, after a pause, or by another process
      this.#parts.later();
      return { thrown };
    }
  }

  // Takes ended decisions out of the table.
  async #settle(table: StoredTable): Promise<void> {
    try {
      let base = table;
      for (let left = SETTLE_TRIES; left > 0; left -= 1) {
        if (await this.#settled(base)) return;
        await writePause(this.#parts);
        base = (await this.#read()).table;
      }
    } catch {
      // the claims are stored, and it is known which decisions ended: they leave with the next write of the table
    }
  }

  async #settled(base: StoredTable): Promise<boolean> {
    const decisions = base.decisions.filter(({ id }) => !this.#ended.has(id));
    const written = await this.#replace(base, decisions);
    if (written === 'conflict') return false;
    if (!written.ok) return true;
    // No other process wrote the table since it was read, and none is about to tell of an older claim: what is written from now on
    // is newer than these claims, and these are known.
    if (base.claimsVersion <= this.#known && decisions.length === 0) this.#known = written.value.claimsVersion;
    this.#ended.clear();
    return true;
  }

  async #replace(table: StoredTable, decisions: readonly TableDecision[]) {
    const { tables, time, network } = this.#parts;
    const claimsVersion = Math.max(table.claimsVersion, this.#newest);
    const body = tableObject(table, { decisions, claimsVersion });
    const outcome = table.object === undefined ? await tables.create(body) : await tables.replace(body);
    if (outcome.ok) {
      time.see(outcome.value);
      return { ok: true as const, value: readTable(network, outcome.value.object) };
    }
    return outcome.refusal.code === 'cluster/refused' ? outcome : ('conflict' as const);
  }

  #deadline({ ownMs }: Read): () => void {
    const { clock, takeOverAfterMs, network } = this.#parts;
    return () => {
      if (clock.nowMs() - ownMs <= takeOverAfterMs / WRITER_SHARE) return;
      throw new IpamError('store/unavailable', `claims of network "${network}" could not be written in time`);
    };
  }
}
