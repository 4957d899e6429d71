import type { Address } from '../../addressing/address';
import type { Range } from '../../addressing/range';
import type { PrefixSet } from '../../addressing/prefix-set';
import type { ZoneCatalogue } from '../../contract/zones';
import type { OutsideRows } from '../../ports/outside-rows';
import type { ZoneSource } from '../../ports/zone-source';
import type { Tools } from '../../ports/tools';
import { mergeZones, type MergedZones } from './merge-zones';
import type { NetBoxFault } from './netbox-answer';
import type { NetBoxClient } from './netbox-client';
import type { NetBoxPrefix } from './netbox-records';
import { Occupied, rangeReader, readOccupied } from './occupied';
import { listsOf, listsText, readContainers, readZoneNames, zoneText, type ZoneList } from './zone-lists';

/** Parts of {@link NetBoxZones}. */
export interface NetBoxZonesParts extends Tools {
  readonly client: NetBoxClient;
  readonly rows: OutsideRows;
  /** The zones document. */
  readonly file: ZoneSource;
  /** Milliseconds between two readings. */
  readonly refreshMs: number;
  /** Tells our own prefixes by `k8s_uuid`. */
  readonly isOurs: (mark: string) => boolean;
  /** Tells whether an address of a zone has a holder. */
  readonly isHeld: (zone: string) => Promise<boolean>;
}

/** How a reading ended; `partial`: the last good list of some zones stays. */
export type Refresh = 'ok' | 'partial' | 'failed';

/** Name of the note that keeps the last good lists. */
const NOTE = 'netbox-zones';
/** Shortest pause between readings that were asked for, and the pause after one that failed. */
const SOON_MS = 15_000;
/** Good readings without any container after which a zone drains. */
const MOST_EMPTY = 2;

/**
 * Zones of NetBox: its choice set names them, its containers are their prefixes, the zones document adds settings.
 *
 * Any code may call `current()` at any time. The last good list of each zone stays while NetBox is away, answers oddly or with
 * nothing, over restarts too; only a zone that NetBox does not name any more drains. Readings never overlap. After `close()` the
 * last catalogue stays readable.
 */
export class NetBoxZones implements ZoneSource {
  readonly #parts: NetBoxZonesParts;
  readonly #occupied = new Occupied();
  readonly #listeners = new Set<() => void>();
  #lists: ReadonlyMap<string, ZoneList>;
  #merged: MergedZones;
  #kept: string;
  /** Why the newest reading gave no lists at all; empty while it did. */
  #fault = '';
  readonly #told = new Map<string, string>();
  /** Good readings in a row that showed no container of a zone that had some. */
  readonly #empty = new Map<string, number>();
  /** The same of some zones; undefined while all could be read. */
  #unread: string | undefined;
  #reading: Promise<Refresh> | undefined;
  #lastMs = 0;
  #cancel = (): void => undefined;
  #closed = false;
  readonly #unwatch: () => void;

  private constructor(parts: NetBoxZonesParts, kept: string) {
    this.#parts = parts;
    this.#kept = kept;
    this.#lists = listsOf(kept);
    this.#merged = mergeZones(parts.file.current(), this.#lists, new Map());
    const stop = parts.file.onChange?.(() => {
      this.#merge();
    });
    this.#unwatch = stop ?? (() => undefined);
  }

  /**
   * Begins with what was read before the last stop, and reads NetBox for the first time.
   *
   * @param parts - client, rows, document
   * @returns the source; without any list, see {@link problem}, where NetBox was never read and cannot be now
   */
  static async open(parts: NetBoxZonesParts): Promise<NetBoxZones> {
    const zones = new NetBoxZones(parts, await parts.rows.note(NOTE));
    await zones.refresh();
    return zones;
  }

  /**
   * Gives the zones of the document and of NetBox.
   *
   * @returns the catalogue, never changed in place
   */
  current(): ZoneCatalogue {
    return this.#merged.catalogue;
  }

  /**
   * Adds a listener.
   *
   * @param listener - called after another catalogue came into force
   * @returns the function that takes it away
   */
  onChange(listener: () => void): () => void {
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /**
   * Says why nothing can be given yet.
   *
   * @returns a sentence while NetBox was never read; undefined since
   */
  problem(): string | undefined {
    return this.#lists.size > 0 ? undefined : `the zones of NetBox were never read: ${this.#fault}`;
  }

  /**
   * Says what the newest reading could not read.
   *
   * @returns a sentence; undefined after a reading that read everything
   */
  unread(): string | undefined {
    return this.#fault === '' ? this.#unread : this.#fault;
  }

  /**
   * Tells whose addresses NetBox must know.
   *
   * @param zone - its name
   * @returns true for a zone of NetBox
   */
  isOutside(zone: string): boolean {
    return this.#lists.has(zone) || this.#parts.file.current().zone(zone)?.fromNetBox === true;
  }

  /**
   * Finds the container that an address belongs to.
   *
   * @param zone - its zone
   * @param address - its value
   * @returns the longest container of the zone that contains it
   */
  containerFor(zone: string, address: Address): NetBoxPrefix | undefined {
    const all = this.#merged.containers.get(zone) ?? this.#lists.get(zone)?.containers ?? [];
    const [longest] = all
      .filter(({ prefix }) => prefix.contains(address))
      .sort((a, b) => b.prefix.length - a.prefix.length);
    return longest;
  }

  /**
   * Takes away what others have in NetBox.
   *
   * @param zone - its name
   * @param space - what the zone may give
   * @returns what is worth trying
   */
  freeIn(zone: string, space: PrefixSet): PrefixSet {
    return this.#occupied.freeIn(zone, space);
  }

  /**
   * Finds the IP range of NetBox that an address is in.
   *
   * @param zone - its zone
   * @param address - its value
   * @returns the range as of the newest reading
   */
  rangeAt(zone: string, address: Address): Range | undefined {
    return this.#occupied.rangeAt(zone, address);
  }

  /**
   * Remembers what another owner has, until the next reading.
   *
   * @param zone - its name
   * @param block - the prefix
   */
  avoid(zone: string, block: NetBoxPrefix['prefix']): void {
    this.#occupied.add(zone, block);
  }

  /** Reads NetBox soon: a caller met something that the lists do not say. */
  refreshSoon(): void {
    if (this.#closed || this.#reading !== undefined) return;
    this.#schedule(Math.max(0, this.#lastMs + SOON_MS - this.#parts.clock.nowMs()));
  }

  /**
   * Reads NetBox now; a reading that is under way counts.
   *
   * @returns how it ended; it never throws
   */
  refresh(): Promise<Refresh> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      this.#lastMs = this.#parts.clock.nowMs();
      if (!this.#closed)
        this.#schedule(this.#isCertain() ? this.#parts.refreshMs : Math.min(SOON_MS, this.#parts.refreshMs));
    });
    return this.#reading;
  }

  /**
   * Ends reading.
   *
   * @returns after a reading that is under way ended
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    this.#unwatch();
    await this.#reading;
  }

  // A zone that was found empty once is looked at again soon.
  #isCertain(): boolean {
    return this.#fault === '' && [...this.#empty.values()].every((times) => times >= MOST_EMPTY);
  }

  #schedule(ms: number): void {
    this.#cancel();
    this.#cancel = this.#parts.clock.after(ms, () => void this.refresh());
  }

  async #read(): Promise<Refresh> {
    const { client, logger, meter } = this.#parts;
    const names = await readZoneNames(client);
    let result: Refresh = 'failed';
    if (names.ok) {
      this.#fault = '';
      this.#unread = undefined;
      result = (await this.#readZones(names.value)) ? 'ok' : 'partial';
    } else {
      this.#fault = `NetBox ${names.fault.words}`;
      logger.warn('NetBox: the zones cannot be read, the last good ones stay', { problem: this.#fault });
    }
    meter.count('netbox_refreshes_total', { result });
    return result;
  }

  async #readZones(names: readonly string[]): Promise<boolean> {
    const next = new Map<string, ZoneList>();
    let complete = true;
    for (const name of this.#empty.keys()) if (!names.includes(name)) this.#empty.delete(name);
    for (const name of names) {
      const { list, whole } = await this.#readZone(name);
      if (list !== undefined) next.set(name, list);
      complete &&= whole;
    }
    for (const [name, list] of this.#lists) {
      const gone = !names.includes(name);
      if (gone && (await this.#stillHeld(name))) next.set(name, { ...list, gone });
    }
    this.#lists = next;
    this.#merge();
    await this.#keep();
    return (await this.#readOthers()) && complete;
  }

  // A list that cannot be read says nothing about the containers that were there, nor does one that is empty all at once.
  async #readZone(name: string): Promise<{ readonly list: ZoneList | undefined; readonly whole: boolean }> {
    const before = this.#lists.get(name);
    const found = await readContainers(this.#parts.client, name);
    if (!found.ok) {
      this.#warnKept(name, found.fault.words);
      return { list: before, whole: false };
    }
    if (found.value.length > 0) {
      this.#empty.delete(name);
      return { list: { containers: found.value, gone: false }, whole: true };
    }
    return before === undefined ? { list: undefined, whole: true } : this.#readEmpty(name, before);
  }

  // Seen twice, it is meant: NetBox lets no administrator take a zone out of the choice set while objects have it.
  async #readEmpty(
    name: string,
    before: ZoneList,
  ): Promise<{ readonly list: ZoneList | undefined; readonly whole: boolean }> {
    const times = (this.#empty.get(name) ?? 0) + 1;
    this.#empty.set(name, times);
    if (!before.gone && times < MOST_EMPTY) {
      this.#warnKept(name, 'lists no container of the zone any more');
      return { list: before, whole: false };
    }
    const list = (await this.#stillHeld(name)) ? { ...before, gone: true } : undefined;
    if (!before.gone) {
      const fields = { zone: name.slice(0, 63), held: list !== undefined };
      this.#parts.logger.warn('NetBox: a zone has no container any more and gives no address', fields);
    }
    if (list === undefined) this.#empty.delete(name);
    return { list, whole: true };
  }

  #warnKept(zone: string, problem: string): void {
    this.#unread = `the containers of ${zoneText(zone)} are those of before: NetBox ${problem}`;
    this.#parts.logger.warn('NetBox: the containers of a zone cannot be read, the last good ones stay', {
      zone: zone.slice(0, 63),
      problem: `NetBox ${problem}`,
    });
  }

  // Where the store cannot tell, the zone stays: draining harms no holder.
  async #stillHeld(zone: string): Promise<boolean> {
    return this.#parts.isHeld(zone).catch(() => true);
  }

  async #readOthers(): Promise<boolean> {
    let complete = true;
    const { client, isOurs } = this.#parts;
    const ranges = rangeReader(client, (fault) => {
      this.#warnRanges(fault);
    });
    for (const [zone, { containers, gone }] of this.#lists) {
      if (gone) continue;
      const others = await readOccupied(client, containers, { isOurs, ranges });
      if (others.ok) this.#occupied.set(zone, others.value);
      else complete = this.#warnOthers(zone, others.fault);
    }
    return complete;
  }

  #warnRanges({ words }: NetBoxFault): void {
    const problem = `NetBox ${words}; IP ranges count as none, give the token the right "view" on ipam.iprange`;
    this.#unread = problem;
    this.#parts.logger.warn('NetBox: IP ranges cannot be read', { problem });
  }

  #warnOthers(zone: string, { words }: NetBoxFault): false {
    const problem = `NetBox ${words}`;
    this.#unread = `what others have in ${zoneText(zone)} is as it was before: ${problem}`;
    this.#parts.logger.warn('NetBox: what others have in a zone cannot be read', { zone, problem });
    return false;
  }

  async #keep(): Promise<void> {
    const text = listsText(this.#lists);
    if (text === this.#kept) return;
    try {
      await this.#parts.rows.keep(NOTE, text);
      this.#kept = text;
    } catch (thrown) {
      // the next reading tries again; until then a restart begins with older lists
      this.#parts.logger.warn('NetBox: the zones cannot be kept for the next start', { cause: String(thrown) });
    }
  }

  #merge(): void {
    const before = this.#merged;
    this.#merged = mergeZones(this.#parts.file.current(), this.#lists, before.containers);
    this.#tell();
    if (JSON.stringify(shapeOf(before)) === JSON.stringify(shapeOf(this.#merged))) {
      // stores tell a changed space by its identity
      this.#merged = { ...this.#merged, catalogue: before.catalogue };
      return;
    }
    for (const listener of [...this.#listeners]) listener();
  }

  // Each problem once, until it changes.
  #tell(): void {
    for (const zone of this.#told.keys()) if (!this.#merged.problems.has(zone)) this.#told.delete(zone);
    for (const [zone, problem] of this.#merged.problems) {
      if (this.#told.get(zone) === problem) continue;
      this.#told.set(zone, problem);
      this.#parts.logger.error(`NetBox: the containers of ${zoneText(zone)} do not come into force`, { problem });
    }
  }
}

function shapeOf({ catalogue }: MergedZones): unknown {
  const { zones, defaultZone } = catalogue;
  return [
    defaultZone,
    zones.map((zone) => ({ ...zone, space: zone.space.toString(), choosable: zone.choosable.toString() })),
  ];
}
