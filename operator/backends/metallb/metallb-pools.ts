import { PrefixSetBuilder, type PrefixSet } from '../../addressing/prefix-set';
import type { Zone, ZoneCatalogue } from '../../contract/zones';
import { METALLB_API } from '../../contract/group';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { AddressPools, PublishedPool } from '../../ports/address-pools';
import type { KubernetesObjects } from '../../ports/objects';
import type { ZoneSource } from '../../ports/zone-source';
import { poolToApply, readPool, type PoolObject } from './pool-object';

/** Parts of the pools. */
export interface MetalLbPoolsProps {
  /** `ipaddresspools` of MetalLB's namespace. */
  readonly objects: KubernetesObjects;
  /** Zones whose pools an earlier installation may have left. */
  readonly zones: ZoneSource;
  /**
   * Asks the API server whether it serves the kind of the pools.
   *
   * @default - it counts as served
   */
  readonly isServed?: () => Promise<boolean>;
}

/** Kind and place of the pools. */
export const POOL_KIND = {
  apiVersion: METALLB_API,
  kind: 'IPAddressPool',
  resource: 'ipaddresspools',
} as const;

/**
 * The `IPAddressPool` objects of MetalLB. It writes nothing that MetalLB would refuse, since one bad pool freezes the
 * configuration of all, and nothing that an administrator owns. Safe for parallel calls; writes take turns.
 */
export class MetalLbPools implements AddressPools {
  readonly #objects: KubernetesObjects;
  readonly #zones: ZoneSource;
  readonly #isServed: (() => Promise<boolean>) | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * Builds the port.
   *
   * @param props - objects, zones, and whether the kind is served
   */
  constructor({ objects, zones, isServed }: MetalLbPoolsProps) {
    this.#objects = objects;
    this.#zones = zones;
    this.#isServed = isServed;
  }

  /** @inheritdoc */
  async list(): Promise<readonly PublishedPool[]> {
    const pools = await this.#read();
    return pools.map(({ name, space, autoAssign, ours, handled }) => ({ name, space, autoAssign, ours, handled }));
  }

  /** @inheritdoc */
  async installed(): Promise<boolean> {
    return this.#isServed === undefined || (await this.#isServed());
  }

  /** @inheritdoc */
  publish(name: string, space: PrefixSet): Promise<Outcome<void>> {
    // in turns, so that two pools that share an address are not both written after one look
    const done = this.#turn.then(() => this.#publish(name, space));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** @inheritdoc */
  onChange(listener: (name: string) => void): () => void {
    return this.#objects.watch(listener);
  }

  async #publish(name: string, space: PrefixSet): Promise<Outcome<void>> {
    const pools = await this.#read();
    const current = pools.find((pool) => pool.name === name);
    if (current === undefined) return space.isEmpty ? accept(undefined) : this.#write(pools, name, space);
    const right = rightTo(current, this.#zones.current());
    if (!right.ok) return right;
    if (!space.isEmpty) return isSo(current, space) ? accept(undefined) : this.#write(pools, name, space);
    const { uid, resourceVersion } = current;
    return this.#objects.delete(name, { uid, resourceVersion });
  }

  async #write(pools: readonly PoolObject[], name: string, space: PrefixSet): Promise<Outcome<void>> {
    const clash = overlapIn(pools, name, space);
    if (!clash.ok) return clash;
    const current = pools.find((pool) => pool.name === name);
    // every field of a pool of ours is ours, so an edit of any of them is undone; the UID keeps that from a pool made anew
    const applied = await this.#objects.apply(poolToApply(name, space, current), {
      takeOver: current !== undefined,
    });
    return applied.ok ? accept(undefined) : applied;
  }

  async #read(): Promise<readonly PoolObject[]> {
    return (await this.#objects.list()).map(readPool);
  }
}

function isSo(pool: PoolObject, space: PrefixSet): boolean {
  if (pool.staysHostsOnly && !pool.hostsOnly) return false;
  return pool.ours && pool.labelled && !pool.autoAssign && pool.space.equals(space);
}

// Ours is what this operator applied once, whatever edits came since. What has our label alone, and what looks like the original's work, is
// taken over only as far as it lies inside the zone of its name.
function rightTo(pool: PoolObject, zones: ZoneCatalogue): Outcome<void> {
  const { name, owners } = pool;
  if (pool.ours || (pool.labelled && pool.applied)) return accept(undefined);
  const why = reasonAgainst(pool, zones.zone(name));
  if (why === undefined) return accept(undefined);
  const owner = `MetalLB pool "${name}" belongs to ${ownersText(owners)}`;
  return refuse('pool/owned', `${owner} and is left alone, since ${why}; rename it or delete it`, { value: name });
}

function reasonAgainst({ name, space, labelled, hostsOnly }: PoolObject, zone: Zone | undefined): string | undefined {
  if (zone === undefined) return 'no zone has this name';
  if (!labelled && !hostsOnly) return 'it holds more than single addresses, so no operator wrote it';
  const outside = zone.prefixes
    .reduce((rest, prefix) => rest.subtract(prefix), new PrefixSetBuilder().add(space))
    .build();
  return outside.isEmpty ? undefined : `it holds ${outside.toString()}, which zone "${name}" does not`;
}

function ownersText(owners: readonly string[]): string {
  return owners.length === 0 ? 'an unknown owner' : owners.map((owner) => `"${owner}"`).join(' and ');
}

function overlapIn(pools: readonly PoolObject[], name: string, space: PrefixSet): Outcome<void> {
  const other = pools.find((pool) => pool.name !== name && pool.space.overlaps(space));
  if (other === undefined) return accept(undefined);
  const both = other.space.intersect(space).toString();
  const message = `MetalLB pool "${other.name}" holds ${both} of zone "${name}"; two pools with one address would freeze MetalLB's whole configuration, take it out of pool "${other.name}"`;
  return refuse('pool/overlap', message, { value: name });
}
