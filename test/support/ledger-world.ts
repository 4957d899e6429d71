import { createHmac } from 'node:crypto';
import { addressOf, type Address } from '../../operator/addressing/address';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { parseZones, type ZoneCatalogue, type ZoneProps } from '../../operator/contract/zones';
import type { Outcome, Refusal } from '../../operator/errors/outcome';
import type { LocalAddressBook } from '../../operator/ledger/local-address-book';
import { openLedger, type Ledger } from '../../operator/ledger/open-ledger';
import type { Claimant, ClaimantSecret, Grant, LiveService, ReserveRequest } from '../../operator/ports/address-book';
import type { AddressRecord, ClaimStore, SharingTerms } from '../../operator/ports/claim-store';
import type { Registry } from '../../operator/ports/registry';
import type { SecretHasher } from '../../operator/ports/secret-hasher';
import type { ZoneSource } from '../../operator/ports/zone-source';
import { ManualClock } from './manual-clock';

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
  #catalogue: ZoneCatalogue;

  constructor(zones: readonly ZoneProps[]) {
    this.#catalogue = catalogueOf(zones);
  }

  current(): ZoneCatalogue {
    return this.#catalogue;
  }

  become(zones: readonly ZoneProps[]): void {
    this.#catalogue = catalogueOf(zones);
  }
}

function catalogueOf(zones: readonly ZoneProps[]): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones });
  if (!parsed.ok) throw new TypeError(parsed.problems.map((problem) => problem.message).join('; '));
  return parsed.value;
}

/** Counts the writes that reach a store. */
export class CountingStore implements ClaimStore {
  writes = 0;
  readonly #store: ClaimStore;

  constructor(store: ClaimStore) {
    this.#store = store;
  }

  take: ClaimStore['take'] = (request) => this.#counted(() => this.#store.take(request));
  bind: ClaimStore['bind'] = (request) => this.#counted(() => this.#store.bind(request));
  release: ClaimStore['release'] = (request) => this.#counted(() => this.#store.release(request));
  get: ClaimStore['get'] = (network, address, nowMs) => this.#store.get(network, address, nowMs);
  list: ClaimStore['list'] = (query, nowMs) => this.#store.list(query, nowMs);
  revision: ClaimStore['revision'] = () => this.#store.revision();
  usage: ClaimStore['usage'] = (spaces, nowMs) => this.#store.usage(spaces, nowMs);
  page: ClaimStore['page'] = (filter, page, nowMs) => this.#store.page(filter, page, nowMs);
  history: ClaimStore['history'] = (at, page, nowMs) => this.#store.history(at, page, nowMs);
  lastAddress: ClaimStore['lastAddress'] = (of) => this.#store.lastAddress(of);
  peek: ClaimStore['peek'] = (request) => this.#store.peek(request);
  clusters: ClaimStore['clusters'] = () => this.#store.clusters();
  keyUse: ClaimStore['keyUse'] = () => this.#store.keyUse();
  reportCluster: ClaimStore['reportCluster'] = (report) => this.#store.reportCluster(report);
  prune: ClaimStore['prune'] = (old) => this.#store.prune(old);
  replaceKeyFingerprint: ClaimStore['replaceKeyFingerprint'] = (before, after) =>
    this.#store.replaceKeyFingerprint(before, after);
  note: ClaimStore['note'] = (note) => this.#store.note(note);
  ping: ClaimStore['ping'] = () => this.#store.ping();
  tally: ClaimStore['tally'] = (nowMs) => this.#store.tally(nowMs);
  watch: ClaimStore['watch'] = (listener) => this.#store.watch(listener);
  keyFingerprint: ClaimStore['keyFingerprint'] = (candidate) => this.#store.keyFingerprint(candidate);
  close: ClaimStore['close'] = () => this.#store.close();

  #counted<V>(write: () => Promise<V>): Promise<V> {
    this.writes += 1;
    return write();
  }
}

/** A ledger with zone `z` (192.0.2.0/24 and 2001:db8::/120) unless a test gives others. */
export class LedgerWorld {
  readonly clock = new ManualClock();
  readonly store: CountingStore;
  readonly zones: TestZones;
  readonly book: LocalAddressBook;
  readonly registry: Registry;

  constructor(
    zones: readonly ZoneProps[] = [{ name: 'z', prefixes: ['192.0.2.0/24', '2001:db8::/120'] }],
    wrap: (store: ClaimStore) => ClaimStore = (store) => store,
    store: ClaimStore = new MemoryClaimStore(),
  ) {
    this.zones = new TestZones(zones);
    this.store = new CountingStore(store);
    const ledger = this.ledger(wrap(this.store));
    this.book = ledger.book;
    this.registry = ledger.registry;
  }

  /** Another process on a store: a ledger that shares nothing with others but the store. */
  ledger(store: ClaimStore = this.store, hasher: SecretHasher = testHasher): Ledger {
    return openLedger({ store, zones: this.zones, hasher, clock: this.clock });
  }

  /** A second ledger over the same store, as after a restart. */
  restarted(store: ClaimStore = this.store): LocalAddressBook {
    return this.ledger(store).book;
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
    return this.store.get('default', addressOf(address), this.clock.nowMs());
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
    for (const { held, quarantined } of await this.store.tally(this.clock.nowMs())) {
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
export function live(label: string, uid: string, addresses: readonly string[] = []): LiveService {
  const [namespace = '', name = ''] = label.split('/');
  return { namespace, name, uid, addresses: addresses.map(addressOf) };
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
