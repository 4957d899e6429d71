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
import { accept, type Outcome } from '../../operator/errors/outcome';
import { parseZones, type ZoneCatalogue } from '../../operator/contract/zones';
import type { Claims, Taken, TakeRequest, Want } from '../../operator/ports/claims';
import type { ForeignAddresses } from '../../operator/ports/foreign-addresses';
import type { OwnStore } from '../../operator/ports/store';
import type { Clock } from '../../operator/ports/clock';
import type { OutsideRows, OutsideRowsHost } from '../../operator/ports/outside-rows';
import type { OutsideDifference } from '../../operator/ports/outside-source';
import type { ZoneSource } from '../../operator/ports/zone-source';
import type { FakeNetBox } from './fake-netbox';
import { ownerOf } from './claim-requests';
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

/** Parts that outlive a process: the store with its rows, the clock. */
export interface Ground {
  readonly store: OwnStore & OutsideRowsHost;
  readonly clock: ManualClock;
  readonly document: DocumentOfTest;
  readonly logger: RecordedLogger;
  readonly meter: RecordedMeter;
}

/** Makes what outlives a process. */
export function newGround(
  zones: readonly unknown[] = [{ name: 'own', prefixes: ['192.168.0.0/24'] }],
  clock: ManualClock = new ManualClock(),
  store: Ground['store'] = new MemoryClaimStore(clock),
): Ground {
  return {
    store,
    clock,
    document: new DocumentOfTest(zones),
    logger: new RecordedLogger(),
    meter: new RecordedMeter(),
  };
}

/** A take of one address as a test describes it. */
export interface NetBoxTake extends Partial<Want> {
  readonly name?: string;
  readonly zone?: string;
  readonly holder?: TakeRequest['holder'];
  readonly secret?: TakeRequest['secret'];
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
  /** Reads the findings of the newest comparison. */
  differences(): Promise<readonly OutsideDifference[]>;
  /** The store as the ledger sees it. */
  readonly claims: OwnStore & ForeignAddresses;
  take(more?: NetBoxTake): Promise<Outcome<Taken>>;
  /** Takes and expects success. */
  taken(more?: NetBoxTake): Promise<Address>;
  release(address: Address, quarantineMs?: number): Promise<void>;
  /** Lets time pass until no row waits, at most for an hour. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Parts of a world that a test replaces. */
export interface WorldOptions {
  readonly rows?: OutsideRows;
  readonly store?: OwnStore;
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
    url: netbox.url,
    clock: withoutPauses(clock),
    meter,
    timeoutMs: options.timeoutMs ?? 60_000,
    token: () => Promise.resolve(`${netbox.token}\n`),
  });
  const zones = await NetBoxZones.open({
    ...tools,
    client,
    rows,
    file: ground.document,
    refreshMs: 600_000,
    isOurs: (mark) => mark.startsWith(INSTALLATION),
    isHeld: async (zone) => (await ground.store.tally()).some((tally) => tally.pool === zone),
  });
  const fields = options.fields ?? { domain: 'na', env: 'na', purpose: 'na' };
  const hosts = new HostPrefixes({ client, tag: options.tag ?? 'vitistack', fields, adopt: options.adopt ?? false });
  const disputes = new DisputeList();
  const shared = { ...tools, rows, hosts, zones, locks: new AddressLocks(), disputes, markPrefix: INSTALLATION };
  const outbox = new Outbox({ ...shared, store, random: () => 1 });
  const kept = new KeptComparison(rows, clock);
  const sweep = new NetBoxSweep({ ...shared, client, store, kept, everyMs: 600_000, graceMs: 600_000 });
  const claims = withOutside(store, shared);
  const take: NetBoxWorld['take'] = async (more = {}) => {
    const taken = await claims.take(netBoxTake(zones, more));
    return taken.ok ? accept(firstOf(taken.value)) : taken;
  };
  return {
    ...ground,
    client,
    rows,
    zones,
    hosts,
    outbox,
    sweep,
    claims,
    take,
    disputes,
    differences: async () => (await kept.newest())?.differences ?? [],
    taken: async (more) => {
      const outcome = await take(more);
      if (!outcome.ok) throw new RangeError(outcome.refusal.message);
      return outcome.value.record.address;
    },
    release: async (address, quarantineMs) => {
      const record = await ground.store.get({ network: 'default', address });
      const pause = quarantineMs === undefined ? {} : { quarantineMs };
      await claims.release({
        network: 'default',
        address,
        version: record?.version ?? 0,
        ...pause,
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

/** A take of one address of a zone, the lowest one unless it says otherwise. */
export function netBoxTake(
  zones: Pick<NetBoxZones, 'current'>,
  { name = 'web', zone: pool = 'inet', holder, key, secret = { hash: 'k1:aa', scope: 'shared' }, ...more }: NetBoxTake,
): TakeRequest {
  const found = zones.current().zone(pool);
  if (found === undefined) throw new RangeError(`no zone ${pool}`);
  const own = ownerOf(name, { cluster: 'cluster-uid', namespace: 'default', namespaceUid: 'ns-uid' });
  return {
    network: found.network,
    pool,
    secret,
    wants: [{ family: 4, space: found.space, key: key ?? `key-${name}`, ...more }],
    holder: holder ?? { owner: own, state: 'reserved' },
  };
}

function firstOf([first]: readonly Taken[]): Taken {
  if (first === undefined) throw new RangeError('the take answered nothing');
  return first;
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
export async function heldIn(store: Pick<Claims, 'list'>, zone = 'inet'): Promise<readonly string[]> {
  const records = await store.list({ by: 'pool', network: 'default', pool: zone });
  return records.map(({ address }) => address.toString());
}

/** Shorthand for an address. */
export const ip = addressOf;
