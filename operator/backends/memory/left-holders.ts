import type { AddressRecord, Holder, Place } from '../../ports/claims';

interface Left {
  readonly holder: Holder;
  readonly atMs: number;
}

/** The holders that left a space which others still show, newest of each space. One caller at a time; holds memory only. */
export class LeftHolders {
  readonly #left = new Map<string, Left>();

  /**
   * Notes that a holder left others behind.
   *
   * @param record - what it left
   * @param holder - the one that left
   * @param atMs - when
   */
  note(record: AddressRecord, holder: Holder, atMs: number): void {
    const key = keyOf(record);
    if (!mayReturn(holder)) return;
    const before = this.#left.get(key);
    const isOlder = before?.atMs === atMs && Number(before.holder.id) > Number(holder.id);
    if (!isOlder) this.#left.set(key, { holder, atMs });
  }

  /**
   * Finds the one for whom a space pauses when its last holder goes, and forgets it.
   *
   * @param record - whose last holder goes
   * @param last - that holder
   * @returns the one that left before, and when; undefined where nobody did
   */
  take(record: AddressRecord, last: Holder): Left | undefined {
    const key = keyOf(record);
    const left = this.#left.get(key);
    this.#left.delete(key);
    // before the space was taken it was another claim
    return left === undefined || left.atMs <= record.takenAtMs || left.holder.id === last.id ? undefined : left;
  }

  /**
   * Changes every holder.
   *
   * @param change - makes the holder that is kept
   */
  change(change: (holder: Holder) => Holder): void {
    for (const [key, { holder, atMs }] of this.#left) this.#left.set(key, { holder: change(holder), atMs });
  }
}

function mayReturn({ state, owner }: Holder): boolean {
  return state !== 'contested' && (state !== 'reserved' || owner.uid !== undefined);
}

function keyOf({ network, address, length }: Place): string {
  return JSON.stringify([network, address.toString(), length]);
}
