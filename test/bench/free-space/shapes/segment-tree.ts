/** The limit of prefix pools: a dense tree of the largest free size below each node. Memory grows with the pool; one smallest size. */
import { serve } from '../serve';
import { blockChurn, blockOf, lengthOf, offsetOf, POOL_LENGTH, SMALLEST, type Block, type BlockPool } from './blocks';

const LEVELS = SMALLEST - POOL_LENGTH;

class SegmentTree implements BlockPool {
  // largest free size below each node as 1 (smallest block) to LEVELS + 1 (the pool), 0 for none; node 1 is the root
  readonly #sizes = new Uint8Array(2 ** (LEVELS + 1));

  constructor() {
    for (let node = 1; node < this.#sizes.length; node++) this.#sizes[node] = LEVELS - (31 - Math.clz32(node)) + 1;
  }

  takeFirst(length: number): Block | undefined {
    const size = SMALLEST - length + 1;
    if (this.#sizes[1]! < size) return undefined;
    let node = 1;
    for (let own = LEVELS + 1; own > size; own--) {
      node *= 2;
      if (this.#sizes[node]! < size) node++;
    }
    this.#sizes[node] = 0;
    this.#refresh(node, size);
    return blockOf((node << (32 - length)) & (2 ** (32 - POOL_LENGTH) - 1), length);
  }

  release(block: Block): boolean {
    const length = lengthOf(block);
    const node = (1 << (length - POOL_LENGTH)) | (offsetOf(block) >>> (32 - length));
    const size = SMALLEST - length + 1;
    this.#sizes[node] = size;
    this.#refresh(node, size);
    return true;
  }

  #refresh(from: number, size: number): void {
    let own = size;
    for (let node = from >>> 1; node > 0; node >>>= 1) {
      const left = this.#sizes[2 * node]!;
      const right = this.#sizes[2 * node + 1]!;
      // two free halves make a free block of the next size
      const free = left === own && right === own ? own + 1 : Math.max(left, right);
      if (this.#sizes[node] === free) return;
      this.#sizes[node] = free;
      own++;
    }
  }
}

serve({ firstFit: (load) => blockChurn(new SegmentTree(), load) });
