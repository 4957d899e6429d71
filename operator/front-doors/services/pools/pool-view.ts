import type { Address, Family } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import type { AddressPools, PublishedPool } from '../../../ports/address-pools';
import type { Logger } from '../../../ports/logger';
import type { PoolFacts, PoolKnowledge } from '../wanted/door-parts';
import { faultFields } from '../../../reviews/report-verdict';

/** Parts that the view is made of. */
export interface PoolViewParts {
  readonly pools: AddressPools;
  readonly logger: Logger;
}

/** A pool as far as the view keeps it. */
type SeenPool = Pick<PublishedPool, 'space' | 'handled'>;

/**
 * The pools as they were when something last changed in them, for questions that must not cost a call. Safe for parallel
 * calls; {@link close} ends the watch.
 */
export class PoolView implements PoolFacts {
  readonly #pools: AddressPools;
  readonly #logger: Logger;
  readonly #listeners = new Set<(pool: string | undefined) => void>();
  readonly #stop: () => void;
  #seen: ReadonlyMap<string, SeenPool> = new Map();
  #knowledge: PoolKnowledge = 'unknown';
  #outdated = true;
  #looking: Promise<void> | undefined;

  /**
   * Begins to watch.
   *
   * @param parts - pools and logger
   */
  constructor({ pools, logger }: PoolViewParts) {
    this.#pools = pools;
    this.#logger = logger;
    this.#stop = pools.onChange((name) => {
      this.#outdated = true;
      void this.ready();
      this.#tell(name);
    });
  }

  /**
   * Looks at the pools unless nothing changed since the last time.
   *
   * @returns when the view is up to date, or the API server could not be asked
   */
  ready(): Promise<void> {
    if (!this.#outdated && this.#looking === undefined) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** @inheritdoc */
  async look(): Promise<PoolKnowledge> {
    // no event tells that the kind went after its last pool
    if (this.#seen.size === 0) this.#outdated = true;
    await this.ready();
    return this.#outdated && this.#knowledge === 'known' ? 'unknown' : this.#knowledge;
  }

  /** @inheritdoc */
  anyHandled(): boolean {
    return [...this.#seen.values()].some(({ handled }) => handled);
  }

  /** @inheritdoc */
  holds(address: Address): boolean {
    return [...this.#seen.values()].some(({ space }) => space.contains(address));
  }

  /**
   * Tells what a pool holds.
   *
   * @param pool - its name
   * @returns its addresses; undefined when there is none, or it was not looked at yet
   */
  space(pool: string): PrefixSet | undefined {
    return this.#seen.get(pool)?.space;
  }

  /**
   * Lists the families that a pool holds.
   *
   * @param pool - its name
   * @returns families, IPv4 first; undefined when there is no such pool
   */
  families(pool: string): readonly Family[] | undefined {
    const space = this.space(pool);
    return space === undefined ? undefined : ([4, 6] as const).filter((family) => space.ranges(family).length > 0);
  }

  /**
   * Takes in pools that were just listed or written.
   *
   * @param pools - name and content; the others stay
   */
  learn(pools: readonly Pick<PublishedPool, 'name' | 'space'>[]): void {
    const learnt = pools.map(
      ({ name, space }) => [name, { space, handled: this.#seen.get(name)?.handled === true }] as const,
    );
    this.#seen = new Map([...this.#seen, ...learnt]);
    this.#tell(undefined);
  }

  /**
   * Tells of changes.
   *
   * @param listener - called with the name of a pool that changed, or with undefined when the view was renewed
   * @returns the function that stops it
   */
  onChange(listener: (pool: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Ends the watch; what is known stays as it is. */
  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  async #look(): Promise<void> {
    while (this.#outdated) {
      this.#outdated = false;
      try {
        const pools = await this.#pools.list();
        const isSame = this.#knowledge === 'known' && this.#seen.size === 0 && pools.length === 0;
        this.#seen = new Map(pools.map(({ name, space, handled }) => [name, { space, handled }]));
        this.#knowledge = 'known';
        if (isSame) continue;
      } catch (thrown) {
        this.#outdated = true; // the next question or change asks again
        await this.#judge(thrown);
        return;
      }
      this.#tell(undefined);
    }
  }

  // The list of a kind that is not installed fails like any other; what was seen of it is gone with it.
  async #judge(thrown: unknown): Promise<void> {
    const before = this.#knowledge;
    const isAbsent = await this.#pools.installed().then(
      (installed) => !installed,
      () => false,
    );
    if (!isAbsent) this.#logger.warn('pools of the load balancer could not be listed', faultFields(thrown));
    if (!isAbsent || before === 'absent') return;
    this.#seen = new Map();
    this.#knowledge = 'absent';
    this.#logger.warn('the load balancer is not installed: its kind of pools is not served', faultFields(thrown));
    this.#tell(undefined);
  }

  #tell(pool: string | undefined): void {
    for (const listener of this.#listeners) listener(pool);
  }
}
