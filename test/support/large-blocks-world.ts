import { prefixOf } from '../../operator/addressing/prefix';
import { PrefixSet } from '../../operator/addressing/prefix-set';
import { LargeBlocks } from '../../operator/ledger/occupied/large-blocks';
import { ShownIndex } from '../../operator/ledger/occupied/shown-index';
import { TestZones } from './ledger-world';

/** Zone `z` over a /7 and a /63, and prefixes in it that other doors have. */
export class LargeBlocksWorld {
  readonly zones = new TestZones([{ name: 'z', prefixes: ['10.0.0.0/7', 'fd00::/63'], edgeAddresses: 'use' }]);
  readonly blocks = new LargeBlocks(this.zones);
  /** Whether each change of the prefixes was one of what the zone chooses from. */
  readonly changes: boolean[] = [];
  readonly #index = new ShownIndex((block) => {
    this.changes.push(this.blocks.changed(block));
  });

  constructor() {
    this.blocks.readFrom(this.#index);
  }

  /** Replaces what a holder has. */
  has(id: string, blocks: readonly string[], network = 'default'): void {
    const shown =
      blocks.length === 0
        ? []
        : [
            {
              kind: 'claim' as const,
              source: id,
              network,
              addresses: [],
              blocks: blocks.map((each) => prefixOf(each)),
            },
          ];
    this.#index.put({ id, namespace: '', uid: id, shown });
  }

  /** What the zone may give, without a look at the prefixes. */
  space(): PrefixSet {
    return this.zones.current().zone('z')?.space ?? PrefixSet.EMPTY;
  }
}
