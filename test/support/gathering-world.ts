import type { JsonMap } from '../../operator/contract/loose-json';
import { shownByMachines, shownByServices } from '../../operator/assembly/showing-feeds';
import { shownByClaims } from '../../operator/assembly/claims-in-use';
import { gatherUses } from '../../operator/ledger/occupied/gather-uses';
import { IpamError } from '../../operator/errors/ipam-error';
import type { OwnedAddress } from '../../operator/ports/address-book';
import type { Claims } from '../../operator/ports/claims';
import type { ObjectEvent, ObjectReference } from '../../operator/ports/event-recorder';
import type { MetClaim, OccupiedAddresses, OccupiedChange } from '../../operator/ports/occupied-addresses';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import { ListedObjects } from './listed-objects';
import { TestZones } from './ledger-world';
import { ManualClock } from './manual-clock';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

/** A Node with an internal address. */
export function node(name: string, ...addresses: readonly string[]): JsonMap {
  const entries = addresses.map((address) => ({ type: 'InternalIP', address }));
  return { metadata: { name, uid: `uid of ${name}` }, status: { addresses: entries } };
}

/** A Service of a test. */
export interface ServiceShape {
  readonly ingress?: readonly string[];
  readonly externalIPs?: readonly string[];
  readonly loadBalancerClass?: string;
  readonly type?: string;
}

/** A Service in namespace `a`, unless the name says another one. */
export function service(path: string, shape: ServiceShape = {}): JsonMap {
  const [name = '', namespace = 'a'] = path.split('/').reverse();
  const { ingress = [], externalIPs, loadBalancerClass, type = 'LoadBalancer' } = shape;
  return {
    metadata: { namespace, name, uid: `uid of ${name}` },
    spec: {
      type,
      ...(externalIPs === undefined ? {} : { externalIPs }),
      ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
    },
    status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } },
  };
}

/** The AddressClaim of Namespace `a`, through the Egress door. */
export function addressClaim(address: string, network = 'default'): JsonMap {
  const name = `${network}.${address.replace('/', '-')}`;
  const holder = { apiVersion: 'v1', kind: 'Namespace', name: 'a' };
  return { metadata: { name, uid: `uid of ${name}` }, spec: { network, address, door: 'egress', holder } };
}

/** EndpointSlice `default/kubernetes`. */
export function apiServer(...addresses: readonly string[]): JsonMap {
  return { metadata: { namespace: 'default', name: 'kubernetes', uid: 's' }, endpoints: [{ addresses }] };
}

/** The gathering of one cluster, `c1`, over a store in memory. */
export class GatheringWorld {
  readonly clock = new ManualClock();
  readonly store = new MemoryClaimStore(this.clock);
  readonly uses = this.store.occupiedAddresses();
  readonly meter = new RecordedMeter();
  readonly logger = new RecordedLogger();
  readonly zones: TestZones;
  readonly services = new ListedObjects();
  readonly nodes = new ListedObjects();
  readonly apiServer = new ListedObjects();
  readonly addressClaims = new ListedObjects();
  readonly instances = new ListedObjects();
  readonly events: (readonly [ObjectReference, ObjectEvent])[] = [];
  /** Differences that were written. */
  readonly written: OccupiedChange[] = [];
  readonly complete: string[] = [];
  met: readonly MetClaim[] = [];
  /** How many of the next writes fail. */
  failures = 0;
  /** How many of the next writes the record takes; it has no place for the others. */
  room = Number.POSITIVE_INFINITY;
  /** False: the record has no place for what is shown, as an IPAM-API of an older release. */
  keepsUses = true;
  /** The claims as one list; absent: each address is asked for. */
  owners: ((cluster: string) => Promise<readonly OwnedAddress[]>) | undefined;
  /** Addresses that the record was asked for. */
  readonly asked: string[] = [];
  /** True: the record tells of no claim, as an IPAM-API of an older release. */
  tellsNoClaims = false;
  #end: (() => Promise<void>) | undefined;

  constructor(zones: ConstructorParameters<typeof TestZones>[0] = [{ name: 'z', prefixes: ['10.0.0.0/16'] }]) {
    this.zones = new TestZones(zones);
  }

  start(classes: readonly string[] = []): this {
    const { clock, logger, meter, store, zones, services, nodes, apiServer: endpoints } = this;
    const uses: OccupiedAddresses = {
      write: async (change) => {
        if (this.failures > 0) {
          this.failures -= 1;
          throw new TypeError('away');
        }
        this.written.push(change);
        if (this.room === 0) return false;
        this.room -= 1;
        return this.uses.write(change);
      },
      list: (query) => this.uses.list(query),
      complete: (report) => this.uses.complete(report),
      completeSince: (cluster) => this.uses.completeSince(cluster),
      met: (cluster) => this.uses.met(cluster),
      forget: (cluster) => this.uses.forget(cluster),
    };
    const claims: Pick<Claims, 'get' | 'watch'> = {
      get: async (place) => {
        this.asked.push(place.address.toString());
        if (this.tellsNoClaims) throw new IpamError('store/not-ready', 'not told');
        return store.get(place);
      },
      watch: (listener) => store.watch(listener),
    };
    this.#end = gatherUses({
      clock,
      storeClock: clock,
      logger,
      meter,
      claims,
      owners: this.owners,
      zones,
      resyncSeconds: 600,
      findUses: () => Promise.resolve(this.keepsUses ? uses : undefined),
      shows: [
        ...shownByMachines({ nodes, apiServer: endpoints }),
        shownByServices(services, classes),
        shownByClaims(this),
      ],
      cluster: {
        clusterUid: () => Promise.resolve('c1'),
        namespace: (name) => Promise.resolve({ name, uid: `uid of ${name}`, labels: {} }),
      },
      events: {
        record: (regarding, event) => {
          this.events.push([regarding, event]);
          return Promise.resolve();
        },
      },
      onComplete: (networks) => {
        this.complete.push(...networks);
      },
      onMet: (met) => {
        this.met = met;
      },
    });
    return this;
  }

  /** Lets some time pass in which everything due is done. */
  async pass(ms = 1000): Promise<void> {
    for (let gone = 0; gone < ms; gone += 100) {
      this.clock.advance(Math.min(100, ms - gone));
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Lists the record, as `address source weight`. */
  async recorded(): Promise<readonly string[]> {
    const uses = await this.uses.list({ by: 'cluster', cluster: 'c1' });
    return uses.map(({ address, source, weight }) => `${address.toString()} ${source} ${weight}`);
  }

  async end(): Promise<void> {
    await this.#end?.();
    this.#end = undefined;
  }
}
