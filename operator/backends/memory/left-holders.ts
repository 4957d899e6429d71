import { mayReturn } from '../../claim-store/former-holder';
import type { AddressRecord, Holder, Place } from '../../ports/claims';

interface Left {
  readonly holder: Holder;
  readonly atMs: number;
}

/** Former holders of spaces that other holders still have: the newest one of each space. One caller at a time; in memory only. */
export class LeftHolders {
  readonly #left = new Map<string, Left>();

  /**
   * Notes that a holder was released while the space has other holders.
   *
   * @param record - the space
   * @param holder - the released one
   * @param atMs - when
   */
  note(record: AddressRecord, holder: Holder, atMs: number): void {
    const key = keyOf(record);
    if (!mayReturn(holder.state, holder.owner.uid)) return;
    const before = this.#left.get(key);
    const isOlder = before?.atMs === atMs && Number(before.holder.id) > Number(holder.id);
    if (!isOlder) this.#left.set(key, { holder, atMs });
  }

  /**
   * Finds the former holder for which a space is quarantined when its last holder is released, and forgets it.
   *
   * @param record - the space
   * @param last - its last holder
   * @returns the former holder for which the space pauses, and when it left; undefined where no holder left before
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

function keyOf({ network, address, length }: Place): string {
  return JSON.stringify([network, address.toString(), length]);
}
