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
export class WaitingClaims extends WaitingLine<ClaimKey, ClaimLine> {
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
    this.add(key.uid, waiting, since);
  }

  /**
   * Takes a claim out of the line: it has an address, or is gone. The next one follows.
   *
   * @param uid - of the claim
   * @param hasTaken - true where it has what it was woken for
   */
  override leave(uid: string, hasTaken = true): void {
    super.leave(uid, hasTaken);
  }

  /**
   * Wakes the oldest claim of each pool that changed, or has something free; the others follow one by one, as long as there are addresses.
   *
   * @param isMeant - tells whether a pool changed
   */
  changed(isMeant: (line: ClaimLine) => boolean): void {
    // a full pool ends its own turn, and that of no other
    const lines = new Map(this.wants().map((line) => [textOf(line), line]));
    this.remember(isMeant);
    for (const [text, line] of lines) if (isMeant(line)) this.begin((each) => textOf(each) === text);
  }
}

// Pools of two doors may have one name.
const textOf = ({ provider, pool: { kind, namespace, name, part } }: ClaimLine): string =>
  [provider.apiGroup, kind, namespace, name, part].join('/');
