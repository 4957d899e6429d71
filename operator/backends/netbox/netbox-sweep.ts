import { randomUUID } from 'node:crypto';
import type { ClaimStore } from '../../ports/claim-store';
import type { OutsideRow } from '../../ports/outside-rows';
import type { NetBoxClient } from './netbox-client';
import { readAll } from './netbox-pages';
import { isHost, NETBOX_PATHS, prefixOfRecord, type NetBoxPrefix } from './netbox-records';
import type { NetBoxZones } from './netbox-zones';
import type { OutboxParts } from './outbox';

/** One difference between NetBox and the record. */
export interface OutsideDifference {
  /** `orphan`: a prefix of ours without a claim; `missing`: a claim without a prefix; `foreign`: NetBox has it for somebody else. */
  readonly kind: 'orphan' | 'missing' | 'foreign';
  readonly zone: string;
  readonly address: string;
  readonly sinceMs: number;
}

/** What {@link NetBoxSweep} works with. */
export interface NetBoxSweepParts extends Omit<OutboxParts, 'store' | 'zones' | 'random'> {
  readonly client: NetBoxClient;
  readonly store: Pick<ClaimStore, 'get' | 'list'>;
  readonly zones: NetBoxZones;
  readonly markPrefix: string;
  /** Milliseconds between two comparisons. */
  readonly everyMs: number;
  /** How long an orphan is only reported. */
  readonly graceMs: number;
}

/** Pause before a comparison that failed is tried again. */
const AGAIN_MS = 15_000;

/**
 * Compares NetBox, the rows and the record from time to time, in both directions. What has no claim is reported first, and removed by
 * a later comparison after a grace time, if it carries a mark of this installation; what lacks its prefix gets it again.
 * Only the leader runs it.
 */
export class NetBoxSweep {
  private readonly parts: NetBoxSweepParts;
  private found: readonly OutsideDifference[] = [];
  /** Orphans by id and mark, with the time when they were seen first. */
  private orphans = new Map<string, number>();
  private cancel = (): void => undefined;
  private running: Promise<unknown> = Promise.resolve();
  private ended = true;

  /**
   * Begins nothing yet.
   *
   * @param parts - record, rows, NetBox
   */
  constructor(parts: NetBoxSweepParts) {
    this.parts = parts;
  }

  /**
   * Lists what differed at the newest comparison.
   *
   * @returns orphans, missing and foreign ones
   */
  differences(): readonly OutsideDifference[] {
    return this.found;
  }

  /**
   * Compares now, and again from time to time.
   *
   * @returns the function that ends it; it waits for what is under way
   */
  start(): () => Promise<void> {
    this.ended = false;
    this.again(0);
    return async () => {
      this.ended = true;
      this.cancel();
      await this.running;
    };
  }

  /**
   * Compares once.
   *
   * @returns whether everything could be compared
   */
  async sweep(): Promise<boolean> {
    const { rows, zones, meter } = this.parts;
    const names = new Set([...zones.current().names.filter((name) => zones.isOutside(name)), ...(await rows.zones())]);
    const found: OutsideDifference[] = [];
    const seen = new Map<string, number>();
    let complete = true;
    for (const zone of names) complete = (await this.sweepZone(zone, { found, seen })) && complete;
    // an orphan of a zone that could not be read keeps its time
    this.orphans = complete ? seen : new Map([...this.orphans, ...seen]);
    this.found = found;
    for (const kind of ['orphan', 'missing', 'foreign'] as const)
      meter.set('netbox_differences', found.filter((each) => each.kind === kind).length, { kind });
    return complete;
  }

  private again(ms: number): void {
    this.cancel = this.parts.clock.after(ms, () => {
      this.running = this.sweep()
        .catch((thrown: unknown) => {
          this.parts.logger.warn('NetBox: the comparison with the record failed', { cause: String(thrown) });
          return false;
        })
        .then((complete) => {
          if (!this.ended) this.again(complete ? this.parts.everyMs : AGAIN_MS);
        });
    });
  }

  private async sweepZone(zone: string, to: Gathered): Promise<boolean> {
    await this.compareRecord(zone);
    // Rows before the list: a prefix that is not in the list was there when its row was confirmed.
    const before = await this.parts.rows.ofZone(zone);
    for (const row of before) if (row.state === 'pending' && row.attempts > 0) to.found.push(this.unsettled(row));
    const listed = await this.hostsOf(zone);
    if (listed === undefined) return false;
    const marks = new Set(listed.map(({ mark }) => mark));
    for (const row of before) if (row.state === 'confirmed' && !marks.has(row.mark)) await this.missing(row, to.found);
    // Rows after the list: a prefix that is in the list was made after its row was written.
    const rows = new Set((await this.parts.rows.ofZone(zone)).map(({ mark }) => mark));
    for (const host of listed) if (!rows.has(host.mark)) await this.orphan(zone, host, to);
    return true;
  }

  // The outbox is the difference between live addresses and rows, so a crash between two writes heals here.
  private async compareRecord(zone: string): Promise<void> {
    const { rows, store, zones, clock, markPrefix } = this.parts;
    const nowMs = clock.nowMs();
    const network = zones.current().zone(zone)?.network;
    const had = await rows.ofZone(zone);
    const known = new Set(had.map(({ address, network: of }) => `${of} ${address.toString()}`));
    const networks = new Set([...had.map((row) => row.network), ...(network === undefined ? [] : [network])]);
    const live = new Set<string>();
    for (const each of networks) {
      for (const record of await store.list({ by: 'zone', network: each, zone }, nowMs)) {
        const place = `${each} ${record.address.toString()}`;
        live.add(place);
        const { address } = record;
        if (!known.has(place) && record.state === 'held')
          await rows.begin({ network: each, address, zone, mark: `${markPrefix}${randomUUID()}`, nextAtMs: nowMs });
      }
    }
    for (const row of had) {
      const isIdle = row.nextAtMs === undefined;
      if (isIdle && !live.has(`${row.network} ${row.address.toString()}`)) await rows.change(row, { nextAtMs: nowMs });
    }
  }

  // Every host prefix that carries a mark of this installation and the zone.
  private async hostsOf(zone: string): Promise<readonly NetBoxPrefix[] | undefined> {
    const { client, logger, markPrefix } = this.parts;
    const hosts: NetBoxPrefix[] = [];
    for (const mask_length of [32, 128]) {
      const found = await readAll(client, NETBOX_PATHS.prefixes, { cf_k8s_zone: zone, mask_length });
      if (!found.ok) {
        const problem = `NetBox ${found.fault.words}`;
        logger.warn('NetBox: the prefixes of a zone cannot be compared with the record', { zone, problem });
        return undefined;
      }
      hosts.push(...found.records.map(prefixOfRecord).filter((each) => each !== undefined));
    }
    const ours = hosts.filter((host) => isHost(host.prefix) && host.zone === zone && host.mark.startsWith(markPrefix));
    return [...new Map(ours.map((host) => [host.id, host])).values()];
  }

  private unsettled(row: OutsideRow): OutsideDifference {
    const isForeign = / has (prefix|an IP address object) /u.test(row.fault);
    const { zone, address } = row;
    return {
      kind: isForeign ? 'foreign' : 'missing',
      zone,
      address: address.toString(),
      sinceMs: this.parts.clock.nowMs(),
    };
  }

  private async missing(row: OutsideRow, found: OutsideDifference[]): Promise<void> {
    const { rows, clock, logger } = this.parts;
    const nowMs = clock.nowMs();
    const { network, zone, address } = row;
    found.push({ kind: 'missing', zone, address: address.toString(), sinceMs: nowMs });
    logger.warn('NetBox: the prefix of a claim is missing and is made again', {
      network,
      zone,
      address: address.toString(),
    });
    await rows.change(row, { state: 'pending', nextAtMs: nowMs });
  }

  private async orphan(zone: string, host: NetBoxPrefix, { found, seen }: Gathered): Promise<void> {
    const { clock, logger, hosts, graceMs } = this.parts;
    const key = `${host.id} ${host.mark}`;
    const sinceMs = this.orphans.get(key);
    const { first: address } = host.prefix;
    const fields = { zone, address: address.toString(), object: String(host.id) };
    if (sinceMs === undefined)
      logger.warn('NetBox: a prefix of ours has no claim; a later comparison removes it', fields);
    if (sinceMs !== undefined && clock.nowMs() - sinceMs >= graceMs) {
      const removed = await hosts.remove({ address, mark: host.mark });
      if (removed.kind === 'gone') {
        logger.warn('NetBox: a prefix of ours without a claim was removed', fields);
        return;
      }
    }
    seen.set(key, sinceMs ?? clock.nowMs());
    found.push({ kind: 'orphan', zone, address: address.toString(), sinceMs: sinceMs ?? clock.nowMs() });
  }
}

interface Gathered {
  readonly found: OutsideDifference[];
  readonly seen: Map<string, number>;
}
