/** Ours: the public PrefixPool. */
import { Address, addressOf } from '../../../../operator/addressing/address';
import { Prefix } from '../../../../operator/addressing/prefix';
import { PrefixPool } from '../../../../operator/addressing/prefix-pool';
import { PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import { serve } from '../serve';
import { blockChurn, blockOf, lengthOf, offsetOf, POOL_LENGTH, type Block, type BlockPool } from './blocks';

const BASE = addressOf('10.0.0.0');

/** The pool behind plain numbers: a prefix value is made for each operation, as a caller does who just parsed one. */
class Numbered implements BlockPool {
  readonly #pool = new PrefixPool(new PrefixSetBuilder().add(new Prefix(BASE, POOL_LENGTH)).build(), 4);

  takeFirst(length: number): Block | undefined {
    const prefix = this.#pool.takeFirst(length);
    return prefix && blockOf(prefix.first.w3 - BASE.w3, prefix.length);
  }

  release(block: Block): boolean {
    const first = new Address(4, { w0: 0, w1: 0, w2: 0, w3: BASE.w3 + offsetOf(block) });
    return this.#pool.release(new Prefix(first, lengthOf(block)));
  }
}

serve({ firstFit: (load) => blockChurn(new Numbered(), load) });
