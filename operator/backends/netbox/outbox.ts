import type { Refusal } from '../../errors/outcome';
import type { AddressRecord, Claims } from '../../ports/claims';
import type { Clock } from '../../ports/clock';
import type { DisputeNotes } from '../../ports/disputes';
import type { Logger } from '../../ports/logger';
import type { Meter } from '../../ports/meter';
import type { OutsideChange, OutsideRow, OutsideRows } from '../../ports/outside-rows';
import type { AddressLocks } from './address-locks';
import type { Ensured, HostPrefixes } from './host-prefixes';
import { failed, type NetBoxFault } from './netbox-answer';
import type { NetBoxZones } from './netbox-zones';

/** Parts that the work on rows needs. */
export interface OutboxParts {
  readonly rows: OutsideRows;
  /** The record of holders. */
  readonly store: Pick<Claims, 'get' | 'release'>;
  readonly hosts: HostPrefixes;
  readonly zones: Pick<NetBoxZones, 'containerFor'>;
  readonly locks: AddressLocks;
  /** Where holders learn that NetBox has their address for another owner. */
  readonly disputes: DisputeNotes;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  /** From 0 to 1; spreads tries. */
  readonly random: () => number;
}

type Failure =
  { readonly kind: 'fault'; readonly fault: NetBoxFault } | { readonly kind: 'foreign'; readonly words: string };

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 600_000;
/** How long the leader leaves a row alone that is being worked on: longer than the work may take. */
export const WORK_MS = 60_000;
/** Pause between two looks for rows that are due. */
const LOOK_MS = 1_000;
/** Rows that are worked on at once; the client bounds its calls by itself. */
const MOST_ROWS = 16;
/** Rows among which the most urgent are looked for. */
const MOST_LOOKED_AT = 16 * MOST_ROWS;

/**
 * Brings NetBox to what the record says, row by row: addresses that are live get their prefix, others lose it. A row stays until its
 * work is done, so whatever was cut off goes on; what fails comes again after growing pauses. Only the leader runs it; what it does
 * is safe beside takes of every process.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  #running: Promise<void> = Promise.resolve();
  #cancel = (): void => undefined;
  #ended = true;

  /**
   * Begins nothing yet.
   *
   * @param parts - rows, record, NetBox
   */
  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /**
   * Works until it is ended.
   *
   * @returns the function that ends it; it waits for what is under way
   */
  start(): () => Promise<void> {
    this.#ended = false;
    this.#running = this.#loop();
    return async () => {
      this.#ended = true;
      this.#cancel();
      await this.#running;
    };
  }

  /**
   * Works on every row that is due now.
   *
   * @returns how many there were
   */
  async work(): Promise<number> {
    const due = releasesFirst(await this.#parts.rows.due(this.#parts.clock.nowMs(), MOST_LOOKED_AT));
    await Promise.all(due.map((row) => this.#parts.locks.run(row, () => this.#one(row))));
    return due.length;
  }

  async #loop(): Promise<void> {
    try {
      while (!this.#ended && (await this.work()) > 0);
    } catch (thrown) {
      this.#parts.logger.warn('NetBox: the rows of the outbox cannot be read', { cause: String(thrown) });
    }
    if (this.#ended) return;
    this.#cancel = this.#parts.clock.after(LOOK_MS, () => {
      this.#running = this.#loop();
    });
  }

  // The row may have changed while it stood in line.
  async #one({ network, address, revision, mark }: OutsideRow): Promise<void> {
    const { rows, store } = this.#parts;
    const row = await rows.get(network, address);
    if (row?.revision !== revision || row.mark !== mark) return;
    const record = await store.get({ network, address });
    if (!isClaimed(record)) await this.#leave(row);
    else if (record.quarantine !== undefined) await rows.change(row, { nextAtMs: record.quarantine.untilMs + 1 });
    else if (row.state === 'confirmed') await rows.change(row, {});
    else await this.#enter(row, record);
  }

  async #enter(row: OutsideRow, record: AddressRecord): Promise<void> {
    const { rows, zones, hosts, disputes, clock, meter } = this.#parts;
    // a row whose removal was cut off: the address has a holder again, so the prefix is put back if it is gone
    const mine = await rows.change(row, { state: 'pending', nextAtMs: clock.nowMs() + WORK_MS });
    if (mine === undefined) return;
    const container = zones.containerFor(row.zone, row.address);
    const ensured: Ensured =
      container === undefined
        ? { kind: 'fault', ...failed('refused', 'has no container for the address any more') }
        : await hosts.ensure({ address: row.address, zone: row.zone, mark: row.mark, container, named: true });
    const result = ensured.kind === 'there' ? 'done' : ensured.kind === 'foreign' ? 'foreign' : 'failed';
    meter.count('netbox_changes_total', { change: 'create', result });
    if (ensured.kind === 'foreign' && row.externalId === undefined) await this.#forsake(record);
    if (ensured.kind === 'foreign') disputes.found(row, heldOutside(row, `NetBox ${ensured.words}`));
    else if (ensured.kind === 'there') disputes.ended(row);
    await rows.change(mine, ensured.kind === 'there' ? confirmed(ensured.id) : this.#again(mine, ensured));
  }

  // What a process that ended in between reserved, but NetBox has for another owner, was never given out.
  async #forsake({ network, address, version, holders }: AddressRecord): Promise<void> {
    const [holder] = holders;
    if (holders.length !== 1 || holder?.state !== 'reserved' || holder.owner.uid !== undefined) return;
    await this.#parts.store.release({ network, address, version, holderId: holder.id });
  }

  async #leave(row: OutsideRow): Promise<void> {
    const { rows, store, hosts, clock, logger, meter } = this.#parts;
    // what kept the prefix from being made says nothing about its removal
    const fresh = row.state === 'leaving' ? {} : { attempts: 0, fault: '', differsSinceMs: 0, foreign: false };
    const leaving = await rows.change(row, { ...fresh, state: 'leaving', nextAtMs: clock.nowMs() + WORK_MS });
    if (leaving === undefined) return;
    // A take that came before this change did not see it; one that comes after gives the address back (see the claim store).
    if (isClaimed(await store.get({ network: row.network, address: row.address }))) {
      await rows.change(leaving, {
        state: row.state === 'confirmed' ? 'confirmed' : 'pending',
        nextAtMs: clock.nowMs(),
      });
      return;
    }
    const removed = await hosts.remove(row, row.externalId);
    const result = removed.kind === 'gone' ? 'done' : removed.kind === 'foreign' ? 'foreign' : 'failed';
    meter.count('netbox_changes_total', { change: 'delete', result });
    if (removed.kind === 'fault') {
      await rows.change(leaving, this.#again(leaving, removed));
      return;
    }
    const { network, zone, address } = row;
    if (removed.kind === 'foreign') {
      const problem = `NetBox ${removed.words}`;
      logger.warn('NetBox: the record of a released address has another owner and is left alone', {
        network,
        zone,
        address: address.toString(),
        problem,
      });
    }
    this.#parts.disputes.ended(row);
    await rows.end(leaving);
  }

  #again(row: OutsideRow, failure: Failure): OutsideChange {
    const { clock, random, logger } = this.#parts;
    const attempts = row.attempts + 1;
    const { words, waitMs } = describe(failure);
    const grownMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(row.attempts, 20));
    const pauseMs = Math.max(waitMs, grownMs * (0.5 + random() / 2));
    const problem = `NetBox ${words}`;
    const { network, zone, address, state } = row;
    const fields = { network, zone, address: address.toString(), state, attempt: attempts, problem };
    // the same again is told once
    if (row.fault !== problem) logger.warn('NetBox: an address is not as the record has it; tried again later', fields);
    const nowMs = clock.nowMs();
    const differsSinceMs = row.differsSinceMs === 0 ? nowMs : row.differsSinceMs;
    const foreign = failure.kind === 'foreign' || (row.foreign && state === 'pending');
    return { attempts, fault: problem, differsSinceMs, foreign, nextAtMs: nowMs + Math.ceil(pauseMs) };
  }
}

// Space that comes back helps what waits; prefixes that are only missing hold nothing back.
function releasesFirst(due: readonly OutsideRow[]): readonly OutsideRow[] {
  const isPending = ({ state }: OutsideRow): boolean => state === 'pending';
  return [...due.filter((row) => !isPending(row)), ...due.filter(isPending)].slice(0, MOST_ROWS);
}

// What a cluster shows without a claim is none of ours in NetBox.
function isClaimed(record: AddressRecord | undefined): record is AddressRecord {
  return record !== undefined && record.state !== 'foreign';
}

/**
 * Says in a row that the outside source has its address.
 *
 * @param externalId - id of the record there
 * @returns the change
 */
export function confirmed(externalId: number): OutsideChange {
  return { state: 'confirmed', externalId, attempts: 0, fault: '', differsSinceMs: 0, foreign: false };
}

/**
 * Says that NetBox has an address for another owner.
 *
 * @param row - of the address
 * @param words - one sentence of what NetBox has
 * @returns the reason, for the holder of the address
 */
export function heldOutside({ address }: Pick<OutsideRow, 'address'>, words: string): Refusal {
  const value = address.toString();
  return { code: 'address/foreign', message: `address "${value}" is held by another owner: ${words}`, value };
}

function describe(failure: Failure): { readonly words: string; readonly waitMs: number } {
  if (failure.kind === 'foreign') return { words: failure.words, waitMs: LONGEST_PAUSE_MS };
  return { words: failure.fault.words, waitMs: (failure.fault.retryAfterSeconds ?? 0) * 1000 };
}
