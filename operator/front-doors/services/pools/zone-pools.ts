import { isIn, type Address } from '../../../addressing/address';
import { blockOf } from '../../../addressing/space-text';
import { PrefixSetBuilder, type PrefixSet } from '../../../addressing/prefix-set';
import { catalogueRow } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import type { AddressPools, PublishedPool } from '../../../ports/address-pools';
import type { AddressRecord } from '../../../ports/claims';
import type { RecordView } from '../../../ports/store';
import type { Clock } from '../../../ports/clock';
import type { Cluster } from '../../../ports/cluster';
import type { Logger } from '../../../ports/logger';
import type { Meter } from '../../../ports/meter';
import type { ServiceFeed } from '../../../ports/service-feed';
import type { ZoneSource } from '../../../ports/zone-source';
import type { ZonePools } from '../wanted/door-parts';
import { announcedAddresses } from '../../../contract/shown-addresses';
import { announcedAmong, poolContent, type PoolContent } from './pool-content';
import { PoolTurns } from './pool-turns';
import { PoolView } from './pool-view';
import { PoolWaiters } from './pool-waiters';
import { faultFields } from '../../../reviews/report-verdict';

/** Pause before the names of other pools are asked for again. */
const RETRY_MS = 5000;

/** Parts that the pools are computed from. */
export interface ZonePoolsParts {
  readonly store: Pick<RecordView, 'list' | 'tally' | 'watch'>;
  readonly pools: AddressPools;
  readonly zones: ZoneSource;
  readonly cluster: Pick<Cluster, 'clusterUid'>;
  /** Stored Services; an address that one of them uses stays in its pool, claimed or not. */
  readonly feed: Pick<ServiceFeed, 'list' | 'onChange'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}

/** Pools of the zones, and their writer. */
export interface KeptZonePools extends ZonePools {
  /** Content of every pool, of any writer. */
  readonly view: PoolView;
  /**
   * Writes the pools from now on. To be called by the leader alone, and only once all claims are known and every stored Service
   * is adopted: a pool that is computed earlier would lose addresses that Services use.
   *
   * @returns the function that ends it; it resolves when no write is under way
   */
  lead(): () => Promise<void>;
  /** Ends watching and waiting; waiting callers are told false. */
  close(): void;
}

/**
 * Makes the pools of zones whose claims are published (`zonePools: claims`). Every replica can wait for an address, the leader
 * writes.
 *
 * @param parts - claims, pools, Services
 * @returns the pools; nothing is written before `lead`
 */
export function createZonePools(parts: ZonePoolsParts): KeptZonePools {
  return new ClaimedPools(parts);
}

class ClaimedPools implements KeptZonePools {
  readonly view: PoolView;
  readonly #parts: ZonePoolsParts;
  readonly #waiters: PoolWaiters;
  /** Addresses without a claim that stay while a Service uses them, by zone. */
  readonly #kept = new Map<string, PrefixSet>();
  /** Last message about a zone whose pool is not as it should be. */
  readonly #troubles = new Map<string, string>();
  #turns: PoolTurns | undefined;

  constructor(parts: ZonePoolsParts) {
    this.#parts = parts;
    this.view = new PoolView(parts);
    this.#waiters = new PoolWaiters(parts.clock, (zone, address) => this.view.space(zone)?.contains(address) ?? false);
    this.view.onChange((pool) => {
      if (pool === undefined) this.#waiters.wake();
      else this.#poolChanged(pool);
    });
  }

  async published(zone: string, address: Address): Promise<boolean> {
    await this.view.ready();
    return this.#waiters.wait(zone, address);
  }

  lead(): () => Promise<void> {
    const { clock, store, feed, zones } = this.#parts;
    const turns = new PoolTurns(clock, (zone) => this.#sync(zone));
    this.#turns = turns;
    this.#troubles.clear();
    this.#kept.clear();
    const stops = [
      store.watch(({ pool: zone }) => {
        turns.mark(zone);
      }),
      feed.onChange(({ before, after }) => {
        this.#serviceChanged(announcedAddresses(before), announcedAddresses(after));
      }),
    ];
    for (const name of zones.current().names) turns.mark(name);
    const cancelSearch = this.#markOthers(turns);
    return async () => {
      if (this.#turns === turns) this.#turns = undefined;
      cancelSearch();
      for (const stop of stops) stop();
      await turns.stop();
    };
  }

  close(): void {
    this.view.close();
    this.#waiters.close();
  }

  // Zones that were taken out of the document: their pools stay while claims do, and go with the last one.
  #markOthers(turns: PoolTurns): () => void {
    const { clock, store, pools, logger } = this.#parts;
    let cancel = (): void => undefined;
    const search = async (): Promise<void> => {
      try {
        const [tally, listed] = await Promise.all([store.tally(), pools.list()]);
        const names = [...tally.map(({ pool }) => pool), ...listed.filter(({ ours }) => ours).map(({ name }) => name)];
        for (const name of names) if (!turns.knows(name)) turns.mark(name);
      } catch (thrown) {
        logger.warn('pools of former zones could not be found', faultFields(thrown));
        cancel = clock.after(RETRY_MS, () => void search());
      }
    };
    void search();
    return () => {
      cancel();
    };
  }

  // A pool was written: it is put right, and what it stood in the way of is tried again.
  #poolChanged(pool: string): void {
    const turns = this.#turns;
    if (turns === undefined) return;
    if (turns.knows(pool)) turns.mark(pool);
    for (const zone of this.#troubles.keys()) turns.mark(zone);
  }

  #serviceChanged(before: readonly Address[], after: readonly Address[]): void {
    if (this.#kept.size === 0) return;
    const gone = before.filter((address) => !isIn(address, after));
    for (const [zone, kept] of this.#kept) {
      if (gone.some((address) => kept.contains(address))) this.#turns?.mark(zone);
    }
  }

  async #sync(zone: string): Promise<boolean> {
    try {
      const { pools } = this.#parts;
      const listed = await pools.list();
      const content = await this.#content(zone, listed);
      const done = await pools.publish(zone, content.space);
      if (done.ok) this.view.learn([{ name: zone, space: content.space }]);
      this.#report(zone, content, done.ok ? undefined : done.refusal);
      // a pool of another owner is waited for; the rest has no change to wait for
      return done.ok || done.refusal.code === 'pool/owned' || done.refusal.code === 'pool/overlap';
    } catch (thrown) {
      this.#parts.logger.warn('pool not written; it is tried again', { zone, ...faultFields(thrown) });
      return false;
    }
  }

  async #content(zone: string, pools: readonly PublishedPool[]): Promise<PoolContent> {
    return poolContent({
      zone,
      claimed: await this.#claimed(zone),
      pools,
      inUse: (among) => announcedAmong(this.#parts.feed.list(), among),
    });
  }

  async #claimed(zone: string): Promise<PrefixSet> {
    const { store, cluster } = this.#parts;
    const clusterUid = await cluster.clusterUid();
    const builder = new PrefixSetBuilder();
    for (const network of await this.#networks(zone)) {
      const records = await store.list({ by: 'pool', network, pool: zone });
      for (const record of records) if (isUsed(record, clusterUid)) builder.add(blockOf(record));
    }
    return builder.build();
  }

  async #networks(zone: string): Promise<Iterable<string>> {
    const { store, zones } = this.#parts;
    const known = zones.current().zone(zone);
    if (known !== undefined) return [known.network];
    const tally = await store.tally();
    return new Set(tally.filter((row) => row.pool === zone).map(({ network }) => network));
  }

  #report(zone: string, { kept, blocked }: PoolContent, refusal: Refusal | undefined): void {
    const { logger, meter } = this.#parts;
    if (kept.isEmpty) this.#kept.delete(zone);
    else this.#kept.set(zone, kept);
    const overlaps = blocked.map(({ pool, space }) => overlapMessage(zone, pool, space));
    const messages = [...(refusal === undefined ? [] : [refusal.message]), ...overlaps];
    const said = messages.join('; ');
    if (said === '') {
      this.#troubles.delete(zone);
      return;
    }
    if (this.#troubles.get(zone) === said) return;
    this.#troubles.set(zone, said);
    const code = refusal?.code ?? 'pool/overlap';
    meter.count('refusals_total', { reason: catalogueRow(code).reason });
    logger.warn('pool is not as it should be', { zone, code, problem: said });
  }
}

function isUsed({ holders }: AddressRecord, clusterUid: string): boolean {
  return holders.some(({ owner, state }) => owner.cluster === clusterUid && state !== 'retained');
}

function overlapMessage(zone: string, pool: string, space: PrefixSet): string {
  return `${space.toString()} of zone "${zone}" is in MetalLB pool "${pool}" too, which would freeze MetalLB's whole configuration; take it out of pool "${pool}"`;
}
