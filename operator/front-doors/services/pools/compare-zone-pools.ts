import type { Family } from '../../../addressing/address';
import { PrefixSetBuilder, type PrefixSet } from '../../../addressing/prefix-set';
import type { Zone } from '../../../contract/zones';
import type { Cluster } from '../../../ports/cluster';
import type { Tools } from '../../../ports/tools';
import type { ZoneSource } from '../../../ports/zone-source';
import type { PoolFacts } from '../wanted/door-parts';
import { faultFields } from '../../../reviews/report-verdict';

/** Ranges that a message names. */
const NAMED = 3;

/** How zone and pool of one name differ: no such pool, addresses that only the zone has, addresses that only the pool has. */
type Mismatch = 'missing' | 'narrower' | 'wider';

/** One difference, in words too. */
interface Difference {
  readonly kind: Mismatch;
  readonly problem: string;
}

/** MetalLB writes into its pools at each assignment; changes that come together are compared together. */
const TOGETHER_MS = 1_000;
/** Pause before pools that could not be listed are asked for again. */
const AGAIN_MS = 30_000;

/** Parts that the comparison works with. */
export interface ZonePoolsComparison extends Tools {
  readonly view: PoolFacts;
  readonly zones: ZoneSource;
  /** Its families decide which part of a zone MetalLB can announce at all. */
  readonly cluster: Pick<Cluster, 'families'>;
}

/**
 * Compares each zone with the MetalLB pool of its name, a second after one of them changed: only what both hold can be given and
 * announced. For pools that hold the prefixes of the zones; pools of claims hold less by intent.
 *
 * @param parts - pools, zones, cluster, log and meter
 * @returns the function that ends it
 */
export function compareZonePools(parts: ZonePoolsComparison): () => void {
  const comparison = new Comparison(parts);
  comparison.begin();
  return () => {
    comparison.end();
  };
}

/**
 * Compares a zone with the pool of its name; pure.
 *
 * @param zone - of the catalogue
 * @param pool - what the pool holds; undefined where there is none
 * @param families - of the cluster; what the zone has of another one needs no pool
 * @returns how they differ; none where the pool holds all that the zone may give and nothing but the zone
 */
export function differencesOf(
  zone: Pick<Zone, 'name' | 'prefixes' | 'space'>,
  pool: PrefixSet | undefined,
  families: readonly Family[],
): readonly Difference[] {
  const { name } = zone;
  const given = families.flatMap((family) => zone.space.ranges(family));
  const wanted = given.reduce((all, range) => all.add(range), new PrefixSetBuilder()).build();
  if (pool === undefined)
    return wanted.isEmpty ? [] : [{ kind: 'missing', problem: `there is no MetalLB pool "${name}"` }];
  const whole = zone.prefixes.reduce((all, prefix) => all.add(prefix), new PrefixSetBuilder()).build();
  const [lost, more] = [wanted.subtract(pool), pool.subtract(whole)];
  const text = (kind: Mismatch, part: PrefixSet, problem: string): readonly Difference[] =>
    part.isEmpty ? [] : [{ kind, problem }];
  return [
    ...text(
      'narrower',
      lost,
      `MetalLB pool "${name}" lacks ${briefly(lost)} of zone "${name}", so it is not announced`,
    ),
    ...text('wider', more, `MetalLB pool "${name}" holds ${briefly(more)}, which zone "${name}" does not`),
  ];
}

function briefly(space: PrefixSet): string {
  const ranges = space.ranges();
  const rest = ranges.length - NAMED;
  return `${ranges.slice(0, NAMED).map(String).join(', ')}${rest > 0 ? ` and ${String(rest)} ranges more` : ''}`;
}

class Comparison {
  readonly #parts: ZonePoolsComparison;
  /** Last messages, by zone. */
  #said: ReadonlyMap<string, string> = new Map();
  #cancel: (() => void) | undefined;
  #stops: readonly ((() => void) | undefined)[] = [];

  constructor(parts: ZonePoolsComparison) {
    this.#parts = parts;
  }

  begin(): void {
    const { view, zones } = this.#parts;
    const soon = (): void => {
      this.#soon();
    };
    this.#stops = [view.onChange(soon), zones.onChange?.(soon)];
    soon();
  }

  end(): void {
    for (const stop of this.#stops) stop?.();
    this.#cancel?.();
  }

  #soon(ms = TOGETHER_MS): void {
    this.#cancel ??= this.#parts.clock.after(ms, () => {
      this.#cancel = undefined;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { view, zones, cluster, meter, logger } = this.#parts;
    try {
      const families = await cluster.families();
      if ((await view.look()) === 'unknown') {
        this.#soon(AGAIN_MS);
        return;
      }
      const said = new Map<string, string>();
      meter.clear('zone_pool_mismatch');
      for (const zone of zones.current().zones) {
        const found = differencesOf(zone, view.space(zone.name), families);
        for (const { kind } of found) meter.set('zone_pool_mismatch', 1, { zone: zone.name, kind });
        if (found.length > 0) said.set(zone.name, found.map(({ problem }) => problem).join('; '));
      }
      this.#log(said);
    } catch (thrown) {
      logger.warn('zones could not be compared with the pools of the load balancer', faultFields(thrown));
      this.#soon(AGAIN_MS);
    }
  }

  #log(said: ReadonlyMap<string, string>): void {
    for (const [zone, problem] of said) {
      if (this.#said.get(zone) === problem) continue;
      this.#parts.logger.warn('zone and pool of one name differ', { zone, problem });
    }
    this.#said = said;
  }
}
