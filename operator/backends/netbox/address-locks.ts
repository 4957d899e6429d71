import type { OutsideRow } from '../../ports/outside-rows';
import { awaitSystem } from '../../runtime/awaited-system';

/** Lets the work of this process on one address take turns. Work of other processes is told apart by the rows. */
export class AddressLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Waits for the work that was asked for before on the same address, then works.
   *
   * @param at - network and address
   * @param work - what is done alone
   * @returns what it returns
   */
  async run<V>(at: Pick<OutsideRow, 'network' | 'address'>, work: () => Promise<V>): Promise<V> {
    const key = `${at.network} ${at.address.toString()}`;
    const before = this.#last.get(key);
    const turn = before === undefined ? Promise.resolve() : awaitSystem('netbox', () => before.catch(() => undefined));
    const mine = turn.then(work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
