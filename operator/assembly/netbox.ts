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
import type { ClaimStore } from '../ports/claim-store';
import type { Disputes } from '../ports/disputes';
import type { OutsideRows, OutsideRowsHost } from '../ports/outside-rows';
import type { OutsideSource } from '../ports/outside-source';
import type { ZoneSource } from '../ports/zone-source';
import type { HealthCheck } from '../server/health';
import type { Settings } from '../settings/options';
import type { Tools } from '../ports/tools';

/** Name of the note that tells our prefixes in NetBox from those of other installations. */
const INSTALLATION = 'netbox-installation';

/** What an outside source is put beside. */
export interface OutsideGround extends Tools {
  readonly store: ClaimStore & Partial<OutsideRowsHost>;
  /** The zones document. */
  readonly zones: ZoneSource;
}

/** Store and zones with the outside source behind them; without one, what they were before. */
export interface Outside {
  readonly store: ClaimStore;
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
export async function openOutside(settings: Settings, ground: OutsideGround): Promise<Outside> {
  const { store, zones: file } = ground;
  if (settings.netboxUrl === '') {
    return { store, zones: file, checks: [], close: () => Promise.resolve() };
  }
  const rows = store.outsideRows?.();
  if (rows === undefined)
    throw new IpamError('settings/invalid', `--netbox-url: the store "${settings.store}" keeps no record for NetBox`);
  return openNetBox(settings, ground, rows);
}

async function openNetBox(settings: Settings, ground: OutsideGround, rows: OutsideRows): Promise<Outside> {
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
    isHeld: async (zone) => (await store.tally(clock.nowMs())).some((tally) => tally.zone === zone),
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
  return {
    store: withOutside(store, shared),
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
