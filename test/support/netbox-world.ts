import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { AddressLocks } from '../../operator/backends/netbox/address-locks';
import { HostPrefixes } from '../../operator/backends/netbox/host-prefixes';
import { KeptComparison } from '../../operator/backends/netbox/kept-comparison';
import { NetBoxClient } from '../../operator/backends/netbox/netbox-client';
import { NetBoxSweep } from '../../operator/backends/netbox/netbox-sweep';
import { NetBoxZones } from '../../operator/backends/netbox/netbox-zones';
import { Outbox } from '../../operator/backends/netbox/outbox';
import { withOutside } from '../../operator/backends/netbox/outside-claim-store';
import { addressOf, type Address } from '../../operator/addressing/address';
import { DisputeList } from '../../operator/backends/netbox/dispute-list';
import type { Outcome } from '../../operator/errors/outcome';
import { parseZones, type ZoneCatalogue } from '../../operator/contract/zones';
import type { ClaimStore, Taken, TakeRequest } from '../../operator/ports/claim-store';
import type { Clock } from '../../operator/ports/clock';
import type { OutsideRows, OutsideRowsHost } from '../../operator/ports/outside-rows';
import type { OutsideDifference } from '../../operator/ports/outside-source';
import type { ZoneSource } from '../../operator/ports/zone-source';
import type { FakeNetBox } from './fake-netbox';
import { ManualClock } from './manual-clock';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

/** A zones document that a test changes. */
class DocumentOfTest implements ZoneSource {
  #catalogue: ZoneCatalogue;
  readonly #listeners = new Set<() => void>();

  constructor(zones: readonly unknown[]) {
    this.#catalogue = catalogueOf(zones);
  }

  current(): ZoneCatalogue {
    return this.#catalogue;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(zones: readonly unknown[]): void {
    this.#catalogue = catalogueOf(zones);
    for (const listener of this.#listeners) listener();
  }
}

function catalogueOf(zones: readonly unknown[]): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones });
  if (!parsed.ok) throw new RangeError(parsed.problems.map(({ message }) => message).join('; '));
  return parsed.value;
}

/** What outlives a process: the store with its rows, the clock. */
export interface Ground {
  readonly store: ClaimStore & OutsideRowsHost;
  readonly clock: ManualClock;
  readonly document: DocumentOfTest;
  readonly logger: RecordedLogger;
  readonly meter: RecordedMeter;
}

/** Makes what outlives a process. */
export function newGround(
  zones: readonly unknown[] = [{ name: 'own', prefixes: ['192.168.0.0/24'] }],
  store: Ground['store'] = new MemoryClaimStore(),
): Ground {
  return {
    store,
    clock: new ManualClock(),
    document: new DocumentOfTest(zones),
    logger: new RecordedLogger(),
    meter: new RecordedMeter(),
  };
}

/** One process with NetBox beside its store. */
export interface NetBoxWorld extends Ground {
  readonly client: NetBoxClient;
  readonly rows: OutsideRows;
  readonly zones: NetBoxZones;
  readonly hosts: HostPrefixes;
  readonly outbox: Outbox;
  readonly sweep: NetBoxSweep;
  readonly disputes: DisputeList;
  /** What the newest comparison found. */
  differences(): Promise<readonly OutsideDifference[]>;
  /** The store as the ledger sees it. */
  readonly claims: ClaimStore;
  take(more?: Partial<TakeRequest> & { readonly name?: string }): Promise<Outcome<Taken>>;
  /** Takes and expects success. */
  taken(more?: Partial<TakeRequest> & { readonly name?: string }): Promise<Address>;
  release(address: Address, quarantineUntilMs?: number): Promise<void>;
  /** Lets time pass until no row waits, at most for an hour. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Parts of a world that a test replaces. */
export interface WorldOptions {
  readonly rows?: OutsideRows;
  readonly store?: ClaimStore;
  readonly timeoutMs?: number;
  readonly tag?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly adopt?: boolean;
}

export const INSTALLATION = 'ipam-0a1b2c3d-';

/** Starts a process on a ground. */
export async function startWorld(
  netbox: FakeNetBox,
  ground = newGround(),
  options: WorldOptions = {},
): Promise<NetBoxWorld> {
  const { clock, logger, meter } = ground;
  const tools = { clock, logger, meter };
  const rows = options.rows ?? ground.store.outsideRows();
  const store = options.store ?? ground.store;
  const client = new NetBoxClient({
    ...{ url: netbox.url, clock: withoutPauses(clock), meter, timeoutMs: options.timeoutMs ?? 60_000 },
    token: () => Promise.resolve(`${netbox.token}\n`),
  });
  const zones = await NetBoxZones.open({
    ...tools,
    ...{ client, rows, file: ground.document, refreshMs: 600_000 },
    isOurs: (mark) => mark.startsWith(INSTALLATION),
    isHeld: async (zone) => (await ground.store.tally(clock.nowMs())).some((tally) => tally.zone === zone),
  });
  const fields = options.fields ?? { domain: 'na', env: 'na', purpose: 'na' };
  const hosts = new HostPrefixes({ client, tag: options.tag ?? 'vitistack', fields, adopt: options.adopt ?? false });
  const disputes = new DisputeList();
  const shared = { ...tools, rows, hosts, zones, locks: new AddressLocks(), disputes, markPrefix: INSTALLATION };
  const outbox = new Outbox({ ...shared, store, random: () => 1 });
  const kept = new KeptComparison(rows, clock);
  const sweep = new NetBoxSweep({ ...shared, client, store, kept, everyMs: 600_000, graceMs: 600_000 });
  const claims = withOutside(store, shared);
  const take: NetBoxWorld['take'] = ({ name = 'web', ...more } = {}) =>
    claims.take(takeRequest({ zones, clock, name }, more));
  return {
    ...ground,
    ...{ client, rows, zones, hosts, outbox, sweep, claims, take, disputes },
    differences: async () => (await kept.newest())?.differences ?? [],
    taken: async (more) => {
      const outcome = await take(more);
      if (!outcome.ok) throw new RangeError(outcome.refusal.message);
      return outcome.value.record.address;
    },
    release: async (address, quarantineUntilMs) => {
      const record = await ground.store.get('default', address, clock.nowMs());
      const until = quarantineUntilMs === undefined ? {} : { quarantineUntilMs };
      await claims.release({
        ...{ network: 'default', address, version: record?.version ?? 0, nowMs: clock.nowMs(), ...until },
        holderId: record?.holders[0]?.id ?? '',
      });
    },
    settle: async () => {
      for (let seconds = 0; seconds < 3600; seconds += 5) {
        while ((await outbox.work()) > 0);
        if ((await rows.due(Number.MAX_SAFE_INTEGER, 1)).length === 0) return;
        clock.advance(5_000);
      }
    },
    close: async () => {
      client.close();
      await zones.close();
    },
  };
}

/** The pause between two tries of one call is over at once; longer waits are the test's. */
function withoutPauses(clock: ManualClock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    after: (ms, run) => {
      if (ms >= 1_000) return clock.after(ms, run);
      const soon = setImmediate(run);
      return () => {
        clearImmediate(soon);
      };
    },
  };
}

function takeRequest(
  { zones, clock, name }: { readonly zones: NetBoxZones; readonly clock: ManualClock; readonly name: string },
  more: Partial<TakeRequest>,
): TakeRequest {
  const zone = more.zone ?? 'inet';
  const found = zones.current().zone(zone);
  if (found === undefined) throw new RangeError(`no zone ${zone}`);
  return {
    ...{ network: found.network, zone, family: 4, space: found.space, nowMs: clock.nowMs() },
    secret: { hash: 'k1:aa', scope: 'shared' },
    holder: {
      service: { serviceName: name, namespaceUid: 'ns-uid', clusterUid: 'cluster-uid' },
      ...{ namespace: 'default', state: 'reserved', key: `key-${name}`, writtenKeys: [] },
      options: { retentionPeriodDays: 0, denyExternalCleanup: false },
    },
    ...more,
  };
}

/** Replaces some verbs of an object. */
export function withVerbs<T extends object>(object: T, verbs: Partial<T>): T {
  return new Proxy(object, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in verbs ? verbs : target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Addresses of a store, as text. */
export async function heldIn(
  store: Pick<ClaimStore, 'list'>,
  nowMs: number,
  zone = 'inet',
): Promise<readonly string[]> {
  const records = await store.list({ by: 'zone', network: 'default', zone }, nowMs);
  return records.map(({ address }) => address.toString());
}

/** Shorthand for an address. */
export const ip = addressOf;
