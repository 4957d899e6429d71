import { familyBits, type Address, type Family } from '../../addressing/address';
import { hostPrefix, Prefix } from '../../addressing/prefix';
import { spaceText } from '../../addressing/space-text';
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
  /** The network in which it is shown; absent: in every one. */
  readonly network?: string;
  /** The prefix that is shown; absent for a single address. */
  readonly block?: Prefix;
}

/**
 * Tells whether what an object shows counts in a network.
 *
 * @param showing - of the object
 * @param network - which one; undefined: none that is known
 * @returns true also for what counts in every network
 */
export const countsIn = (showing: Pick<Showing, 'network'>, network: string | undefined): boolean =>
  showing.network === undefined || showing.network === network;

/** A prefix of which every address is in use. */
export interface ShownBlock {
  readonly block: Prefix;
  readonly networks: readonly string[];
}

/** Addresses that one object shows now. */
export interface ShowingObject {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly shown: readonly ShownAddresses[];
}

interface Entry {
  readonly block: Prefix;
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

const RANK: Readonly<Record<ShownAddresses['kind'], number>> = {
  apiServer: 0,
  node: 1,
  claim: 2,
  ingress: 3,
  externalIPs: 4,
};

/**
 * Objects of a cluster by the addresses that they show. A change costs as much as the object shows, however many others there are. One
 * caller at a time; holds memory only.
 */
export class ShownIndex {
  readonly #objects = new Map<string, readonly (readonly [text: string, showing: Showing])[]>();
  /** By address or prefix, as text. */
  readonly #entries = new Map<string, Entry>();
  /** How many prefixes there are of each length. */
  readonly #lengths: Readonly<Record<Family, Map<number, number>>> = { 4: new Map(), 6: new Map() };
  readonly #shares = new Map<string, NamespaceShare>();
  readonly #changed: (block: Prefix) => void;

  /**
   * Starts empty.
   *
   * @param changed - is told each address or prefix of which something changed
   */
  constructor(changed: (block: Prefix) => void) {
    this.#changed = changed;
  }

  /**
   * Replaces what an object shows.
   *
   * @param object - with nothing in `shown` where it is gone
   */
  put({ id, namespace, uid, shown }: ShowingObject): void {
    const before = this.#objects.get(id) ?? [];
    const after = shown.flatMap((each) => shownBlocks({ id, namespace, uid }, each));
    if (isSame(before, after)) return;
    for (const [text, showing] of before) this.#remove(text, showing);
    for (const { block, showing } of after) this.#add(block, showing);
    if (after.length === 0) this.#objects.delete(id);
    else
      this.#objects.set(
        id,
        after.map(({ block, showing }) => [keyOf(block), showing]),
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
    const around = [...this.#lengths[address.family].keys()].map((length) => new Prefix(address, length).toString());
    const all = [text, ...around].flatMap((key) => [...(this.#entries.get(key)?.showings ?? [])]);
    return all
      .filter(
        ({ kind, namespace }) => kind !== 'externalIPs' || this.#shares.get(namespace)?.counted.has(text) === true,
      )
      .sort((a, b) => RANK[a.kind] - RANK[b.kind] || (a.source < b.source ? -1 : 1));
  }

  /**
   * Lists every address that is shown by itself.
   *
   * @returns in no particular order
   */
  addresses(): readonly Address[] {
    return [...this.#entries.values()].flatMap(({ block }) => (isHost(block) ? [block.first] : []));
  }

  /**
   * Lists the shown prefixes.
   *
   * @returns each with the networks in which it is in use, in no particular order
   */
  blocks(): readonly ShownBlock[] {
    const entries = this.#lengths[4].size + this.#lengths[6].size === 0 ? [] : [...this.#entries.values()];
    return entries
      .filter(({ block }) => !isHost(block))
      .map(({ block, showings }) => ({ block, networks: [...showings].flatMap(({ network }) => network ?? []) }));
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

  #add(block: Prefix, showing: Showing): void {
    const text = keyOf(block);
    const entry = this.#entries.get(text) ?? this.#entryOf(text, block);
    entry.showings.add(showing);
    if (showing.kind === 'externalIPs') {
      const share = this.#shares.get(showing.namespace) ?? new NamespaceShare();
      this.#shares.set(showing.namespace, share);
      share.add(text);
    }
    this.#changed(block);
  }

  #entryOf(text: string, block: Prefix): Entry {
    const entry = { block, showings: new Set<Showing>() };
    this.#entries.set(text, entry);
    this.#countLength(block, 1);
    return entry;
  }

  #countLength(block: Prefix, by: 1 | -1): void {
    if (isHost(block)) return;
    const lengths = this.#lengths[block.family];
    const count = (lengths.get(block.length) ?? 0) + by;
    if (count === 0) lengths.delete(block.length);
    else lengths.set(block.length, count);
  }

  #remove(text: string, showing: Showing): void {
    const entry = this.#entries.get(text);
    if (entry === undefined) return;
    entry.showings.delete(showing);
    if (entry.showings.size === 0) {
      this.#entries.delete(text);
      this.#countLength(entry.block, -1);
    }
    if (showing.kind === 'externalIPs' && !isClaimedIn(entry, showing.namespace)) this.#leave(text, showing.namespace);
    this.#changed(entry.block);
  }

  #leave(text: string, namespace: string): void {
    const share = this.#shares.get(namespace);
    const next = share?.remove(text);
    if (share?.counted.size === 0) this.#shares.delete(namespace);
    const entry = next === undefined ? undefined : this.#entries.get(next);
    if (entry !== undefined) this.#changed(entry.block);
  }
}

function isClaimedIn({ showings }: Entry, namespace: string): boolean {
  return [...showings].some((each) => each.kind === 'externalIPs' && each.namespace === namespace);
}

/** An address or a prefix with what shows it. */
interface ShownPart {
  readonly block: Prefix;
  readonly showing: Showing;
}

function shownBlocks(
  of: Pick<Showing, 'id' | 'namespace' | 'uid'>,
  { kind, source, network, addresses, blocks = [] }: ShownAddresses,
): readonly ShownPart[] {
  const showing = { ...of, kind, source, ...(network === undefined ? {} : { network }) };
  return [
    ...addresses.map((address) => ({ block: hostPrefix(address), showing })),
    ...blocks.map((block) => ({ block, showing: isHost(block) ? showing : { ...showing, block } })),
  ];
}

const isHost = ({ family, length }: Prefix): boolean => length === familyBits(family);

const keyOf = (block: Prefix): string => spaceText({ address: block.first, length: block.length });

function isSame(before: readonly (readonly [text: string, showing: Showing])[], after: readonly ShownPart[]): boolean {
  return (
    before.length === after.length &&
    after.every(({ block, showing }, index) => {
      const [text, old] = before[index] ?? [];
      const isKept = text === keyOf(block) && old?.kind === showing.kind && old.uid === showing.uid;
      return isKept && old.network === showing.network && old.source === showing.source;
    })
  );
}
