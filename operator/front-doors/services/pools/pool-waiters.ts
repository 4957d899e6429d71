import type { Address } from '../../../addressing/address';
import type { Clock } from '../../../ports/clock';

/** Longest wait for an address to be published; the leader writes within half a second while the API server answers. */
const PUBLISH_WAIT_MS = 5000;

interface Waiter {
  readonly zone: string;
  readonly address: Address;
  readonly end: (published: boolean) => void;
}

/** Callers that wait for an address to be in the pool of its zone. */
export class PoolWaiters {
  readonly #clock: Clock;
  readonly #holds: (zone: string, address: Address) => boolean;
  readonly #waiters = new Set<Waiter>();
  #closed = false;

  /**
   * Begins without waiters.
   *
   * @param clock - tells when a wait was in vain
   * @param holds - tells whether the pool of a zone holds an address
   */
  constructor(clock: Clock, holds: (zone: string, address: Address) => boolean) {
    this.#clock = clock;
    this.#holds = holds;
  }

  /**
   * Waits for an address.
   *
   * @param zone - name of zone and pool
   * @param address - what the pool must hold
   * @returns true once it does; false after five seconds
   */
  wait(zone: string, address: Address): Promise<boolean> {
    if (this.#holds(zone, address)) return Promise.resolve(true);
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (published: boolean): void => {
        cancel();
        this.#waiters.delete(waiter);
        resolve(published);
      };
      const waiter = { zone, address, end };
      const cancel = this.#clock.after(PUBLISH_WAIT_MS, () => {
        end(false);
      });
      this.#waiters.add(waiter);
    });
  }

  /** Lets those go whose address is published now. */
  wake(): void {
    for (const { zone, address, end } of this.#waiters) if (this.#holds(zone, address)) end(true);
  }

  /** Tells all false, at once and from now on. */
  close(): void {
    this.#closed = true;
    for (const { end } of this.#waiters) end(false);
  }
}
