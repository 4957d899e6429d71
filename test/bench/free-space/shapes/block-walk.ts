/** Exact allocation by walking a linked list of free blocks (the shape of Cilium's LB-IPAM by its own comment), in TypeScript. */
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';
import { exactTask, type Pool } from './tasks';

interface Block {
  first: number;
  last: number;
  next: Block | undefined;
}

class BlockWalk implements Pool<number> {
  readonly #used = new Set<number>();
  // a block in front of all others, so that none needs a special case
  readonly #head: Block = { first: -2, last: -2, next: undefined };

  constructor(last: number) {
    this.#head.next = { first: 0, last, next: undefined };
  }

  take(offset: number): boolean {
    if (this.#used.has(offset)) return false;
    let before = this.#head;
    let block = before.next;
    while (block !== undefined && block.last < offset) {
      before = block;
      block = block.next;
    }
    if (block === undefined || block.first > offset) return false;
    this.#used.add(offset);
    //   block |-----x-----|   leaves  |----| |----|
    const after = block.last > offset ? { first: offset + 1, last: block.last, next: block.next } : block.next;
    before.next = block.first < offset ? { first: block.first, last: offset - 1, next: after } : after;
    return true;
  }

  takeLowest(): number | undefined {
    const lowest = this.#head.next?.first;
    if (lowest !== undefined) this.take(lowest);
    return lowest;
  }

  release(offset: number): boolean {
    if (!this.#used.delete(offset)) return false;
    let before = this.#head;
    while (before.next !== undefined && before.next.last < offset) before = before.next;
    const after = before.next;
    //   |----|x|----|  both neighbours and the address become one block
    const last = after?.first === offset + 1 ? after.last : offset;
    const next = last === offset ? after : after?.next;
    if (before.last === offset - 1) {
      before.last = last;
      before.next = next;
    } else before.next = { first: offset, last, next };
    return true;
  }
}

/** Every second address of the start of the pool is free. */
const exactInFragments = (load: Load): Contestant => {
  const pool = new BlockWalk(2 ** 24 - 1);
  for (let offset = 2 * load.live - 1; offset > 0; offset -= 2) pool.take(offset);
  const offsets = Array.from({ length: 2 * load.live }, (_, offset) => offset);
  const live = offsets.filter((offset) => offset % 2 === 1);
  const spare = offsets.filter((offset) => offset % 2 === 0);
  return { ...exactTask(pool, live, spare), batch: 10 };
};

serve({ exactInFragments });
