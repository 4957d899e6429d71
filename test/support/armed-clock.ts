import { ManualClock } from './manual-clock';

/** A clock that stands still, and tells a test that the code under test waits for it. */
export class ArmedClock extends ManualClock {
  readonly #pending = new Set<number>();
  #waiters: { readonly ms: number; readonly resolve: () => void }[] = [];

  override after(ms: number, run: () => void): () => void {
    this.#pending.add(ms);
    const cancel = super.after(ms, () => {
      this.#pending.delete(ms);
      run();
    });
    const told = this.#waiters.filter((waiter) => waiter.ms === ms);
    this.#waiters = this.#waiters.filter((waiter) => waiter.ms !== ms);
    for (const { resolve } of told) resolve();
    return () => {
      this.#pending.delete(ms);
      cancel();
    };
  }

  /** Waits for a timer of exactly that length, then lets it fire. */
  async pass(ms: number): Promise<void> {
    await this.armed(ms);
    this.advance(ms);
  }

  /** Waits for a timer of exactly that length. */
  async armed(ms: number): Promise<void> {
    if (!this.#pending.has(ms)) await new Promise<void>((resolve) => this.#waiters.push({ ms, resolve }));
  }
}
