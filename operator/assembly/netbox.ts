import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AddressLocks } from '../backends/netbox/address-locks';
import { KeptComparison } from '../backends/netbox/kept-comparison';
import { HostPrefixes } from '../backends/netbox/host-prefixes';
import { NetBoxClient } from '../backends/netbox/netbox-client';
import { NetBoxSweep } from '../backends/netbox/netbox-sweep';
import { NetBoxZones } from '../backends/netbox/netbox-zones';
import { Outbox } from '../backends/netbox/outbox';
import { withOutside } from '../backends/netbox/outside-claim-store';
import { DisputeList } from '../backends/netbox/dispute-list';
import { IpamError } from '../errors/ipam-error';
import { together, whileLeading, type LeaderWork } from '../runtime/leadership';
import type { ClaimCounts } from '../ports/claim-counts';
import type { Claims } from '../ports/claims';
import type { Disputes } from '../ports/disputes';
import type { ForeignAddresses } from '../ports/foreign-addresses';
import type { OutsideRows, OutsideRowsHost } from '../ports/outside-rows';
import type { OutsideSource } from '../ports/outside-source';
import type { ZoneSource } from '../ports/zone-source';
import type { HealthCheck } from '../server/health';
import type { Settings } from '../settings/options';
import type { Tools } from '../ports/tools';

/** Name of the note that tells our prefixes in NetBox from those of other installations. */
const INSTALLATION = 'netbox-installation';

/** A store that an outside source may stand beside. */
type RecordStore = Claims & ClaimCounts & Partial<OutsideRowsHost>;

/** What an outside source is put beside. */
export interface OutsideGround<S> extends Tools {
  readonly store: S;
  /** The zones document. */
  readonly zones: ZoneSource;
}

/** Store and zones with the outside source behind them; without one, what they were before. */
export interface Outside<S> {
  readonly store: S;
  /** Says what it has for others; absent without one. */
  readonly foreign?: ForeignAddresses;
  readonly zones: ZoneSource;
  /** What must be well before the process is ready. */
  readonly checks: readonly HealthCheck[];
  /** What the leader does for the outside source. */
  readonly leaderWork?: LeaderWork;
  /** Tells how the outside source and the record differ; absent without one. */
  readonly source?: OutsideSource;
  /** What it has for somebody else; absent without one. */
  readonly disputes?: Disputes;
  close(): Promise<void>;
}

/**
 * Puts NetBox beside the store, where one is configured: its zones are served, its prefixes follow the record.
 *
 * @param settings - URL, token, tag and pauses
 * @param ground - store, zones document, tools
 * @returns store and zones to go on with; NetBox was read once, or its last good zones are in force
 * @throws IpamError `settings/invalid` where the store keeps no rows for it
 */
export async function openOutside<S extends RecordStore>(
  settings: Settings,
  ground: OutsideGround<S>,
): Promise<Outside<S>> {
  const { store, zones: file } = ground;
  if (settings.netboxUrl === '') {
    return { store, zones: file, checks: [], close: () => Promise.resolve() };
  }
  const rows = store.outsideRows?.();
  if (rows === undefined)
    throw new IpamError('settings/invalid', `--netbox-url: the store "${settings.store}" keeps no record for NetBox`);
  return openNetBox(settings, ground, rows);
}

async function openNetBox<S extends RecordStore>(
  settings: Settings,
  ground: OutsideGround<S>,
  rows: OutsideRows,
): Promise<Outside<S>> {
  const { store, clock, logger, meter } = ground;
  const tools = { clock, logger, meter };
  const client = new NetBoxClient({
    url: new URL(settings.netboxUrl),
    token: () => readFile(settings.netboxTokenFile, 'utf8'),
    ...(settings.netboxCaFile === '' ? {} : { ca: () => readFile(settings.netboxCaFile, 'utf8') }),
    ...{ clock, meter },
  });
  const markPrefix = `ipam-${await rows.agree(INSTALLATION, randomBytes(4).toString('hex'))}-`;
  const refreshMs = settings.netboxRefreshSeconds * 1000;
  const zones = await NetBoxZones.open({
    ...tools,
    ...{ client, rows, file: ground.zones, refreshMs },
    isOurs: (mark) => mark.startsWith(markPrefix),
    isHeld: async (zone) => (await store.tally()).some((tally) => tally.pool === zone),
  });
  const hosts = new HostPrefixes({
    client,
    tag: settings.netboxTag,
    fields: fieldsOf(settings.netboxFields),
    adopt: settings.netboxAdopt,
  });
  const disputes = new DisputeList();
  const shared = { ...tools, rows, hosts, zones, locks: new AddressLocks(), disputes, markPrefix };
  const outbox = new Outbox({ ...shared, store, random: Math.random });
  const kept = new KeptComparison(rows, clock);
  const sweep = new NetBoxSweep({ ...shared, client, store, kept, everyMs: refreshMs, graceMs: refreshMs });
  const beside = withOutside(store, shared);
  return {
    store: beside,
    foreign: beside,
    zones,
    checks: [{ name: 'netbox', run: () => zones.problem() }],
    leaderWork: together(
      whileLeading(() => outbox.start()),
      whileLeading(() => sweep.start()),
    ),
    source: { name: 'NetBox', comparison: () => kept.newest() },
    disputes,
    close: async () => {
      client.close();
      await zones.close();
    },
  };
}

function fieldsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const);
  return Object.fromEntries(pairs);
}
