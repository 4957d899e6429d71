import { familyBits, type Address } from '../../addressing/address';
import { TakenRuns } from '../../addressing/taken-runs';
import type { AddressRecord } from '../../ports/claims';

/** End of a quarantine. */
interface End {
  readonly untilMs: number;
  readonly record: AddressRecord;
}

const isAddress = ({ address, length }: AddressRecord): boolean => length === familyBits(address.family);

/**
 * Single addresses that are held, or in a quarantine that is not over, so that a search goes over a run of them in one step.
 *
 * @remarks Each change costs O(min(W, log n)), W = 32 or 128, and each end of a quarantine O(log q) more, once. One writer; holds memory only.
 */
export class TakenAddresses {
  readonly #runs = new TakenRuns();
  /** Records of quarantines by address, so that an end of an older one is known as such. */
  readonly #quarantined = new Map<string, AddressRecord>();
  /** A heap, the earliest end first; ends of records that changed since are left in it until their turn. */
  #ends: End[] = [];

  /**
   * Adds a record.
   *
   * @param record - a prefix changes nothing
   */
  add(record: AddressRecord): void {
    if (!isAddress(record)) return;
    const { address, quarantine } = record;
    this.#runs.add(address);
    if (quarantine === undefined) return;
    this.#quarantined.set(address.toString(), record);
    if (Number.isFinite(quarantine.untilMs)) this.#push({ untilMs: quarantine.untilMs, record });
  }

  /**
   * Takes a record away.
   *
   * @param record - as it was added
   */
  remove(record: AddressRecord): void {
    if (!isAddress(record)) return;
    this.#runs.remove(record.address);
    if (record.quarantine !== undefined) this.#quarantined.delete(record.address.toString());
    if (this.#quarantined.size === 0) this.#ends = [];
  }

  /**
   * Takes away what is in a quarantine that is over.
   *
   * @param nowMs - the present; where it was later before, what ended then is not taken again
   */
  passTo(nowMs: number): void {
    for (let end = this.#ends[0]; end !== undefined && end.untilMs <= nowMs; end = this.#ends[0]) {
      this.#pop();
      const { address } = end.record;
      if (this.#quarantined.get(address.toString()) !== end.record) continue;
      this.#quarantined.delete(address.toString());
      this.#runs.remove(address);
    }
  }

  /**
   * Finds where a run ends.
   *
   * @param address - any address
   * @returns the last address of the run from this one on; undefined when it is free itself
   */
  endOf(address: Address): Address | undefined {
    return this.#runs.endOf(address);
  }

  #push(end: End): void {
    const heap = this.#ends;
    let at = heap.length;
    for (let above = (at - 1) >> 1; at > 0; above = (at - 1) >> 1) {
      const parent = heap[above];
      if (parent === undefined || parent.untilMs <= end.untilMs) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = end;
  }

  #pop(): void {
    const heap = this.#ends;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const below = this.#earlierBelow(at);
      const child = heap[below];
      if (child === undefined || child.untilMs >= last.untilMs) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }

  #earlierBelow(at: number): number {
    const left = 2 * at + 1;
    const [a, b] = [this.#ends[left], this.#ends[left + 1]];
    return a !== undefined && b !== undefined && b.untilMs < a.untilMs ? left + 1 : left;
  }
}
