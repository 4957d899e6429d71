/** The way of peers for prefixes: a sorted list of allocations, walked for the first gap that is large enough. */
import { serve } from '../serve';
import { blockChurn, blockOf, offsetOf, POOL_LENGTH, type Block, type BlockPool } from './blocks';

interface Taken {
  readonly offset: number;
  readonly size: number;
}

class GapScan implements BlockPool {
  readonly #blocks: Taken[] = [];

  takeFirst(length: number): Block | undefined {
    const size = 2 ** (32 - length);
    let index = 0;
    let free = 0;
    for (const block of this.#blocks) {
      const aligned = Math.ceil(free / size) * size;
      if (aligned + size <= block.offset) break;
      free = block.offset + block.size;
      index++;
    }
    const offset = Math.ceil(free / size) * size;
    if (offset + size > 2 ** (32 - POOL_LENGTH)) return undefined;
    this.#blocks.splice(index, 0, { offset, size });
    return blockOf(offset, length);
  }

  release(block: Block): boolean {
    const offset = offsetOf(block);
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.offset < offset) low = middle + 1;
      else high = middle;
    }
    if (this.#blocks[low]?.offset !== offset) return false;
    this.#blocks.splice(low, 1);
    return true;
  }
}

serve({ firstFit: (load) => ({ ...blockChurn(new GapScan(), load), batch: 2 }) });
