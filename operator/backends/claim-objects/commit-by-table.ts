import { MAX_CLAIM_TEXT, MAX_DECISIONS, MAX_WRITES, type TableDecision } from '../../contract/kinds/address-table';
import { IpamError } from '../../errors/ipam-error';
import { refuse } from '../../errors/outcome';
import type { Clock } from '../../ports/clock';
import type { ObjectWriter } from '../../ports/object-writer';
import type { CarriedOut } from './carry-out';
import { ClaimView } from './claim-view';
import type { ClaimWrite } from './claim-write';
import { refreshAll, type CommitParts } from './commit-direct';
import { decideBatch, type Planned } from './decide-batch';
import { again, afterCarryOut } from './finish-job';
import { readTable, tableObject, tableWrite, writesOf, type StoredTable } from './stored-table';
import type { Job } from './verb-queue';

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
  /** Asks for a commit later, in order to look after the decisions of other processes. */
  readonly later: (ms: number) => void;
}

/** A table, and when it was read. */
interface Read {
  readonly table: StoredTable;
  readonly serverMs: number;
  readonly ownMs: number;
}

/** One decision that is carried out, and how it ended; undefined while that is not known. */
interface Ended {
  readonly id: string;
  readonly ended: CarriedOut | undefined;
}

/** A writer goes on for this part of the time after which others take over; the rest is for calls that are under way. */
const WRITER_SHARE = 3;
/** Longest pause before a table is written again that another process wrote at the same time. */
const PAUSE_MS = 40;
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
   * Decides a batch and carries it out.
   *
   * @param jobs - the calls
   * @returns the calls that are to be decided again
   */
  async commit(jobs: readonly Job[]): Promise<readonly Job[]> {
    const read = await this.#tidy();
    const { codec, index, carrier } = this.#parts;
    const view = new ClaimView(index, codec, read.serverMs);
    for (const decision of read.table.decisions) view.add(writesOf(decision), 'foreign');
    const batch = await decideBatch(view, jobs, (names) => refreshAll(carrier, names));
    const room = MAX_DECISIONS - read.table.decisions.length;
    const fitting = batch.planned.filter(fits);
    const [now, full] = [fitting.slice(0, room), fitting.slice(room)];
    const later = [...full.map(({ job }) => job), ...batch.later];
    if (now.length === 0) {
      if (full.length > 0) await this.#pause(PAUSE_MS);
      return later;
    }
    const written = await this.#decide(read, now);
    if (written === 'conflict') {
      await this.#pause(Math.random() * PAUSE_MS);
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
    const written = await this.#replace(table, { decisions, claimsVersion: table.claimsVersion });
    if (written === 'conflict') {
      await this.#pause(Math.random() * PAUSE_MS);
      return;
    }
    if (!written.ok) throw new IpamError('store/unavailable', written.refusal.message);
    const check = this.#deadline(read);
    const results = await Promise.all(abandoned.map((decision) => this.#end(decision.id, writesOf(decision), check)));
    await this.#settle(
      written.value,
      results.map(({ ended }) => ended),
    );
    const failed = results.find(({ ended }) => ended === undefined);
    if (failed !== undefined) throw new IpamError('store/unavailable', 'the API server did not answer in time');
  }

  // Undefined: the API server refuses the table, which the callers are told.
  async #decide(read: Read, now: readonly Planned[]): Promise<Read | 'conflict' | undefined> {
    const { writer } = this.#parts;
    const since = new Date(read.serverMs).toISOString();
    const made = now.map(({ id, writes }) => ({ id, writer, since, writes: writes.map(tableWrite) }));
    const decisions = [...read.table.decisions, ...made];
    const written = await this.#replace(read.table, { decisions, claimsVersion: read.table.claimsVersion });
    if (written === 'conflict') return written;
    if (written.ok) return { ...read, table: written.value };
    for (const { job } of now) job.refuse(written);
    return undefined;
  }

  async #carryOut(read: Read, now: readonly Planned[]): Promise<readonly Job[]> {
    const check = this.#deadline(read);
    const results = await Promise.all(
      now.map(async (planned) => {
        const thrown: unknown[] = [];
        const { ended } = await this.#end(planned.id, planned.writes, check, (each) => thrown.push(each));
        return { planned, ended, thrown };
      }),
    );
    await this.#settle(
      read.table,
      results.map(({ ended }) => ended),
    );
    return results.flatMap(({ planned, ended, thrown }) => {
      if (ended !== undefined) return afterCarryOut(planned, ended);
      planned.job.fail(thrown[0]);
      return [];
    });
  }

  async #end(
    id: string,
    writes: readonly ClaimWrite[],
    check: () => void,
    failed: (thrown: unknown) => void = () => undefined,
  ): Promise<Ended> {
    try {
      const ended = await this.#parts.carrier.carryOut(id, writes, check);
      this.#ended.add(id);
      return { id, ended };
    } catch (thrown) {
      // the decision stays in the table, and is carried out with the next one or by another process
      failed(thrown);
      return { id, ended: undefined };
    }
  }

  // Takes ended decisions out of the table. What does not succeed is done with the next write of the table.
  async #settle(table: StoredTable, ended: readonly (CarriedOut | undefined)[]): Promise<void> {
    const newest = Math.max(0, ...ended.map((each) => each?.newest ?? 0));
    try {
      let base = table;
      for (let left = SETTLE_TRIES; left > 0; left -= 1) {
        const claimsVersion = Math.max(base.claimsVersion, newest);
        const decisions = base.decisions.filter(({ id }) => !this.#ended.has(id));
        const written = await this.#replace(base, { decisions, claimsVersion });
        if (written !== 'conflict') {
          // no other process wrote the table since it was read: nothing is between what was known and what was written now
          if (written.ok && base.claimsVersion <= this.#known) this.#known = Math.max(this.#known, claimsVersion);
          if (written.ok) this.#ended.clear();
          return;
        }
        await this.#pause(Math.random() * PAUSE_MS);
        base = (await this.#read()).table;
      }
    } catch {
      // the claims are stored, and their decisions are known to have ended
    }
  }

  async #replace(table: StoredTable, change: Pick<StoredTable, 'decisions' | 'claimsVersion'>) {
    const { tables, time, network } = this.#parts;
    const body = tableObject(table, change);
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

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.clock.after(ms, resolve);
    });
  }
}

// Answers calls whose decision is too large for a table.
function fits({ job, writes }: Planned): boolean {
  const isLong = writes.some(({ after, before }) =>
    [after, before?.object].some((object) => object !== undefined && JSON.stringify(object).length > MAX_CLAIM_TEXT),
  );
  if (!isLong && writes.length <= MAX_WRITES) return true;
  const limits = `at most ${String(MAX_WRITES)} claims of at most ${String(MAX_CLAIM_TEXT)} characters each`;
  job.refuse(
    refuse('claim/invalid', `one decision writes ${limits}; leave labels and annotations out or take less at once`),
  );
  return false;
}
