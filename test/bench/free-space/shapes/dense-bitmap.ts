/** The limit of address pools: a bit for each address of a /8 and 32-ary summaries of full words above. Memory grows with the pool. */
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';
import { churnTask, exactTask, randomOffsets4, type Pool } from './tasks';

const BITS = 24;
const FULL = 0xffff_ffff;

class DenseBitmap implements Pool<number> {
  readonly #levels: readonly Uint32Array[];

  constructor() {
    const levels: Uint32Array[] = [];
    for (let words = 2 ** (BITS - 5); ; words = Math.ceil(words / 32)) {
      levels.push(new Uint32Array(words));
      if (words === 1) break;
    }
    // places behind the end of a summary must never look free
    for (const [level, words] of levels.entries()) {
      const below = levels[level - 1]?.length ?? words.length * 32;
      if (below < words.length * 32) words[words.length - 1] = (FULL << (below % 32)) >>> 0;
    }
    this.#levels = levels;
  }

  take(offset: number): boolean {
    let at = offset;
    for (const words of this.#levels) {
      const word = at >>> 5;
      const bit = 1 << (at & 31);
      if ((words[word]! & bit) !== 0) return false;
      words[word]! |= bit;
      if (words[word] !== FULL) return true;
      at = word;
    }
    return true;
  }

  release(offset: number): boolean {
    let at = offset;
    for (const words of this.#levels) {
      const word = at >>> 5;
      const bit = 1 << (at & 31);
      if ((words[word]! & bit) === 0) return at !== offset;
      const wasFull = words[word] === FULL;
      words[word]! &= ~bit;
      if (!wasFull) return true;
      at = word;
    }
    return true;
  }

  takeLowest(): number | undefined {
    let at = 0;
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      const clear = ~this.#levels[level]![at]!;
      if (clear === 0) return undefined;
      at = 32 * at + 31 - Math.clz32(clear & -clear);
    }
    this.take(at);
    return at;
  }
}

const same = (offset: number): number => offset;

const churn = (load: Load): Contestant => {
  const pool = new DenseBitmap();
  const live = [...randomOffsets4(load.live, 3)];
  for (const offset of live) pool.take(offset);
  return churnTask(pool, live, same);
};

const exact = (load: Load): Contestant => {
  const pool = new DenseBitmap();
  const all = [...randomOffsets4(2 * load.live, 3)];
  const live = all.slice(0, load.live);
  for (const offset of live) pool.take(offset);
  return exactTask(pool, live, all.slice(load.live));
};

serve({ churn, exact });
