import type { Address } from '../../../addressing/address';
import { metadataOf, textOf } from '../../../contract/loose-json';
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
  readonly addresses: readonly Address[];
}

/** What can be seen of announcements at one moment. */
interface Sight {
  readonly untilMs: number;
  readonly pools: Promise<PoolKnowledge>;
  /** Which Services show an address, as `namespace/name`. */
  readonly shownBy: ReadonlyMap<string, { readonly address: Address; readonly services: readonly string[] }>;
}

/** Facts about who announces addresses: the pools of the load balancer, and what Services show. Costs nothing until asked. */
export class Announcers {
  readonly #clock: Clock;
  readonly #feed: Pick<ServiceFeed, 'list'>;
  readonly #pools: PoolFacts | undefined;
  #sight: Sight | undefined;

  /**
   * Makes one over pools and Services.
   *
   * @param parts - the pools are absent where nobody looks at them
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
   * @returns a bounded reason, and each fact as a sentence that names who or what stands in the way
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
  #absence({ shownBy }: Sight, known: PoolKnowledge, { zone }: Unannounced): string | undefined {
    const pools = this.#pools;
    if (pools === undefined || known === 'unknown') return undefined;
    if (known === 'absent') return 'MetalLB is not installed: the API server does not know its IPAddressPools';
    if (pools.space(zone) === undefined || pools.anyHandled()) return undefined;
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

function otherTexts({ shownBy }: Sight, { key, addresses }: Unannounced): readonly string[] {
  const self = `${key.namespace}/${key.name}`;
  return addresses.flatMap((address) => {
    const others = shownBy.get(address.toString())?.services.filter((name) => name !== self) ?? [];
    return others.slice(0, 1).map((name) => `Service "${name}" shows "${address.toString()}"`);
  });
}

function shownByAddress(feed: Pick<ServiceFeed, 'list'>): Sight['shownBy'] {
  const found = new Map<string, { readonly address: Address; readonly services: string[] }>();
  for (const raw of feed.list()) {
    for (const address of announcedAddresses(raw)) {
      const { namespace, name } = metadataOf(raw);
      const text = `${textOf(namespace)}/${textOf(name)}`;
      const entry = found.get(address.toString());
      if (entry === undefined) found.set(address.toString(), { address, services: [text] });
      else entry.services.push(text);
    }
  }
  return found;
}
