import { MetalLbPools } from '../../operator/backends/metallb/metallb-pools';
import { MemoryClaimStore } from '../../operator/backends/memory/memory-claim-store';
import type { JsonMap } from '../../operator/contract/loose-json';
import { parseZones, type ZoneCatalogue, type ZoneProps } from '../../operator/contract/zones';
import { createZonePools, type KeptZonePools } from '../../operator/front-doors/services/pools/zone-pools';
import type { AddressRecord } from '../../operator/ports/claims';
import type { ServiceChange, ServiceFeed } from '../../operator/ports/service-feed';
import { releasing, spaceOf, taken, type Taking } from './claim-requests';
import { ManualClock } from './manual-clock';
import { MemoryObjects } from './memory-objects';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';
import { settled } from './settled';

/** Prefix of the one zone of the tests, `z`. */
const PREFIX = '10.0.0.0/24';

/** Stored Services of a test. */
class MemoryFeed implements Pick<ServiceFeed, 'list' | 'onChange'> {
  readonly #services = new Map<string, JsonMap>();
  readonly #listeners = new Set<(change: ServiceChange) => void>();

  list(): readonly JsonMap[] {
    return [...this.#services.values()];
  }

  onChange(listener: (change: ServiceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stores a LoadBalancer with these addresses in its status, or removes it. */
  set(name: string, addresses: readonly string[] | undefined): void {
    const before = this.#services.get(name);
    const after: JsonMap | undefined =
      addresses === undefined
        ? undefined
        : {
            metadata: { namespace: 'a', name, uid: name },
            spec: { type: 'LoadBalancer' },
            status: { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } },
          };
    if (after === undefined) this.#services.delete(name);
    else this.#services.set(name, after);
    const key = { namespace: 'a', name, uid: name };
    const change = { key, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    for (const listener of this.#listeners) listener(change);
  }
}

/** Pools of zones over a store, MetalLB's objects and Services in memory. */
export class ZonePoolsWorld {
  readonly clock = new ManualClock();
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  readonly store = new MemoryClaimStore(this.clock);
  readonly objects = new MemoryObjects();
  readonly feed = new MemoryFeed();
  readonly zonePools: KeptZonePools;
  #catalogue = catalogueOf([{ name: 'z', prefixes: [PREFIX] }]);

  constructor() {
    const zones = { current: () => this.#catalogue };
    this.zonePools = createZonePools({
      store: this.store,
      pools: new MetalLbPools({ objects: this.objects, zones }),
      zones,
      cluster: { clusterUid: () => Promise.resolve('c1') },
      feed: this.feed,
      clock: this.clock,
      logger: this.logger,
      meter: this.meter,
    });
  }

  /** Gives the operator other zones. */
  becomeZones(...zones: readonly ZoneProps[]): void {
    this.#catalogue = catalogueOf(zones);
  }

  /** Takes an address of zone `z` for a holder of that name. */
  take(name: string, change: Taking = {}): Promise<AddressRecord> {
    return taken(this.store, name, { space: spaceOf(PREFIX), ...change });
  }

  /** Gives an address back; free at once. */
  async release(record: AddressRecord): Promise<void> {
    await this.store.release(releasing(record));
  }

  /** Lets everything run that needs no time. */
  readonly settled = settled;

  /** Moves time on, and lets run what is due. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await settled();
  }
}

function catalogueOf(zones: readonly ZoneProps[]): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones });
  if (!parsed.ok) throw new TypeError(parsed.problems.map(({ message }) => message).join('; '));
  return parsed.value;
}
