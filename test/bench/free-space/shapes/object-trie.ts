/** The prefix index as one writes it first: a path-compressed trie of objects with BigInt keys. */
import { familyBits, type Address, type Family } from '../../../../operator/addressing/address';
import type { Prefix } from '../../../../operator/addressing/prefix';
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';
import { lookups, type Index } from './routes';

interface Node {
  readonly key: bigint;
  readonly length: number;
  value: number | undefined;
  readonly children: [Node | undefined, Node | undefined];
}

class ObjectTrie implements Index {
  readonly #width: number;
  readonly #root: Node = { key: 0n, length: 0, value: undefined, children: [undefined, undefined] };

  constructor(family: Family) {
    this.#width = familyBits(family);
  }

  insert(prefix: Prefix, value: number): void {
    const fresh: Node = {
      key: this.#head(prefix.first.toBigInt(), prefix.length),
      length: prefix.length,
      value,
      children: [undefined, undefined],
    };
    let node = this.#root;
    for (;;) {
      if (node.length === fresh.length) {
        node.value = value;
        return;
      }
      const side = this.#bit(fresh, node.length);
      const child = node.children[side];
      if (child === undefined) {
        node.children[side] = fresh;
        return;
      }
      const shared = this.#shared(child, fresh);
      if (shared < child.length) {
        node.children[side] = this.#between(child, fresh, shared);
        return;
      }
      node = child;
    }
  }

  lookup(address: Address): number | undefined {
    const wanted = address.toBigInt();
    let best: number | undefined;
    let node: Node | undefined = this.#root;
    while (node !== undefined && this.#head(wanted, node.length) === node.key) {
      best = node.value ?? best;
      if (node.length === this.#width) break;
      node = node.children[Number((wanted >> BigInt(this.#width - 1 - node.length)) & 1n) as 0 | 1];
    }
    return best;
  }

  #head(value: bigint, length: number): bigint {
    return value >> BigInt(this.#width - length);
  }

  #bit(node: Node, position: number): 0 | 1 {
    return Number((node.key >> BigInt(node.length - 1 - position)) & 1n) as 0 | 1;
  }

  #shared(a: Node, b: Node): number {
    const limit = Math.min(a.length, b.length);
    const difference = (a.key >> BigInt(a.length - limit)) ^ (b.key >> BigInt(b.length - limit));
    return difference === 0n ? limit : limit - difference.toString(2).length;
  }

  #between(child: Node, fresh: Node, shared: number): Node {
    if (shared === fresh.length) {
      fresh.children[this.#bit(child, shared)] = child;
      return fresh;
    }
    const key = fresh.key >> BigInt(fresh.length - shared);
    const fork: Node = { key, length: shared, value: undefined, children: [undefined, undefined] };
    fork.children[this.#bit(fresh, shared)] = fresh;
    fork.children[this.#bit(child, shared)] = child;
    return fork;
  }
}

const lookup = (load: Load): Contestant => ({ ...lookups(new ObjectTrie(load.family), load), batch: 500 });

serve({ lookup });
