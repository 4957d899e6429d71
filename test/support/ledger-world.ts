import { createHmac } from 'node:crypto';
import { addressOf, type Address } from '../../operator/addressing/address';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { parseZones, type ZoneCatalogue, type ZoneProps } from '../../operator/contract/zones';
import { SERVICE } from '../../operator/contract/service-identity';
import type { Outcome, Refusal } from '../../operator/errors/outcome';
import type { LocalAddressBook } from '../../operator/ledger/local-address-book';
import { openLedger, type Ledger } from '../../operator/ledger/open-ledger';
import { ownRecord } from './own-record';
import type {
  Claimant,
  ClaimantSecret,
  Grant,
  LiveKind,
  LiveObject,
  ReserveRequest,
} from '../../operator/ports/address-book';
import type { OccupiedAddressesHost } from '../../operator/ports/occupied-addresses';
import type { AddressRecord, SharingTerms } from '../../operator/ports/claims';
import type { Registry } from '../../operator/ports/registry';
import type { SecretHasher } from '../../operator/ports/secret-hasher';
import type { OwnStore } from '../../operator/ports/store';
import type { ZoneSource } from '../../operator/ports/zone-source';
import { ManualClock } from './manual-clock';
import { usesOf } from './occupied-suite';
import type { StoreUnderTest } from './store-under-test';

/** Hash with a key of the test. */
export const testHasher: SecretHasher = {
  hash: (secret) => `k1:${createHmac('sha256', 'key of the test').update(secret).digest('hex')}`,
  fingerprint: 'fingerprint of the test key',
};

/** The cluster's default secret, and one that a user made. */
export const DEFAULT: ClaimantSecret = { value: 'default-secret-of-c1', scope: 'namespace' };
export const CUSTOM: ClaimantSecret = { value: 'custom-secret-of-a', scope: 'shared' };

/** Zones that a test may change while the ledger runs. */
export class TestZones implements ZoneSource {
  readonly #listeners = new Set<() => void>();
  #catalogue: ZoneCatalogue;

  constructor(zones: readonly ZoneProps[]) {
    this.#catalogue = catalogueOf(zones);
  }

  current(): ZoneCatalogue {
    return this.#catalogue;
  }

  become(zones: readonly ZoneProps[]): void {
    this.#catalogue = catalogueOf(zones);
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function catalogueOf(zones: readonly ZoneProps[]): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones });
  if (!parsed.ok) throw new TypeError(parsed.problems.map((problem) => problem.message).join('; '));
  return parsed.value;
}

/** Counts the writes that reach a store. */
export class CountingStore implements OwnStore {
  writes = 0;
  takeFirst?: NonNullable<OwnStore['takeFirst']>;
  readonly #store: OwnStore;

  constructor(store: OwnStore) {
    this.#store = store;
    const take = store.takeFirst?.bind(store);
    if (take === undefined) return;
    this.takeFirst = async (request) => {
      const taken = await take(request);
      if (taken !== undefined) this.writes += 1;
      return taken;
    };
  }

  take: OwnStore['take'] = (request) => this.#counted(() => this.#store.take(request));
  bind: OwnStore['bind'] = (request) => this.#counted(() => this.#store.bind(request));
  release: OwnStore['release'] = (request) => this.#counted(() => this.#store.release(request));
  renameCluster: OwnStore['renameCluster'] = (rename) => this.#counted(() => this.#store.renameCluster(rename));
  exchange: OwnStore['exchange'] = (moves) => this.#counted(() => this.#store.exchange(moves));
  get: OwnStore['get'] = (place) => this.#store.get(place);
  list: OwnStore['list'] = (query) => this.#store.list(query);
  peek: OwnStore['peek'] = (request) => this.#store.peek(request);
  watch: OwnStore['watch'] = (listener) => this.#store.watch(listener);
  usage: OwnStore['usage'] = (spaces) => this.#store.usage(spaces);
  tally: OwnStore['tally'] = () => this.#store.tally();
  page: OwnStore['page'] = (filter, page) => this.#store.page(filter, page);
  revision?: () => Promise<number> = () => this.#store.revision?.() ?? Promise.resolve(0);
  history: OwnStore['history'] = (of, page) => this.#store.history(of, page);
  lastAddress: OwnStore['lastAddress'] = (of) => this.#store.lastAddress(of);
  prune: OwnStore['prune'] = (old) => this.#store.prune(old);
  reportCluster: OwnStore['reportCluster'] = (report) => this.#store.reportCluster(report);
  clusters: OwnStore['clusters'] = () => this.#store.clusters();
  keyFingerprint: OwnStore['keyFingerprint'] = (candidate) => this.#store.keyFingerprint(candidate);
  replaceKeyFingerprint: OwnStore['replaceKeyFingerprint'] = (before, after) =>
    this.#store.replaceKeyFingerprint(before, after);
  keyUse: OwnStore['keyUse'] = () => this.#store.keyUse();
  note: OwnStore['note'] = (note) => this.#store.note(note);
  occupiedAddresses: OccupiedAddressesHost['occupiedAddresses'] = () => usesOf(this.#store);
  ping: OwnStore['ping'] = () => this.#store.ping();
  close: OwnStore['close'] = () => this.#store.close();

  #counted<V>(write: () => Promise<V>): Promise<V> {
    this.writes += 1;
    return write();
  }
}

/** A ledger with zone `z` (192.0.2.0/24 and 2001:db8::/120) unless a test gives others. */
export class LedgerWorld {
  readonly clock = new ManualClock();
  readonly store: CountingStore;
  readonly #storeClock: StoreUnderTest['clock'] | undefined;
  readonly zones: TestZones;
  readonly book: LocalAddressBook;
  readonly registry: Registry;

  constructor(
    zones: readonly ZoneProps[] = [{ name: 'z', prefixes: ['192.0.2.0/24', '2001:db8::/120'] }],
    wrap: (store: OwnStore) => OwnStore = (store) => store,
    opened?: Pick<StoreUnderTest, 'store' | 'clock'>,
  ) {
    this.zones = new TestZones(zones);
    this.#storeClock = opened?.clock;
    this.store = new CountingStore(opened?.store ?? new MemoryClaimStore(this.clock));
    const ledger = this.ledger(wrap(this.store));
    this.book = ledger.book;
    this.registry = ledger.registry;
  }

  /** Another process on a store: a ledger that shares nothing with others but the store. */
  ledger(store: OwnStore = this.store, hasher: SecretHasher = testHasher): Ledger {
    return openLedger({ record: ownRecord(store), zones: this.zones, hasher, clock: this.clock });
  }

  /** A second ledger over the same store, as after a restart. */
  restarted(store: OwnStore = this.store): LocalAddressBook {
    return this.ledger(store).book;
  }

  /** Moves the time on, for the ledger and for a store that has a clock of its own. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.#storeClock?.advance(ms);
  }

  /** Reserves, expecting success. */
  async has(request: ReserveRequest): Promise<Grant> {
    return granted(await this.book.reserve(request));
  }

  /** Reserves and binds, with a secret if the stored object names one now; expects success. */
  async owns(request: ReserveRequest, serviceUid: string, secret?: ClaimantSecret): Promise<Grant> {
    const grant = await this.has(request);
    const { options, writtenKeys } = request;
    const terms = secret === undefined ? {} : { terms: { secret, options, writtenKeys } };
    return granted(await this.book.bind({ claimant: { ...request.claimant, serviceUid }, grant, ...terms }));
  }

  /** Live record of an IPv4 or IPv6 address of the default network. */
  record(address: string): Promise<AddressRecord | undefined> {
    return this.store.get({ network: 'default', address: addressOf(address) });
  }

  /** Number of writes that an action causes. */
  async writesOf(action: () => Promise<unknown>): Promise<number> {
    const before = this.store.writes;
    await action();
    return this.store.writes - before;
  }

  /** Held and quarantined addresses of zone `z`, both families. */
  async tally(): Promise<{ held: number; quarantined: number }> {
    const sum = { held: 0, quarantined: 0 };
    for (const { held, quarantined = 0 } of await this.store.tally()) {
      sum.held += held;
      sum.quarantined += quarantined;
    }
    return sum;
  }
}

/** A Service by namespace and name, `a/web`; its namespace's UID is `ns-a`. */
export function claimant(label: string, change: Partial<Claimant> & { cluster?: string } = {}): Claimant {
  const [namespace = '', serviceName = ''] = label.split('/');
  const { cluster = 'c1', ...rest } = change;
  return { service: { serviceName, namespaceUid: `ns-${namespace}`, clusterUid: cluster }, namespace, ...rest };
}

/** A reservation of zone `z` at admission, IPv4, the default secret. */
export function ask(who: Claimant | string, change: Partial<ReserveRequest> & { at?: string } = {}): ReserveRequest {
  const { at, ...rest } = change;
  const wish = at === undefined ? undefined : addressOf(at);
  return {
    claimant: typeof who === 'string' ? claimant(who) : who,
    zone: 'z',
    family: wish?.family ?? 4,
    ...(wish === undefined ? {} : { wish }),
    secret: DEFAULT,
    options: { retentionPeriodDays: 0, denyExternalCleanup: false },
    sharing: sharing(''),
    writtenKeys: ['metallb.io/loadBalancerIPs'],
    as: 'lease',
    ...rest,
  };
}

/** A request as the IPAM-API makes it: no sharing terms, owned at once. */
export function askByApi(who: Claimant, change: Partial<ReserveRequest> & { at?: string } = {}): ReserveRequest {
  const { sharing: _terms, ...request } = ask(
    { ...who, namespace: '' },
    { secret: CUSTOM, writtenKeys: [], ...change, as: 'bound' },
  );
  return request;
}

/** Terms of a Service with a sharing key. */
export function sharing(key: string, change: Partial<SharingTerms> = {}): SharingTerms {
  return { key, ports: ['80/TCP'], trafficPolicy: 'Cluster', selector: 'app=x', ...change };
}

/** A stored Service that names addresses. */
export function live(label: string, uid: string, addresses: readonly string[] = []): LiveObject {
  const [namespace = '', name = ''] = label.split('/');
  return { namespace, name, uid, addresses: addresses.map(addressOf) };
}

/** Services as a sweep compares leases with them. */
export function liveServices(...services: readonly LiveObject[]): readonly LiveKind[] {
  return [{ ...SERVICE, objects: () => Promise.resolve(services) }];
}

/** Value of a success. */
export function granted<V>(outcome: Outcome<V>): V {
  if (!outcome.ok) throw new TypeError(`refused: ${outcome.refusal.code} ${outcome.refusal.message}`);
  return outcome.value;
}

/** Refusal of a failure. */
export function refusal(outcome: Outcome<unknown>): Refusal {
  if (outcome.ok) throw new TypeError('was not refused');
  return outcome.refusal;
}

/** Canonical texts. */
export function texts(addresses: readonly Address[]): readonly string[] {
  return addresses.map((address) => address.toString());
}
