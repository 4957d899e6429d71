/** Free ranges of BigInt ends, sorted, in chunks: what one writes when IPv6 is BigInt and one sorted array became too slow. */
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';
import { BASES, randomAddresses6 } from './tasks';

const MOST_IN_CHUNK = 512;

interface FreeRange {
  readonly first: bigint;
  readonly last: bigint;
}

class ChunkedRanges {
  readonly #chunks: FreeRange[][];

  constructor(whole: FreeRange) {
    this.#chunks = [[whole]];
  }

  take(value: bigint): boolean {
    const at = ChunkedRanges.#lastAtOrBelow(this.#chunks, (chunk) => chunk[0]!.first, value);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const index = ChunkedRanges.#lastAtOrBelow(chunk, (range) => range.first, value);
    const range = chunk[index];
    if (range === undefined || range.last < value) return false;
    const rest: FreeRange[] = [];
    if (range.first < value) rest.push({ first: range.first, last: value - 1n });
    if (range.last > value) rest.push({ first: value + 1n, last: range.last });
    chunk.splice(index, 1, ...rest);
    if (chunk.length > MOST_IN_CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(MOST_IN_CHUNK / 2));
    else if (chunk.length === 0) this.#chunks.splice(at, 1);
    return true;
  }

  static #lastAtOrBelow<T>(list: readonly T[], firstOf: (item: T) => bigint, value: bigint): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (firstOf(list[middle]!) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

const claims = (load: Load): Contestant => {
  const first = BASES[6].toBigInt();
  const whole = { first, last: first + (1n << 80n) - 1n };
  const wishes = randomAddresses6(load.live, 3).map((address) => address.toBigInt());
  let pool = new ChunkedRanges(whole);
  let index = 0;
  return {
    batch: load.live,
    op: () => {
      if (index === wishes.length) {
        pool = new ChunkedRanges(whole);
        index = 0;
      }
      return pool.take(wishes[index++] ?? 0n) ? 1 : 0;
    },
  };
};

serve({ claims });
