import { randomUUID } from 'node:crypto';
import { hostPrefix } from '../../addressing/prefix';
import type { AddressRecord, Claims } from '../../ports/claims';
import type { OutsideRow } from '../../ports/outside-rows';
import type { OutsideDifference } from '../../ports/outside-source';
import { differenceOfOrphan, differenceOfRow } from './differences';
import type { KeptComparison } from './kept-comparison';
import type { NetBoxClient } from './netbox-client';
import { readAll } from './netbox-pages';
import { isAsMade } from './host-prefixes';
import { quoted } from './quoted';
import { zoneText } from './zone-lists';
import { isHost, NETBOX_PATHS, prefixOfRecord, type NetBoxPrefix } from './netbox-records';
import type { NetBoxZones } from './netbox-zones';
import { heldOutside, type OutboxParts } from './outbox';
import { placeKey } from '../../addressing/place';

/** Parts of {@link NetBoxSweep}. */
export interface NetBoxSweepParts extends Omit<OutboxParts, 'store' | 'zones' | 'random'> {
  readonly client: NetBoxClient;
  readonly store: Pick<Claims, 'get' | 'list'>;
  readonly zones: NetBoxZones;
  /** Where every process reads what a comparison found. */
  readonly kept: KeptComparison;
  readonly markPrefix: string;
  /** Milliseconds between two comparisons. */
  readonly everyMs: number;
  /** How long an orphan is only reported. */
  readonly graceMs: number;
}

/** One zone while it is compared. */
interface ZoneOfSweep {
  readonly zone: string;
  readonly network: string;
  /** Records, by network and address. */
  readonly live: ReadonlyMap<string, AddressRecord>;
}

/** Pause before a comparison that failed is tried again. */
const AGAIN_MS = 15_000;
const KINDS = ['orphan', 'missing', 'foreign'] as const;

/**
 * Compares NetBox, the rows and the record from time to time, in both directions. What has no claim is reported first, and removed by
 * a later comparison after a grace time, if it carries a mark of this installation; what lacks its prefix gets it again; what NetBox
 * has for another owner is reported and tried again, and never taken away. Only the leader runs it.
 */
export class NetBoxSweep {
  readonly #parts: NetBoxSweepParts;
  #found: readonly OutsideDifference[] = [];
  /** Orphans by id and mark, with the time when they were seen first. */
  #orphans = new Map<string, number>();
  #cancel = (): void => undefined;
  #running: Promise<unknown> = Promise.resolve();
  #ended = true;

  /**
   * Begins nothing yet.
   *
   * @param parts - record, rows, NetBox
   */
  constructor(parts: NetBoxSweepParts) {
    this.#parts = parts;
  }

  /**
   * Compares now, and again from time to time.
   *
   * @returns the function that ends it; it waits for what is under way
   */
  start(): () => Promise<void> {
    this.#ended = false;
    this.#again(0);
    return async () => {
      this.#ended = true;
      this.#cancel();
      await this.#running;
      // the next leader tells
      this.#count([]);
      this.#parts.disputes.settle(false);
    };
  }

  /**
   * Compares once.
   *
   * @returns whether everything could be compared
   */
  async sweep(): Promise<boolean> {
    const { rows, zones, kept } = this.#parts;
    const names = new Set([...zones.current().names.filter((name) => zones.isOutside(name)), ...(await rows.zones())]);
    const found: OutsideDifference[] = [];
    const seen = new Map<string, number>();
    const unread: string[] = [];
    for (const zone of names) if (!(await this.#sweepZone(zone, { found, seen }))) unread.push(zone);
    const before = this.#found.filter(({ kind, zone }) => kind === 'orphan' && unread.includes(zone));
    this.#found = [...found, ...before.filter((each) => !found.some((now) => isSame(now, each)))];
    // an orphan of a zone that could not be read keeps its time
    this.#orphans = unread.length === 0 ? seen : new Map([...this.#orphans, ...seen]);
    this.#count(this.#found);
    await this.#endDisputes();
    await kept.keep(this.#found, unread);
    return unread.length === 0;
  }

  // Another process may have made a prefix that was disputed, and what the outbox found meanwhile is in no list.
  async #endDisputes(): Promise<void> {
    const { rows, disputes } = this.#parts;
    for (const place of disputes.places()) {
      const row = await rows.get(place.network, place.address);
      if (row?.foreign !== true) disputes.ended(place);
    }
    disputes.settle(true);
  }

  #count(found: readonly OutsideDifference[]): void {
    for (const kind of KINDS)
      this.#parts.meter.set('netbox_differences', found.filter((each) => each.kind === kind).length, { kind });
  }

  #again(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#running = this.sweep()
        .catch((thrown: unknown) => {
          this.#parts.logger.warn('NetBox: the comparison with the record failed', { cause: String(thrown) });
          return false;
        })
        .then((complete) => {
          if (!this.#ended) this.#again(complete ? this.#parts.everyMs : AGAIN_MS);
        });
    });
  }

  async #sweepZone(zone: string, to: Gathered): Promise<boolean> {
    const here = await this.#compareRecord(zone);
    // Rows before the list: a prefix that is not in the list was there when its row was confirmed.
    const before = await this.#parts.rows.ofZone(zone);
    // while an address is in quarantine its row has nothing to do
    const differing = before.filter(
      (row) => row.differsSinceMs > 0 && here.live.get(placeKey(row))?.state !== 'quarantined',
    );
    for (const row of differing) to.found.push(await this.#unsettled(row, here));
    const listed = await this.#hostsOf(zone);
    if (listed === undefined) return false;
    const byMark = new Map(listed.map((host) => [host.mark, host]));
    for (const row of before.filter(({ state }) => state === 'confirmed')) {
      const host = byMark.get(row.mark);
      if (host === undefined || !isAsMade(host, row)) await this.#missing(row, { ...here, host }, to.found);
    }
    // Rows after the list: a prefix that is in the list was made after its row was written.
    const rows = new Set((await this.#parts.rows.ofZone(zone)).map(({ mark }) => mark));
    const strange = listed.filter(({ mark }) => !rows.has(mark));
    const elsewhere = strange.length === 0 ? rows : await this.#marksOfAllZones();
    // what was moved to this zone by hand belongs to a row of another one, and is missing there
    for (const host of strange) if (!elsewhere.has(host.mark)) await this.#orphan(host, here, to);
    return true;
  }

  async #marksOfAllZones(): Promise<ReadonlySet<string>> {
    const { rows } = this.#parts;
    const marks = new Set<string>();
    for (const zone of await rows.zones()) for (const { mark } of await rows.ofZone(zone)) marks.add(mark);
    return marks;
  }

  // The outbox is the difference between live addresses and rows, so a crash between two writes heals here.
  async #compareRecord(zone: string): Promise<ZoneOfSweep> {
    const { rows, zones, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const network = zones.current().zone(zone)?.network;
    const had = await rows.ofZone(zone);
    const networks = new Set([...(network === undefined ? [] : [network]), ...had.map((row) => row.network)]);
    const live = await this.#liveIn(networks, zone);
    await this.#beginMissing([...live.values()], new Set(had.map(placeKey)));
    const idle = had.filter((row) => row.nextAtMs === undefined && !live.has(placeKey(row)));
    for (const row of idle) await rows.change(row, { nextAtMs: nowMs });
    const [first = 'default'] = networks;
    return { zone, network: first, live };
  }

  async #liveIn(networks: ReadonlySet<string>, zone: string): Promise<ReadonlyMap<string, AddressRecord>> {
    const { store } = this.#parts;
    const live = new Map<string, AddressRecord>();
    for (const network of networks) {
      const records = await store.list({ by: 'pool', network, pool: zone });
      for (const record of records) live.set(placeKey(record), record);
    }
    return live;
  }

  async #beginMissing(live: readonly AddressRecord[], known: ReadonlySet<string>): Promise<void> {
    const { rows, clock, markPrefix } = this.#parts;
    for (const record of live.filter((each) => each.state === 'held' && !known.has(placeKey(each)))) {
      const { network, address, pool: zone } = record;
      await rows.begin({ network, address, zone, mark: `${markPrefix}${randomUUID()}`, nextAtMs: clock.nowMs() });
    }
  }

  // Every host prefix that carries a mark of this installation and the zone.
  async #hostsOf(zone: string): Promise<readonly NetBoxPrefix[] | undefined> {
    const { client, logger, markPrefix } = this.#parts;
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

  // The other owner may have gone: that is worth a look at each comparison, while the outbox by itself looks rarely.
  async #unsettled(row: OutsideRow, { live }: ZoneOfSweep): Promise<OutsideDifference> {
    const { clock, disputes } = this.#parts;
    const nowMs = clock.nowMs();
    if (row.foreign && disputes.over(row) === undefined) disputes.found(row, heldOutside(row, row.fault));
    const isHastened = row.foreign && (row.nextAtMs ?? Infinity) > nowMs;
    const now = (isHastened ? await this.#parts.rows.change(row, { nextAtMs: nowMs }) : undefined) ?? row;
    const nextAtMs = Math.max(nowMs, now.nextAtMs ?? nowMs);
    return differenceOfRow(now, { record: live.get(placeKey(row)), sinceMs: row.differsSinceMs, nextAtMs });
  }

  async #missing(
    row: OutsideRow,
    { live, host }: ZoneOfSweep & { readonly host: NetBoxPrefix | undefined },
    found: OutsideDifference[],
  ): Promise<void> {
    const { rows, clock, logger } = this.#parts;
    const record = live.get(placeKey(row));
    // it has no holder any more: the outbox ends the row
    if (record?.state !== 'held') return;
    const nowMs = clock.nowMs();
    const { network, zone, address } = row;
    const fault = faultOf(row, host);
    const pending = await rows.change(row, { state: 'pending', nextAtMs: nowMs, differsSinceMs: nowMs, fault });
    // it is being worked on
    if (pending === undefined) return;
    found.push(differenceOfRow(pending, { record, sinceMs: nowMs, nextAtMs: nowMs }));
    const fields = { network, zone, address: address.toString() };
    logger.warn('NetBox: the prefix of a claim is missing or edited and is put right', { ...fields, problem: fault });
  }

  async #orphan(host: NetBoxPrefix, here: ZoneOfSweep, { found, seen }: Gathered): Promise<void> {
    const { clock, logger, hosts, graceMs, everyMs } = this.#parts;
    const { zone, network, live } = here;
    const key = `${host.id} ${host.mark}`;
    const nowMs = clock.nowMs();
    const firstMs = this.#orphans.get(key);
    const { first: address } = host.prefix;
    const fields = { zone, address: address.toString(), object: String(host.id) };
    if (firstMs === undefined)
      logger.warn('NetBox: a prefix of ours has no claim; a later comparison removes it', fields);
    if (firstMs !== undefined && nowMs - firstMs >= graceMs) {
      const removed = await hosts.remove({ address, mark: host.mark });
      if (removed.kind === 'gone') {
        logger.warn('NetBox: a prefix of ours without a claim was removed', fields);
        return;
      }
    }
    const sinceMs = firstMs ?? nowMs;
    seen.set(key, sinceMs);
    const comparisons = Math.max(1, Math.ceil((sinceMs + graceMs - nowMs) / everyMs));
    const record = live.get(placeKey({ network, address }));
    found.push(
      differenceOfOrphan(host, { network, zone }, { record, sinceMs, nextAtMs: nowMs + comparisons * everyMs }),
    );
  }
}

function faultOf({ zone, address, mark }: OutsideRow, host: NetBoxPrefix | undefined): string {
  const prefix = hostPrefix(address).toString();
  if (host !== undefined) return `NetBox has prefix ${prefix} with status ${quoted(host.status, 63)}`;
  return `NetBox has no prefix ${prefix} with k8s_uuid "${mark}" in ${zoneText(zone)} any more`;
}

interface Gathered {
  readonly found: OutsideDifference[];
  readonly seen: Map<string, number>;
}

function isSame(a: OutsideDifference, b: OutsideDifference): boolean {
  return a.kind === b.kind && a.network === b.network && a.address === b.address;
}
