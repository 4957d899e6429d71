/** A Set of BigInt addresses and a hint where the lowest free one may be. */
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';
import { BASES, churnTask, type Pool } from './tasks';

class SetWithHint implements Pool<bigint> {
  readonly #used = new Set<bigint>();
  #hint: bigint;

  constructor(first: bigint) {
    this.#hint = first;
  }

  take(value: bigint): boolean {
    if (this.#used.has(value)) return false;
    this.#used.add(value);
    return true;
  }

  release(value: bigint): boolean {
    if (value < this.#hint) this.#hint = value;
    return this.#used.delete(value);
  }

  takeLowest(): bigint {
    while (this.#used.has(this.#hint)) this.#hint++;
    this.#used.add(this.#hint);
    return this.#hint;
  }
}

const denseChurn = (load: Load): Contestant => {
  const first = BASES[6].toBigInt();
  const pool = new SetWithHint(first);
  const live = Array.from({ length: load.live }, () => pool.takeLowest());
  return { ...churnTask(pool, live, (value) => Number(value - first)), batch: 5, isOnce: false };
};

serve({ denseChurn });
