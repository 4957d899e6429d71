import type { AddressPoolProvider, ClaimedPool } from '../../ports/address-pool-provider';
import { WaitingLine } from '../../runtime/waiting-line';
import type { ClaimKey } from './door-parts';

/** A pool, or the part of one, that claims wait for. */
export interface ClaimLine {
  readonly provider: Pick<AddressPoolProvider, 'apiGroup'>;
  readonly pool: ClaimedPool;
}

/** Place of a claim among those that wait. */
interface Place {
  readonly line: ClaimLine;
  readonly createdAt: string;
  /** Mark from before it was looked at. */
  readonly since?: number;
}

/** Claims that wait, the oldest one of each pool first. */
export class WaitingClaims {
  readonly #line = new WaitingLine<ClaimKey, ClaimLine>();

  /**
   * Adds a listener.
   *
   * @param listener - is told each claim to look at
   * @returns the function that takes it away
   */
  onWake(listener: (key: ClaimKey) => void): () => void {
    return this.#line.onWake(listener);
  }

  /**
   * Tells the listeners of work.
   *
   * @param key - of a claim
   */
  wake(key: ClaimKey): void {
    this.#line.wake(key);
  }

  /**
   * Marks the time before a claim is looked at.
   *
   * @returns the mark, for {@link park}
   */
  mark(): number {
    return this.#line.mark();
  }

  /**
   * Lets a claim wait.
   *
   * @param key - of the claim
   * @param place - pool, age and mark
   * @param isPoolFull - true where the next one of the pool would wait for the same
   */
  park(key: ClaimKey, { line, createdAt, since }: Place, isPoolFull: boolean): void {
    const createdMs = Date.parse(createdAt) || 0;
    const waiting = { key, createdMs, wants: line, reason: '', endsTurn: isPoolFull };
    this.#line.park(key.uid, waiting, since);
  }

  /**
   * Takes a claim out of the line: it has an address, or is gone. The next one follows.
   *
   * @param uid - of the claim
   */
  leave(uid: string): void {
    this.#line.leave(uid, true);
  }

  /**
   * Lets the next claim follow one that could not be worked on; it keeps its place in the line.
   *
   * @param uid - of the claim
   */
  passOn(uid: string): void {
    this.#line.passOn(uid);
  }

  /**
   * Wakes the oldest claim of each pool that changed, or has something free; the others follow one by one, as long as there are addresses.
   *
   * @param isMeant - tells whether a pool changed
   */
  changed(isMeant: (line: ClaimLine) => boolean): void {
    // a full pool ends its own turn, and that of no other
    const lines = new Map(this.#line.wants().map((line) => [textOf(line), line]));
    this.#line.remember(isMeant);
    for (const [text, line] of lines) if (isMeant(line)) this.#line.begin((each) => textOf(each) === text);
  }

  /** Forgets all: another process looks after them. */
  clear(): void {
    this.#line.clear();
  }
}

// Pools of two doors may have one name.
const textOf = ({ provider, pool: { kind, namespace, name, part } }: ClaimLine): string =>
  [provider.apiGroup, kind, namespace, name, part].join('/');
