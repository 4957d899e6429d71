/** Ours: the public AddressPool. */
import { Address, type Family } from '../../../../operator/addressing/address';
import { AddressPool } from '../../../../operator/addressing/address-pool';
import { Prefix } from '../../../../operator/addressing/prefix';
import { PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import { numbersFrom } from '../../../support/pseudo-random';
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';
import {
  addressAt,
  BASES,
  churnTask,
  exactTask,
  lowestTask,
  randomAddresses6,
  randomOffsets4,
  type Pool,
} from './tasks';

const offsetOf = (address: Address): number => address.w3 & 0xff_ffff;

function emptyPool(family: Family, length: number = family === 4 ? 8 : 48): AddressPool {
  return new AddressPool(new PrefixSetBuilder().add(new Prefix(BASES[family], length)).build(), family);
}

/** The pool behind plain numbers: an address value is made for each operation, as a caller does who just parsed one. */
class Numbered implements Pool<number> {
  readonly pool: AddressPool = emptyPool(4);

  take(offset: number): boolean {
    return this.pool.take(this.#at(offset));
  }

  release(offset: number): boolean {
    return this.pool.release(this.#at(offset));
  }

  takeLowest(): number | undefined {
    const lowest = this.pool.takeLowest();
    return lowest && offsetOf(lowest);
  }

  #at(offset: number): Address {
    return new Address(4, { w0: 0, w1: 0, w2: 0, w3: 0x0a00_0000 + offset });
  }
}

function fill(pool: AddressPool, count: number): Address[] {
  return Array.from({ length: count }, () => pool.takeLowest() ?? BASES[4]);
}

function sparse(load: Load): { pool: AddressPool; live: Address[] } {
  const pool = emptyPool(load.family);
  const live =
    load.family === 4
      ? randomOffsets4(load.live, 3).map((offset) => addressAt(4, offset))
      : randomAddresses6(load.live, 3);
  for (const address of live) pool.take(address);
  return { pool, live: [...live] };
}

const lowest = (load: Load): Contestant => {
  const pool = emptyPool(load.family);
  fill(pool, load.live);
  return lowestTask(pool, offsetOf, 1_000);
};

/** A pool of 2^14 addresses at 97 %, free places at random. */
const nearlyFull = (load: Load): Contestant => {
  const pool = emptyPool(4, 18);
  const all = fill(pool, 2 ** 14);
  const next = numbersFrom(11);
  for (let live = all.length; live > load.live;) if (pool.release(all[next() % all.length] ?? BASES[4])) live--;
  return lowestTask(pool, offsetOf, 1_000);
};

const same = (offset: number): number => offset;

const churn = (load: Load): Contestant => {
  const pool = new Numbered();
  const live = [...randomOffsets4(load.live, 3)];
  for (const offset of live) pool.take(offset);
  return churnTask(pool, live, same);
};

const denseChurn = (load: Load): Contestant => {
  const pool = emptyPool(load.family);
  return { ...churnTask(pool, fill(pool, load.live), offsetOf), batch: 200, isOnce: false };
};

const exact = (load: Load): Contestant => {
  const pool = new Numbered();
  const all = [...randomOffsets4(2 * load.live, 3)];
  const live = all.slice(0, load.live);
  for (const offset of live) pool.take(offset);
  return exactTask(pool, live, all.slice(load.live));
};

/** Every second address of the start of the pool is free. */
const exactInFragments = (load: Load): Contestant => {
  const pool = new Numbered();
  const offsets = Array.from({ length: 2 * load.live }, (_, offset) => offset);
  const live = offsets.filter((offset) => offset % 2 === 1);
  for (const offset of live) pool.take(offset);
  const spare = offsets.filter((offset) => offset % 2 === 0);
  return exactTask(pool, live, spare);
};

/** Takes all addresses in turn, each made from its words, in pools that are made anew when all are taken. */
function claimsOf(addresses: readonly Address[], poolOf: () => AddressPool): Contestant {
  const wishes = new Uint32Array(4 * addresses.length);
  for (const [index, { w0, w1, w2, w3 }] of addresses.entries()) wishes.set([w0, w1, w2, w3], 4 * index);
  let pool = poolOf();
  let at = 0;
  const op = (): number => {
    if (at === wishes.length) {
      pool = poolOf();
      at = 0;
    }
    const words = { w0: wishes[at]!, w1: wishes[at + 1]!, w2: wishes[at + 2]!, w3: wishes[at + 3]! };
    at += 4;
    return pool.take(new Address(pool.family, words)) ? 1 : 0;
  };
  return { batch: addresses.length, op };
}

const claims = ({ family, live }: Load): Contestant =>
  claimsOf(
    family === 4 ? randomOffsets4(live, 3).map((offset) => addressAt(4, offset)) : randomAddresses6(live, 3),
    () => emptyPool(family),
  );

/** All of IPv4, so that nearly every address has a page of its own, as random IPv6 addresses have. */
const claimsApart = ({ live }: Load): Contestant => {
  const next = numbersFrom(3);
  const addresses = Array.from({ length: live }, () => new Address(4, { w0: 0, w1: 0, w2: 0, w3: next() }));
  const space = new PrefixSetBuilder().add(new Prefix(BASES[4], 0)).build();
  return claimsOf(addresses, () => new AddressPool(space, 4));
};

/** Memory only; the operation is there to hold the pool. */
const weigh = (pool: AddressPool): Contestant => ({ batch: 1, op: () => pool.family });

const denseMemory = (load: Load): Contestant => {
  const pool = emptyPool(load.family);
  fill(pool, load.live);
  return weigh(pool);
};

const sparseMemory = (load: Load): Contestant => weigh(sparse(load).pool);

serve({
  lowest,
  nearlyFull,
  churn,
  denseChurn,
  exact,
  exactInFragments,
  claims,
  claimsApart,
  denseMemory,
  sparseMemory,
});
