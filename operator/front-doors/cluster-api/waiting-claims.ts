import { ListenerSet } from '../../runtime/listener-set';
import type { ClaimKey } from './door-parts';

/** A claim that waits for an address of a pool. */
interface Waiter {
  readonly key: ClaimKey;
  readonly pool: string;
  readonly createdAt: string;
  /** True where it was woken, and the next one is to follow once it has an address. */
  readonly isAsked: boolean;
}

/** Claims that wait, the oldest one first. Waiting costs nothing: nothing polls. */
export class WaitingClaims {
  readonly #line = new Map<string, Waiter>();
  readonly #listeners = new ListenerSet<ClaimKey>();

  /**
   * Adds a listener.
   *
   * @param listener - is told each claim to look at
   * @returns the function that takes it away
   */
  onWake(listener: (key: ClaimKey) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Tells the listeners of work.
   *
   * @param key - of a claim
   */
  wake(key: ClaimKey): void {
    this.#listeners.tell(key);
  }

  /**
   * Lets a claim wait.
   *
   * @param key - of the claim
   * @param of - its pool, and when it was made
   * @param isPoolFull - true where the next one of the pool would wait for the same
   */
  park(key: ClaimKey, of: { readonly pool: string; readonly createdAt: string }, isPoolFull: boolean): void {
    const wasAsked = this.#line.get(key.uid)?.isAsked === true;
    this.#line.set(key.uid, { key, ...of, isAsked: wasAsked });
    if (!wasAsked) return;
    if (isPoolFull) this.#endTurn(of.pool);
    else this.#wakeNext(of.pool);
  }

  /**
   * Takes a claim out of the line: it has an address, or is gone. The next one follows.
   *
   * @param uid - of the claim
   */
  leave(uid: string): void {
    const before = this.#line.get(uid);
    this.#line.delete(uid);
    if (before?.isAsked === true) this.#wakeNext(before.pool);
  }

  /**
   * Lets the next claim follow one that could not be worked on; it keeps its place in the line.
   *
   * @param uid - of the claim
   */
  passOn(uid: string): void {
    const waiter = this.#line.get(uid);
    if (waiter?.isAsked === true) this.#wakeNext(waiter.pool);
  }

  /**
   * Wakes the oldest claim that waits for a pool; the others follow one by one, as long as there are addresses.
   *
   * @param pool - that changed, or has something free
   */
  changed(pool: string): void {
    this.#endTurn(pool);
    this.#wakeNext(pool);
  }

  /** Forgets all: another process looks after them. */
  clear(): void {
    this.#line.clear();
  }

  #endTurn(pool: string): void {
    for (const [uid, waiter] of this.#line)
      if (waiter.pool === pool && waiter.isAsked) this.#line.set(uid, { ...waiter, isAsked: false });
  }

  #wakeNext(pool: string): void {
    let next: Waiter | undefined;
    for (const waiter of this.#line.values()) {
      if (waiter.pool !== pool || waiter.isAsked) continue;
      if (next === undefined || waiter.createdAt < next.createdAt) next = waiter;
    }
    if (next === undefined) return;
    this.#line.set(next.key.uid, { ...next, isAsked: true });
    this.wake(next.key);
  }
}
