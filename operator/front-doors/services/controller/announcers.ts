import type { Address } from '../../../addressing/address';
import { METALLB_FROM_POOL } from '../../../contract/group';
import { mapOf, metadataOf, textOf } from '../../../contract/loose-json';
import { quoteValue } from '../../../contract/quote';
import type { Clock } from '../../../ports/clock';
import type { ServiceFeed, ServiceKey } from '../../../ports/service-feed';
import { announcedAddresses } from '../../../contract/shown-addresses';
import type { PoolFacts, PoolKnowledge } from '../wanted/door-parts';
import { NO_ANNOUNCER, NOT_ANNOUNCED } from './status';

/** One look serves all Services of which something is to be told within this time. */
const LOOK_MS = 1_000;

/** Why addresses are not announced, as far as facts tell; `texts` is empty where none does. */
export interface Obstacles {
  readonly reason: typeof NO_ANNOUNCER | typeof NOT_ANNOUNCED;
  readonly texts: readonly string[];
  /** False while the pools of the load balancer could not be listed, so that a fact may be missing. */
  readonly isComplete: boolean;
}

/** Addresses that a Service has and its status does not show. */
interface Unannounced {
  readonly key: ServiceKey;
  /** Name of zone and pool. */
  readonly zone: string;
  /** `spec.loadBalancerClass` of the Service. */
  readonly loadBalancerClass?: string | undefined;
  readonly addresses: readonly Address[];
}

/** Announcements as they can be seen at one moment. */
interface Sight {
  readonly untilMs: number;
  readonly pools: Promise<PoolKnowledge>;
  /** Which Services show an address, as `namespace/name`. */
  readonly shownBy: ReadonlyMap<string, Shown>;
}

/** An address that Services show. */
interface Shown {
  readonly address: Address;
  readonly services: readonly string[];
  /** Classes of those among them that MetalLB gave the address; empty for one without a class. */
  readonly classes: readonly string[];
}

/** Facts about announcers of addresses: the pools of the load balancer, and what Services show. Costs nothing until asked. */
export class Announcers {
  readonly #clock: Clock;
  readonly #feed: Pick<ServiceFeed, 'list'>;
  readonly #pools: PoolFacts | undefined;
  #sight: Sight | undefined;

  /**
   * Makes one over pools and Services.
   *
   * @param parts - the pools are absent where they are not looked at
   */
  constructor({
    clock,
    feed,
    poolFacts,
  }: {
    readonly clock: Clock;
    readonly feed: Pick<ServiceFeed, 'list'>;
    readonly poolFacts?: PoolFacts;
  }) {
    this.#clock = clock;
    this.#feed = feed;
    this.#pools = poolFacts;
  }

  /** Looks anew at the next question: a pool changed. */
  forget(): void {
    this.#sight = undefined;
  }

  /**
   * Finds out what keeps addresses of a Service from being announced.
   *
   * @param on - the Service, and those of its addresses that its status does not show
   * @returns a bounded reason, and each fact as a sentence that names the obstacle
   */
  async obstacles(on: Unannounced): Promise<Obstacles> {
    const sight = this.#look();
    const known = await sight.pools;
    const isComplete = this.#pools === undefined || known !== 'unknown';
    const absent = this.#absence(sight, known, on);
    if (absent !== undefined) return { reason: NO_ANNOUNCER, texts: [absent], isComplete };
    const texts = [...this.#poolTexts(known, on), ...otherTexts(sight, on)];
    return { reason: NOT_ANNOUNCED, texts, isComplete };
  }

  #look(): Sight {
    const nowMs = this.#clock.nowMs();
    const seen = this.#sight;
    if (seen !== undefined && seen.untilMs > nowMs) return seen;
    const pools = this.#pools?.look() ?? Promise.resolve('unknown' as const);
    this.#sight = { untilMs: nowMs + LOOK_MS, pools, shownBy: shownByAddress(this.#feed) };
    return this.#sight;
  }

  // MetalLB writes into its pools since 0.15; an older one is known by what any Service shows.
  #absence(sight: Sight, known: PoolKnowledge, on: Unannounced): string | undefined {
    const { shownBy } = sight;
    const { zone } = on;
    const pools = this.#pools;
    if (pools === undefined || known === 'unknown') return undefined;
    if (known === 'absent') return 'MetalLB is not installed: the API server does not know its IPAddressPools';
    if (pools.space(zone) === undefined) return undefined;
    const other = otherClasses(pools, sight, on);
    if (other !== undefined || pools.anyHandled()) return other;
    for (const { address } of shownBy.values()) if (pools.holds(address)) return undefined;
    return "MetalLB's controller does not run: it has written nothing into any pool, and no Service shows an address of one";
  }

  #poolTexts(known: PoolKnowledge, { zone, addresses }: Unannounced): readonly string[] {
    if (this.#pools === undefined || known !== 'known') return [];
    const space = this.#pools.space(zone);
    if (space === undefined) return [`there is no MetalLB pool "${zone}"`];
    return addresses
      .filter((address) => !space.contains(address))
      .map((address) => `MetalLB pool "${zone}" does not hold "${address.toString()}"`);
  }
}

// MetalLB serves the Services of one class, or those without one.
function otherClasses(
  pools: PoolFacts,
  { shownBy }: Sight,
  { loadBalancerClass: own = '' }: Unannounced,
): string | undefined {
  const served = [...shownBy.values()].flatMap(({ address, classes }) => (pools.holds(address) ? classes : []));
  const [other] = served;
  if (other === undefined || served.includes(own)) return undefined;
  const classText = (name: string): string => (name === '' ? 'without a class' : `of class ${quoteValue(name)}`);
  return `MetalLB gives addresses to Services ${classText(other)} and to none ${classText(own)}: its option --lb-class names the one class that it serves`;
}

function otherTexts({ shownBy }: Sight, { key, addresses }: Unannounced): readonly string[] {
  const self = `${key.namespace}/${key.name}`;
  return addresses.flatMap((address) => {
    const others = shownBy.get(address.toString())?.services.filter((name) => name !== self) ?? [];
    return others.slice(0, 1).map((name) => `Service "${name}" shows "${address.toString()}"`);
  });
}

function shownByAddress(feed: Pick<ServiceFeed, 'list'>): Sight['shownBy'] {
  const found = new Map<string, { address: Address; services: string[]; classes: string[] }>();
  for (const raw of feed.list()) {
    for (const address of announcedAddresses(raw)) {
      const { namespace, name, annotations } = metadataOf(raw);
      const text = `${textOf(namespace)}/${textOf(name)}`;
      const entry = found.get(address.toString()) ?? { address, services: [], classes: [] };
      entry.services.push(text);
      if (METALLB_FROM_POOL in mapOf(annotations)) entry.classes.push(textOf(mapOf(raw['spec'])['loadBalancerClass']));
      found.set(address.toString(), entry);
    }
  }
  return found;
}
