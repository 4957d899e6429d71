import { randomUUID } from 'node:crypto';

import fastify, { type FastifyInstance } from 'fastify';
import { applyPatch, type Operation } from 'fast-json-patch';

import type { Family } from '../../operator/addressing/address';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { MemoryCluster } from '../../operator/backends/memory/memory-cluster';
import { WEBHOOK_PATHS } from '../../operator/contract/group';
import { parseZones, type ZoneCatalogue, type ZonesDocument } from '../../operator/contract/zones';
import { registerServicesDoor } from '../../operator/front-doors/services';
import type { ServicesDoorParts, ServicesDoorSettings } from '../../operator/front-doors/services/wanted/door-parts';
import { ownRecord } from './own-record';
import { LocalAddressBook } from '../../operator/ledger/local-address-book';
import type { AddressBook } from '../../operator/ports/address-book';
import type { ZoneSource } from '../../operator/ports/zone-source';
import { ArmedClock } from './armed-clock';
import { CountingStore, testHasher } from './ledger-world';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';
import { patchOf, review, type AnswerJson, type ReviewProps, type ServiceJson } from './review-builder';

/** Zones of most tests: the ones that the original documents. */
export const ZONES: ZonesDocument = {
  version: 1,
  services: { defaultZone: 'hnet-private' },
  zones: [
    { name: 'hnet-private', prefixes: ['10.0.0.0/24'] },
    { name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/120'] },
  ],
};

/** Differences that a test sets up. */
export interface WorldProps {
  readonly zones?: ZonesDocument;
  readonly families?: readonly Family[];
  readonly settings?: Partial<ServicesDoorSettings>;
  readonly wrapBook?: (book: AddressBook) => AddressBook;
  readonly maxReservedInNamespace?: number;
  /** Pools of MetalLB as the door knows them. */
  readonly pools?: Pick<ServicesDoorParts, 'pools' | 'poolFamilies'>;
}

/** Answer of one user action, as the user sees it. */
export interface Result {
  readonly stored?: ServiceJson;
  /** Told beside the success. */
  readonly warnings?: readonly string[];
  readonly denied?: { readonly code: number; readonly reason: string; readonly message: string };
}

/** The Services door on a real fastify, with the real ledger, and as much of an API server as admission needs. */
export class DoorWorld {
  readonly clock = new ArmedClock();
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  readonly cluster: MemoryCluster;
  readonly store: CountingStore;
  readonly book: AddressBook;
  readonly app: FastifyInstance;
  readonly zones: ZoneSource;
  readonly settings: ServicesDoorSettings;
  /** Calls that reached the address book. */
  readonly calls: string[] = [];
  readonly #families: readonly Family[];
  readonly #objects = new Map<string, ServiceJson>();
  readonly #zoneListeners = new Set<() => void>();
  #catalogue: ZoneCatalogue;

  constructor(props: WorldProps = {}) {
    this.#families = props.families ?? [4];
    this.#catalogue = catalogueOf(props.zones ?? ZONES);
    this.cluster = new MemoryCluster({ families: this.#families });
    this.store = new CountingStore(new MemoryClaimStore(this.clock));
    const zones = {
      current: () => this.#catalogue,
      onChange: (listener: () => void) => {
        this.#zoneListeners.add(listener);
        return () => this.#zoneListeners.delete(listener);
      },
    };
    this.zones = zones;
    this.settings = { loadBalancerClasses: [], whenUnavailable: 'deny', deadlineSeconds: 8, ...props.settings };
    const ledger = new LocalAddressBook({
      record: ownRecord(this.store),
      zones,
      hasher: testHasher,
      clock: this.clock,
      ...(props.maxReservedInNamespace === undefined ? {} : { maxReservedInNamespace: props.maxReservedInNamespace }),
    });
    this.book = counted((props.wrapBook ?? ((book) => book))(ledger), this.calls);
    this.app = fastify({ forceCloseConnections: true });
    registerServicesDoor(this.app, {
      book: this.book,
      cluster: this.cluster,
      zones,
      clock: this.clock,
      logger: this.logger,
      meter: this.meter,
      settings: this.settings,
      ...props.pools,
    });
  }

  /** Gives the door another zone document. */
  becomeZones(document: ZonesDocument): void {
    this.#catalogue = catalogueOf(document);
    for (const listener of this.#zoneListeners) listener();
  }

  /** Sends a review to the mutating webhook. */
  mutate(props: ReviewProps): Promise<AnswerJson> {
    return this.#post(WEBHOOK_PATHS.mutate, props);
  }

  /** Sends a review to the validating webhook. */
  validate(props: ReviewProps): Promise<AnswerJson> {
    return this.#post(WEBHOOK_PATHS.validate, props);
  }

  /** Creates a Service as an API server would: mutate, patch, default, validate, store. */
  async create(object: ServiceJson, alter: (object: ServiceJson) => ServiceJson = (same) => same): Promise<Result> {
    return this.#admit({ operation: 'CREATE', object: structuredClone(object) }, alter);
  }

  /** Asks for something as `kubectl --dry-run=server` would: the answer of the real call, and nothing is stored. */
  dryRun(props: ReviewProps & { operation: 'CREATE' | 'UPDATE'; object: ServiceJson }): Promise<Result> {
    return this.#admit({ ...props, object: structuredClone(props.object), dryRun: true }, (same) => same);
  }

  /** Asks for something in earnest. */
  really(props: ReviewProps & { operation: 'CREATE' | 'UPDATE'; object: ServiceJson }): Promise<Result> {
    return this.#admit({ ...props, object: structuredClone(props.object) }, (same) => same);
  }

  /** Changes a stored Service as an API server would. */
  async update(name: string, change: (object: ServiceJson) => void): Promise<Result> {
    const oldObject = this.stored(name);
    const object = structuredClone(oldObject);
    change(object);
    return this.#admit({ operation: 'UPDATE', object, oldObject }, (same) => same);
  }

  /** Replaces the annotations of a stored Service by a PUT that knows nothing of ours. */
  put(name: string, annotations: Record<string, string>): Promise<Result> {
    return this.update(name, (object) => {
      object.metadata.annotations = annotations;
    });
  }

  /** The stored object. */
  stored(name: string): ServiceJson {
    const found = this.#objects.get(name);
    if (found === undefined) throw new TypeError(`no Service ${name}`);
    return structuredClone(found);
  }

  /** Stores an object without asking the webhooks, as while they are down. */
  force(object: ServiceJson): ServiceJson {
    const stored = this.#defaulted(structuredClone(object));
    this.#objects.set(stored.metadata.name ?? '', stored);
    return structuredClone(stored);
  }

  /** Does what the controller does for a stored Service: binds its reservations. */
  async bind(name: string): Promise<void> {
    const { metadata } = this.stored(name);
    const namespace = await this.cluster.namespace(metadata.namespace ?? '');
    const reservation = metadata.annotations?.['ipam.vitistack.io/reservation'];
    const claimant = {
      service: { serviceName: name, namespaceUid: namespace?.uid ?? '', clusterUid: await this.cluster.clusterUid() },
      namespace: metadata.namespace ?? '',
      serviceUid: metadata.uid ?? '',
      ...(reservation === undefined ? {} : { reservation }),
    };
    for (const grant of await this.book.holdings(claimant)) await this.book.bind({ claimant, grant });
  }

  /** Addresses held in the store, of all zones. */
  async held(): Promise<number> {
    const tally = await this.store.tally();
    return tally.reduce((sum, { held }) => sum + held, 0);
  }

  async #admit(
    props: ReviewProps & { operation: 'CREATE' | 'UPDATE'; object: ServiceJson },
    alter: (object: ServiceJson) => ServiceJson,
  ): Promise<Result> {
    const mutated = await this.mutate(props);
    if (!mutated.response.allowed) return refusedBy(mutated);
    const patched = alter(patchedObject(props.object, mutated));
    const final = this.#defaulted(patched, props.oldObject as ServiceJson | undefined);
    const validated = await this.validate({ ...props, object: final });
    if (!validated.response.allowed) return refusedBy(validated);
    if (props.dryRun !== true) this.#objects.set(final.metadata.name ?? '', final);
    const warnings = [mutated, validated].flatMap(({ response }) => response.warnings ?? []);
    return { stored: structuredClone(final), ...(warnings.length === 0 ? {} : { warnings }) };
  }

  // the API server's own work between the two webhooks, as far as admission sees it (admission-facts 2)
  #defaulted(object: ServiceJson, before?: ServiceJson): ServiceJson {
    const { metadata, spec } = object;
    metadata.name ??= `${String(metadata.generateName)}${randomUUID().slice(0, 5)}`;
    metadata.uid ??= before?.metadata.uid ?? randomUUID();
    const policy = spec['ipFamilyPolicy'] ?? before?.spec['ipFamilyPolicy'] ?? 'SingleStack';
    const first = [spec, before?.spec].map(firstFamily).find((name) => name !== undefined) ?? this.#primary;
    return { ...object, spec: { ...spec, ipFamilyPolicy: policy, ipFamilies: this.#familiesFrom(first, policy) } };
  }

  #familiesFrom(first: string, policy: unknown): readonly string[] {
    if (policy === 'SingleStack' || this.#families.length < 2) return [first];
    return [first, first === 'IPv4' ? 'IPv6' : 'IPv4'];
  }

  get #primary(): string {
    return this.#families[0] === 6 ? 'IPv6' : 'IPv4';
  }

  async #post(url: string, props: ReviewProps): Promise<AnswerJson> {
    const response = await this.app.inject({ method: 'POST', url, payload: review(props) });
    if (response.statusCode !== 200) throw new TypeError(`HTTP ${response.statusCode}: ${response.body}`);
    return response.json();
  }
}

/** Applies the patch of an answer with an RFC 6902 library. */
export function patchedObject(object: ServiceJson, answer: AnswerJson): ServiceJson {
  return applyPatch(structuredClone(object), patchOf(answer) as Operation[], true).newDocument;
}

function firstFamily(spec: ServiceJson['spec'] | undefined): string | undefined {
  return (spec?.['ipFamilies'] as string[] | undefined)?.[0];
}

function refusedBy({ response }: AnswerJson): Result {
  const { code, reason, message } = response.status ?? { code: 0, reason: '', message: '' };
  return { denied: { code, reason, message } };
}

function counted(book: AddressBook, calls: string[]): AddressBook {
  return new Proxy(book, {
    get: (target, verb: keyof AddressBook) => {
      const member = target[verb];
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...values: unknown[]) => unknown;
      return (...values: unknown[]) => {
        calls.push(verb);
        return call(...values);
      };
    },
  });
}

function catalogueOf(document: ZonesDocument): ZoneCatalogue {
  const parsed = parseZones(document);
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join('; '));
  return parsed.value;
}
