import type { Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { hideForeign, sourceOf } from '../../contract/occupied-source';
import { SERVICE } from '../../contract/service-identity';
import { isIpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import type { Cluster } from '../../ports/cluster';
import type { AddressRecord, Claims, Holder } from '../../ports/claims';
import type { OwnedAddress } from '../../ports/address-book';
import type { EventRecorder } from '../../ports/event-recorder';
import type { AddressUse, FindOccupied, MetClaim, OccupiedAddresses } from '../../ports/occupied-addresses';
import type { ShowingFeed } from '../../ports/showing-feed';
import type { Tools } from '../../ports/tools';
import type { ZoneSource } from '../../ports/zone-source';
import { addressesInZones } from './addresses-in-zones';
import { followShown } from './follow-shown';
import { othersFirst } from '../records/others-first';
import { OwnedPlaces } from './owned-places';
import { OverfullNamespaces } from './overfull-namespaces';
import { countsIn, ShownIndex, type Showing } from './shown-index';
import { WrittenUses, type WantedUse } from './written-uses';

/** Pause in which changes come together before they are written. */
const GATHER_MS = 100;
/** Pause after a fault of store or cluster. */
const AGAIN_MS = 5_000;
/** So long before a quarantine ends that its former holder may still show its address, it is looked at again. */
const BEFORE_END_MS = 5_000;
/** Pause before everything is compared again after the record did not tell of some claims. */
const UNTOLD_MS = 60_000;
const GAUGES = ['occupied_addresses', 'external_ips_ignored', 'claims_met'] as const;
/** Addresses of which claims are read side by side. */
const AT_ONCE = 64;
/** Addresses that are judged before others get their turn. */
const OTHERS_FIRST = 8 * AT_ONCE;
/** Pause between a change and the look for claims that it meets. */
const MEET_SOON_MS = 250;
/** Pause between two looks for claims at addresses that other clusters show. */
const MEET_MS = 30_000;

/** Parts of the gathering. */
export interface GatherParts extends Tools {
  /** The stored objects of the cluster whose addresses are in use without a claim. */
  readonly shows: readonly ShowingFeed[];
  /** Where what is shown is kept. */
  readonly findUses: FindOccupied;
  /** Of the own cluster at least; `get` throws `store/not-ready` where the record does not tell. */
  readonly claims: Pick<Claims, 'get' | 'watch'>;
  /**
   * Lists the claims of a cluster, so that a comparison of everything need not ask for each address.
   *
   * @default - each address is asked for
   */
  readonly owners?: ((clusterUid: string) => Promise<readonly OwnedAddress[]>) | undefined;
  /** Of the record: what its moments are compared with. */
  readonly storeClock: Pick<Clock, 'nowMs'>;
  readonly zones: ZoneSource;
  readonly cluster: Pick<Cluster, 'clusterUid' | 'namespace'>;
  /** Seconds between two comparisons of everything with the record. */
  readonly resyncSeconds: number;
  readonly events: EventRecorder;
  /** Called once the record is complete for some networks. */
  readonly onComplete: (networks: readonly string[]) => void;
  /** Called with every claim of the cluster at whose address something else is shown. */
  readonly onMet: (claims: readonly MetClaim[]) => void;
}

/**
 * Keeps on record what the objects of the cluster show without a claim, while this process leads: differences only, within a moment
 * after each change.
 *
 * @param parts - objects, record, zones, tools
 * @returns the function that ends it; it waits for what is under way
 */
export function gatherUses(parts: GatherParts): () => Promise<void> {
  const gathering = new Gathering(parts);
  return () => gathering.end();
}

class Gathering {
  readonly #parts: GatherParts;
  readonly #index: ShownIndex;
  readonly #due = new Map<string, Address>();
  readonly #stops: (() => void)[] = [];
  readonly #timers = new Map<string, () => void>();
  readonly #overfull: OverfullNamespaces;
  /** Absent while the record has no place for what is shown, and before the first comparison. */
  #record: { readonly uses: OccupiedAddresses; readonly written: WrittenUses } | undefined;
  /** Of how many addresses it is not known whether they are ours, since the last comparison of everything. They stay on record as they are. */
  #untold = 0;
  /** Addresses of this cluster, while everything is compared. */
  #owned: OwnedPlaces | undefined;
  #clusterUid = '';
  #networks: ReadonlySet<string> = new Set();
  #ended = false;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: GatherParts) {
    this.#parts = parts;
    this.#index = new ShownIndex((block) => {
      this.#markAll(block);
    });
    const { meter, events, cluster } = parts;
    const uidOf = async (name: string): Promise<string | undefined> => (await cluster.namespace(name))?.uid;
    this.#overfull = new OverfullNamespaces({ meter, events, uidOf });
    const synced = Promise.all(parts.shows.map(({ feed }) => feed.whenSynced()));
    this.#running = synced.then(
      () => {
        this.#listen();
      },
      // a feed that is closed before its first list shows nothing
      () => undefined,
    );
  }

  async end(): Promise<void> {
    this.#ended = true;
    for (const stop of this.#stops) stop();
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await this.#running;
    // the next leader tells
    for (const name of GAUGES) this.#parts.meter.clear(name);
  }

  #listen(): void {
    if (this.#ended) return;
    const { shows, claims, zones } = this.#parts;
    this.#stops.push(
      followShown(shows, this.#index),
      claims.watch(({ network, address }) => {
        this.#owned?.changes({ network, address });
        if (this.#index.at(address).some(({ kind }) => kind === 'ingress')) this.#mark(address);
      }),
      zones.onChange?.(() => {
        this.#restart();
      }) ?? (() => undefined),
    );
    this.#later('pass', 0, () => this.#everything());
  }

  #markAll(block: Prefix): void {
    for (const address of addressesInZones(this.#parts.zones.current(), block)) this.#mark(address);
  }

  #mark(address: Address): void {
    this.#due.set(address.toString(), address);
    if (this.#record !== undefined) this.#later('pass', GATHER_MS, () => this.#pass());
  }

  #restart(): void {
    this.#record = undefined;
    this.#later('pass', 0, () => this.#everything());
  }

  // One thing runs at a time; a timer that is set already stands.
  #later(name: string, ms: number, work: () => Promise<void>): void {
    if (this.#ended || this.#timers.has(name)) return;
    const cancel = this.#parts.clock.after(ms, () => {
      this.#timers.delete(name);
      this.#running = this.#running.then(() => this.#try(name, work));
    });
    this.#timers.set(name, cancel);
  }

  async #try(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#ended) return;
    try {
      await work();
    } catch (thrown) {
      const code = isIpamError(thrown) ? thrown.code : 'internal';
      this.#parts.logger.warn('addresses in use could not be put on record; tried again', { code });
      this.#record = undefined;
      this.#later(name, AGAIN_MS, () => this.#everything());
    }
  }

  // Compares everything that is shown with everything that is on record.
  async #everything(): Promise<void> {
    const { cluster, findUses, zones, onComplete, resyncSeconds } = this.#parts;
    this.#clusterUid = await cluster.clusterUid();
    this.#untold = 0;
    this.#networks = new Set(zones.current().zones.map(({ network }) => network));
    const networks = [...this.#networks];
    const uses = await findUses();
    if (uses === undefined) this.#withoutRecord();
    else {
      await this.#compare(uses);
      if (this.#untold === 0) await uses.complete({ cluster: this.#clusterUid, networks });
    }
    // the claims of this process do not wait for a record that may never tell
    onComplete(networks);
    await this.#meet();
    this.#later('resync', resyncSeconds * 1000, () => this.#everything());
  }

  async #compare(uses: OccupiedAddresses): Promise<void> {
    const written = new WrittenUses(uses, this.#clusterUid);
    for (const { address } of await written.read()) this.#due.set(address.toString(), address);
    for (const address of this.#index.addresses()) this.#due.set(address.toString(), address);
    for (const { block } of this.#index.blocks()) this.#markAll(block);
    await written.write(written.outside(this.#networks));
    this.#record = { uses, written };
    try {
      await this.#readOwned();
      await this.#pass();
    } finally {
      this.#owned = undefined;
    }
  }

  async #readOwned(): Promise<void> {
    const { owners } = this.#parts;
    if (owners === undefined) return;
    // first, so that what changes while the list is made is asked for
    const owned = (this.#owned = new OwnedPlaces());
    await owned.fill(await owners(this.#clusterUid));
  }

  // What it had on record before is not known either, nor what meets claims.
  #withoutRecord(): void {
    const { meter, onMet } = this.#parts;
    this.#record = undefined;
    this.#due.clear();
    for (const name of ['occupied_addresses', 'claims_met'] as const) meter.clear(name);
    onMet([]);
  }

  async #pass(): Promise<void> {
    const { meter } = this.#parts;
    if (this.#record === undefined) return this.#everything();
    const { written } = this.#record;
    const due = [...this.#due.values()];
    this.#due.clear();
    const wanted: WantedUse[] = [];
    for (let at = 0; at < due.length; at += AT_ONCE) {
      const some = due.slice(at, at + AT_ONCE).map((address) => this.#wantedAt(address));
      wanted.push(...(await Promise.all(some)).flat());
      if ((at + AT_ONCE) % OTHERS_FIRST === 0) await othersFirst();
    }
    const count = await written.write(wanted);
    for (const [weight, value] of Object.entries(written.counts())) meter.set('occupied_addresses', value, { weight });
    await this.#overfull.tell(this.#index.overfull());
    if (count > 0) this.#later('meet soon', MEET_SOON_MS, () => this.#meet());
  }

  async #meet(): Promise<void> {
    const { onMet, meter } = this.#parts;
    if (this.#record === undefined) return;
    const met = await this.#record.uses.met(this.#clusterUid);
    meter.set('claims_met', met.length);
    // users of this cluster read it in Events
    onMet(met.map((claim) => ({ ...claim, use: hideForeign(claim.use, (cluster) => cluster === this.#clusterUid) })));
    this.#later('meet', MEET_MS, () => this.#meet());
  }

  async #wantedAt(address: Address): Promise<readonly WantedUse[]> {
    const networks = [...this.#networks];
    const showings = this.#index.at(address);
    const others = showings.filter((each) => this.#owned?.has(networks, address, each) !== true);
    const held = others.some(({ kind }) => kind === 'ingress') ? await this.#recordsAt(networks, address) : [];
    if (held === undefined) return [];
    const occupying = others.filter((showing) => showing.kind !== 'externalIPs' && !this.#isOurs(showing, held));
    const [avoided] = showings.filter(({ kind }) => kind === 'externalIPs');
    return networks.map((network) => ({
      network,
      address,
      use: this.#useOf(network, {
        address,
        weightiest: occupying.find((each) => countsIn(each, network) && this.#isKept(network, address, each)),
        avoided,
      }),
    }));
  }

  // Undefined where the record does not tell: to write a served address as foreign would be worse than to write nothing.
  async #recordsAt(networks: readonly string[], address: Address): Promise<readonly AddressRecord[] | undefined> {
    try {
      const records = await Promise.all(networks.map((network) => this.#parts.claims.get({ network, address })));
      return records.filter((record) => record !== undefined);
    } catch (thrown) {
      if (!isIpamError(thrown) || thrown.code !== 'store/not-ready') throw thrown;
      this.#untold += 1;
      this.#later('untold', UNTOLD_MS, () => this.#everything());
      return undefined;
    }
  }

  #useOf(
    network: string,
    shown: {
      readonly address: Address;
      readonly weightiest: Showing | undefined;
      readonly avoided: Showing | undefined;
    },
  ): AddressUse | undefined {
    const { address, weightiest, avoided } = shown;
    if (weightiest !== undefined) return { source: weightiest.source, weight: 'occupied' };
    if (avoided === undefined || !this.#isInZone(network, address)) return undefined;
    return { source: avoided.source, weight: 'avoided' };
  }

  // Of a prefix only what a zone has is on record; the rest of it may be without end.
  #isKept(network: string, address: Address, { block }: Showing): boolean {
    return block === undefined || this.#isInZone(network, address);
  }

  // Addresses that are not given out need not be avoided.
  #isInZone(network: string, address: Address): boolean {
    const { zones } = this.#parts.zones.current();
    return zones.some((zone) => zone.network === network && zone.space.contains(address));
  }

  // The ingress of a Service that has a claim there. What it left a moment ago it may still show, until the quarantine ends.
  #isOurs({ kind, uid, source }: Showing, records: readonly AddressRecord[]): boolean {
    if (kind !== 'ingress') return false;
    const isIt = ({ owner }: Holder): boolean =>
      owner.cluster === this.#clusterUid &&
      owner.kind === SERVICE.kind &&
      (owner.uid === undefined ? sourceOf(owner) === source : owner.uid === uid);
    return records.some(({ holders, quarantine, address }) => {
      if (holders.some(isIt)) return true;
      if (quarantine === undefined || !isIt(quarantine.former)) return false;
      const leftMs = quarantine.untilMs - this.#parts.storeClock.nowMs() - BEFORE_END_MS;
      if (leftMs <= 0) return false;
      this.#later(`end ${address.toString()}`, leftMs, () => {
        this.#mark(address);
        return Promise.resolve();
      });
      return true;
    });
  }
}
