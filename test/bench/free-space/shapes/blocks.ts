/** The task of the prefix pools: blocks of /24 to /28 in a /12, first fit by lowest address. */
import { numbersFrom } from '../../../support/pseudo-random';
import type { Contestant, Load } from '../shape';

/** Length of the pool, and of the smallest block. */
export const POOL_LENGTH = 12;
export const SMALLEST = 28;

// three quarters /28, fewer of each larger size: 32 addresses on average
const LENGTHS: readonly number[] = [...Array.from({ length: 24 }, () => 28), ...[27, 27, 27, 27, 26, 26, 25, 24]];

/** A block as one number, so that all variants keep the same cheap records: offset in the pool times 64, plus length. */
export type Block = number;

export const blockOf = (offset: number, length: number): Block => offset * 64 + length;
export const offsetOf = (block: Block): number => Math.floor(block / 64);
export const lengthOf = (block: Block): number => block & 63;

/** The part of a prefix pool that the task uses. */
export interface BlockPool {
  takeFirst(length: number): Block | undefined;
  release(block: Block): boolean;
}

/** Fills the pool to 70 %, gives a quarter of the blocks back at random, then releases one and takes one, again and again. */
export function blockChurn(pool: BlockPool, load: Load): Contestant {
  const next = numbersFrom(17);
  const anyLength = (): number => LENGTHS[next() % LENGTHS.length] ?? SMALLEST;
  const live: Block[] = [];
  while (live.length < load.live / 0.75) {
    const block = pool.takeFirst(anyLength());
    if (block !== undefined) live.push(block);
  }
  while (live.length > load.live) {
    const index = next() % live.length;
    const [leaving] = live.splice(index, 1);
    if (leaving !== undefined) pool.release(leaving);
  }
  return {
    batch: 500,
    op: () => {
      const index = next() % live.length;
      const leaving = live[index];
      if (leaving !== undefined) pool.release(leaving);
      const block = pool.takeFirst(anyLength());
      if (block === undefined) return 0;
      live[index] = block;
      return block;
    },
  };
}
