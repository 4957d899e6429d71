import type { Address } from '../../addressing/address';
import type { ShownAddresses } from '../../contract/shown-addresses';

/** Most addresses of `spec.externalIPs` of one namespace that count; its Services are edited by all that work there. */
export const MAX_AVOIDED_IN_NAMESPACE = 64;

/** One object that shows an address. */
export interface Showing {
  /** Identity of the object within its kind of feed. */
  readonly id: string;
  readonly kind: ShownAddresses['kind'];
  readonly source: string;
  readonly namespace: string;
  /** UID of the object. */
  readonly uid: string;
}

/** Addresses that one object shows now. */
export interface ShowingObject {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly shown: readonly ShownAddresses[];
}

interface Entry {
  readonly address: Address;
  readonly showings: Set<Showing>;
}

/** Addresses of a namespace that count, and those that are too many. */
class NamespaceShare {
  readonly counted = new Set<string>();
  readonly #others = new Set<string>();

  get tooMany(): number {
    return this.#others.size;
  }

  add(text: string): void {
    if (this.counted.has(text)) return;
    if (this.counted.size < MAX_AVOIDED_IN_NAMESPACE) this.counted.add(text);
    else this.#others.add(text);
  }

  // Returns the address that counts in its place from now on.
  remove(text: string): string | undefined {
    this.#others.delete(text);
    if (!this.counted.delete(text)) return undefined;
    const [next] = this.#others;
    if (next === undefined) return undefined;
    this.#others.delete(next);
    this.counted.add(next);
    return next;
  }
}

const RANK: Readonly<Record<ShownAddresses['kind'], number>> = { apiServer: 0, node: 1, ingress: 2, externalIPs: 3 };

/**
 * Objects of a cluster by the addresses that they show. A change costs as much as the object shows, however many others there are. One
 * caller at a time; holds memory only.
 */
export class ShownIndex {
  readonly #objects = new Map<string, readonly (readonly [text: string, showing: Showing])[]>();
  readonly #addresses = new Map<string, Entry>();
  readonly #shares = new Map<string, NamespaceShare>();
  readonly #changed: (address: Address) => void;

  /**
   * Starts empty.
   *
   * @param changed - is told each address of which something changed
   */
  constructor(changed: (address: Address) => void) {
    this.#changed = changed;
  }

  /**
   * Replaces what an object shows.
   *
   * @param object - with nothing in `shown` where it is gone
   */
  put({ id, namespace, uid, shown }: ShowingObject): void {
    const before = this.#objects.get(id) ?? [];
    const after = shown.flatMap(({ kind, source, addresses }) =>
      addresses.map((address) => ({ address, showing: { id, kind, source, namespace, uid } })),
    );
    if (isSame(before, after)) return;
    for (const [text, showing] of before) this.#remove(text, showing);
    for (const { address, showing } of after) this.#add(address, showing);
    if (after.length === 0) this.#objects.delete(id);
    else
      this.#objects.set(
        id,
        after.map(({ address, showing }) => [address.toString(), showing]),
      );
  }

  /**
   * Finds what shows an address.
   *
   * @param address - which one
   * @returns the weightiest first, names in their order; what is beyond the share of its namespace is left out
   */
  at(address: Address): readonly Showing[] {
    const text = address.toString();
    const all = [...(this.#addresses.get(text)?.showings ?? [])];
    return all
      .filter(
        ({ kind, namespace }) => kind !== 'externalIPs' || this.#shares.get(namespace)?.counted.has(text) === true,
      )
      .sort((a, b) => RANK[a.kind] - RANK[b.kind] || (a.source < b.source ? -1 : 1));
  }

  /**
   * Lists every shown address.
   *
   * @returns in no particular order
   */
  addresses(): readonly Address[] {
    return [...this.#addresses.values()].map(({ address }) => address);
  }

  /**
   * Lists the namespaces of which addresses do not count.
   *
   * @returns each with how many are too many
   */
  overfull(): ReadonlyMap<string, number> {
    const all = [...this.#shares.entries()].map(([name, { tooMany }]) => [name, tooMany] as const);
    return new Map(all.filter(([, tooMany]) => tooMany > 0));
  }

  #add(address: Address, showing: Showing): void {
    const text = address.toString();
    const entry = this.#addresses.get(text) ?? { address, showings: new Set() };
    entry.showings.add(showing);
    this.#addresses.set(text, entry);
    if (showing.kind === 'externalIPs') {
      const share = this.#shares.get(showing.namespace) ?? new NamespaceShare();
      this.#shares.set(showing.namespace, share);
      share.add(text);
    }
    this.#changed(address);
  }

  #remove(text: string, showing: Showing): void {
    const entry = this.#addresses.get(text);
    if (entry === undefined) return;
    entry.showings.delete(showing);
    if (entry.showings.size === 0) this.#addresses.delete(text);
    if (showing.kind === 'externalIPs' && !isClaimedIn(entry, showing.namespace)) this.#leave(text, showing.namespace);
    this.#changed(entry.address);
  }

  #leave(text: string, namespace: string): void {
    const share = this.#shares.get(namespace);
    const next = share?.remove(text);
    if (share?.counted.size === 0) this.#shares.delete(namespace);
    const entry = next === undefined ? undefined : this.#addresses.get(next);
    if (entry !== undefined) this.#changed(entry.address);
  }
}

function isClaimedIn({ showings }: Entry, namespace: string): boolean {
  return [...showings].some((each) => each.kind === 'externalIPs' && each.namespace === namespace);
}

function isSame(
  before: readonly (readonly [text: string, showing: Showing])[],
  after: readonly { readonly address: Address; readonly showing: Showing }[],
): boolean {
  return (
    before.length === after.length &&
    after.every(({ address, showing }, index) => {
      const [text, old] = before[index] ?? [];
      return text === address.toString() && old?.kind === showing.kind && old.uid === showing.uid;
    })
  );
}
