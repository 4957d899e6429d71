import type { Address } from '../../addressing/address';

/**
 * Lets one change of an address at a time run in this process, first come first served: forty clusters that join one
 * address would otherwise read one version of its record, and all but one of them would lose each round.
 *
 * Safe for parallel calls; keeps nothing of an address without a waiting caller. Must not be nested for one address.
 */
export class AddressTurns {
  readonly #ends = new Map<string, Promise<unknown>>();

  /**
   * Runs work when all that came before on the same address are done, whatever became of it.
   *
   * @param address - what is changed, or a name for what is not known yet; undefined: there is no waiting
   * @param work - reads the record anew and changes it
   * @returns what the work returns
   */
  async run<V>(address: Address | string | undefined, work: () => Promise<V>): Promise<V> {
    if (address === undefined) return work();
    const key = address.toString();
    const before = this.#ends.get(key);
    const turn = before === undefined ? work() : before.then(work);
    const end = turn.then(nothing, nothing);
    this.#ends.set(key, end);
    try {
      return await turn;
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    }
  }
}

function nothing(): void {
  // a waiting caller asks only whether it is its turn
}
