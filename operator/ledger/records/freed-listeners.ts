import type { FreedAddress } from '../../ports/address-book';

/** Listeners to freed addresses. */
export class FreedListeners {
  readonly #listeners = new Set<(freed: FreedAddress) => void>();

  /**
   * Adds a listener.
   *
   * @param listener - called after the release is durable; must not throw
   * @returns the function that takes it away
   */
  add(listener: (freed: FreedAddress) => void): () => void {
    const own = (freed: FreedAddress): void => {
      listener(freed);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /**
   * Tells all listeners.
   *
   * @param freed - the address, and when any claimant may have it
   */
  tell(freed: FreedAddress): void {
    for (const listener of [...this.#listeners]) listener(freed);
  }
}
