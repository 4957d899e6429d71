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
import { together, whileLeading } from '../runtime/leadership';
import type { OutsideRows } from '../ports/outside-rows';
import type { OutsideSource } from '../ports/outside-source';
import type { ZoneSource } from '../ports/zone-source';
import type { HealthCheck } from '../server/health';
import type { Tools } from '../ports/tools';
import type { Settings } from '../settings/options';
import type { OwnClaims } from './claims';

/** Name of the note that tells our prefixes in NetBox from those of other installations. */
const INSTALLATION = 'netbox-installation';

/** Settings of NetBox. */
export type OutsideSettings = Pick<
  Settings,
  | 'store'
  | 'netboxUrl'
  | 'netboxTokenFile'
  | 'netboxCaFile'
  | 'netboxTag'
  | 'netboxFields'
  | 'netboxAdopt'
  | 'netboxRefreshSeconds'
>;

/** Parts that an outside source is put beside. */
interface OutsideParts {
  readonly claims: OwnClaims;
  /** The zones document. */
  readonly zones: ZoneSource;
  readonly tools: Tools;
}

/** Claims and zones with the outside source behind them; without one, as they were before. */
interface OpenedOutside {
  readonly claims: OwnClaims;
  readonly zones: ZoneSource;
  /** Checks of the outside source, before the process is ready. */
  readonly checks: readonly HealthCheck[];
  /** Tells how the outside source and the claims differ; absent without one. */
  readonly outside?: OutsideSource;
  readonly close: () => Promise<void>;
}

/**
 * Puts NetBox beside the claims, where one is configured: its zones are served, its prefixes follow the claims.
 *
 * @param settings - URL, token, tag and pauses
 * @param parts - claims, zones document, tools
 * @returns claims and zones to go on with; NetBox was read once, or its last good zones are in force
 * @throws IpamError `settings/invalid` where the store keeps no rows for it
 */
export async function openOutside(settings: OutsideSettings, parts: OutsideParts): Promise<OpenedOutside> {
  const { claims, zones } = parts;
  if (settings.netboxUrl === '') return { claims, zones, checks: [], close: () => Promise.resolve() };
  const rows = claims.outsideRows;
  if (rows === undefined)
    throw new IpamError('settings/invalid', `--netbox-url: the store "${settings.store}" keeps no record for NetBox`);
  return openNetBox(settings, parts, rows);
}

async function openNetBox(
  settings: OutsideSettings,
  { claims, zones: file, tools }: OutsideParts,
  rows: OutsideRows,
): Promise<OpenedOutside> {
  const { store, clock } = claims;
  const { meter } = tools;
  const client = new NetBoxClient({
    url: new URL(settings.netboxUrl),
    token: () => readFile(settings.netboxTokenFile, 'utf8'),
    ...(settings.netboxCaFile === '' ? {} : { ca: () => readFile(settings.netboxCaFile, 'utf8') }),
    clock,
    meter,
  });
  const refreshMs = settings.netboxRefreshSeconds * 1000;
  const { markPrefix, zones } = await openNetBoxZones({ tools, client, rows, file, store, refreshMs }).catch(
    (thrown: unknown) => {
      client.close();
      throw thrown;
    },
  );
  const hosts = new HostPrefixes({
    client,
    tag: settings.netboxTag,
    fields: fieldsOf(settings.netboxFields),
    adopt: settings.netboxAdopt,
  });
  const disputes = new DisputeList();
  const shared = { ...tools, clock, rows, hosts, zones, locks: new AddressLocks(), disputes, markPrefix };
  const outbox = new Outbox({ ...shared, store, random: Math.random });
  const comparison = new KeptComparison(rows, clock);
  const sweep = new NetBoxSweep({
    ...shared,
    client,
    store,
    kept: comparison,
    everyMs: refreshMs,
    graceMs: refreshMs,
  });
  const leaderWork = together(
    whileLeading(() => outbox.start()),
    whileLeading(() => sweep.start()),
  );
  const beside = withOutside(store, shared);
  // NetBox would go on to name the former holders
  const { exchanges: _unseen, ...kept } = claims;
  return {
    claims: { ...kept, store: beside, foreign: beside, leaderWork, disputes },
    zones,
    checks: [
      { name: 'netbox', run: () => zones.problem() },
      // the record serves without NetBox, but `ipam doctor` tells
      { name: 'netbox calls', run: () => client.problem() ?? zones.unread(), isAdvice: true },
    ],
    outside: { name: 'NetBox', comparison: () => comparison.newest() },
    close: async () => {
      client.close();
      await zones.close();
    },
  };
}

/** Parts that the zones of NetBox are read with. */
interface ZonesParts {
  readonly tools: OutsideParts['tools'];
  readonly client: NetBoxClient;
  readonly rows: OutsideRows;
  readonly file: OutsideParts['zones'];
  readonly store: OutsideParts['claims']['store'];
  readonly refreshMs: number;
}

async function openNetBoxZones({
  tools,
  client,
  rows,
  file,
  store,
  refreshMs,
}: ZonesParts): Promise<{ readonly markPrefix: string; readonly zones: NetBoxZones }> {
  const markPrefix = `ipam-${await rows.agree(INSTALLATION, randomBytes(4).toString('hex'))}-`;
  const zones = await NetBoxZones.open({
    ...tools,
    client,
    rows,
    file,
    refreshMs,
    isOurs: (mark) => mark.startsWith(markPrefix),
    isHeld: async (zone) => (await store.tally()).some((tally) => tally.pool === zone),
  });
  return { markPrefix, zones };
}

function fieldsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const);
  return Object.fromEntries(pairs);
}
