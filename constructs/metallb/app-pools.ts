import type { IConstruct } from 'constructs';

import type { Refusal } from '../../operator/errors/outcome';
import { nameTaken } from '../app/app-objects';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import type { PoolEntry } from './pool-entries';

/** A MetalLB pool as the other pools of its app see it. */
export interface PoolOfApp {
  readonly construct: IConstruct;
  /** Its name in messages: `zone "inet"` or `pool "legacy"`. */
  readonly label: string;
  readonly name: string;
  readonly namespace: string;
  readonly entries: readonly PoolEntry[];
  /** The operator whose zone it is. Two operators are two clusters, so their zones are not compared. */
  readonly operator?: IConstruct;
  readonly cluster?: string | undefined;
}

const POOLS = new AppRegistry<PoolOfApp>();
/** Pools of a construct; an operator has one for each zone. */
const POOLS_OF = new WeakMap<IConstruct, PoolOfApp[]>();

const nameKey = ({ namespace, name }: PoolOfApp): string => `${namespace}/${name}`;
const spaceOf = ({ entries }: PoolOfApp) => ({ of: 'MetalLB', ranges: entries.map(({ range }) => range) });

/**
 * Makes a pool known to the other pools of its app, whatever chart they are in.
 *
 * @param pool - with what it holds and whose it is
 */
export function registerPool(pool: PoolOfApp): void {
  const own = POOLS_OF.get(pool.construct);
  if (own === undefined) POOLS_OF.set(pool.construct, [pool]);
  else own.push(pool);
  POOLS.register(pool, { keys: [nameKey(pool)], space: spaceOf(pool) });
}

function inOneCluster(a: PoolOfApp, b: PoolOfApp): boolean {
  if (a.operator !== undefined && b.operator !== undefined) return false;
  return mayShareCluster(a.cluster, b.cluster);
}

const placeOf = ({ label, construct }: PoolOfApp): string => `${label} [${construct.node.path}]`;

function overlapProblems(mine: PoolOfApp, other: PoolOfApp): readonly Refusal[] {
  return mine.entries.flatMap((entry) =>
    other.entries
      .filter(({ range }) => range.overlaps(entry.range))
      .map((taken): Refusal => {
        const [here, there] = [`"${entry.text}" of ${placeOf(mine)}`, `"${taken.text}" of ${placeOf(other)}`];
        const message = `${entry.field}: ${here} overlaps ${there}; MetalLB refuses all its pools where two overlap, take other addresses`;
        return { code: 'zone/overlap', field: entry.field, value: entry.text, message };
      }),
  );
}

function nameProblem(mine: PoolOfApp, other: PoolOfApp): readonly Refusal[] {
  if (mine.name !== other.name || mine.namespace !== other.namespace) return [];
  return [nameTaken({ code: 'zone/invalid', field: 'name', value: mine.name }, placeOf(mine), placeOf(other))];
}

/**
 * Compares a pool with those that were declared before it, so that each pair is reported once.
 *
 * @param construct - construct of a registered pool
 * @returns overlaps and names that are taken, both places named by their construct paths
 */
export function clashesWithEarlierPools(construct: IConstruct): readonly Refusal[] {
  return (POOLS_OF.get(construct) ?? []).flatMap((pool) =>
    POOLS.inOrder([...POOLS.earlierAt(pool, nameKey(pool)), ...POOLS.earlierIn(pool, spaceOf(pool))])
      .filter((other) => other.construct !== construct && inOneCluster(pool, other))
      .flatMap((other) => [...nameProblem(pool, other), ...overlapProblems(pool, other)]),
  );
}

/**
 * Compares the pools of a construct with those of another app, which may be meant for the same cluster.
 *
 * @param construct - a construct, whose pools are compared, and those of everything in it
 * @param other - anywhere in the other app
 * @returns overlaps, both places named by their construct paths
 */
export function overlapsWithApp(construct: IConstruct, other: IConstruct): readonly Refusal[] {
  const theirs = POOLS.all(other);
  if (theirs.length === 0) return [];
  const mine = construct.node.findAll().flatMap((each) => POOLS_OF.get(each) ?? []);
  return mine.flatMap((pool) =>
    theirs.filter((each) => inOneCluster(pool, each)).flatMap((each) => overlapProblems(pool, each)),
  );
}
