/** The task of the prefix indexes: prefixes of many lengths, many inside others, and addresses to look up. */
import { Address, type Family } from '../../../../operator/addressing/address';
import { Prefix } from '../../../../operator/addressing/prefix';
import { numbersFrom } from '../../../support/pseudo-random';
import type { Contestant, Load } from '../shape';

const QUERIES = 65_536;

/** The part of an index that the task uses. */
export interface Index {
  insert(prefix: Prefix, value: number): void;
  lookup(address: Address): number | undefined;
}

function anyAddress(family: Family, next: () => number): Address {
  if (family === 4) return new Address(4, { w0: 0, w1: 0, w2: 0, w3: next() });
  return new Address(6, { w0: 0x2001_0db8, w1: next(), w2: next(), w3: next() });
}

/** Distinct prefixes: /12 to /28 anywhere (IPv4), /40 to /64 in 2001:db8::/32 (IPv6). */
export function prefixesOf({ family, live }: Load): readonly Prefix[] {
  const next = numbersFrom(19);
  const [shortest, longest] = family === 4 ? [12, 28] : [40, 64];
  const prefixes = new Map<string, Prefix>();
  while (prefixes.size < live) {
    const prefix = new Prefix(anyAddress(family, next), shortest + (next() % (longest - shortest + 1)));
    prefixes.set(prefix.toString(), prefix);
  }
  return [...prefixes.values()];
}

/** Addresses to look up: half of them anywhere, half of them inside one of the prefixes. */
export function queriesOf({ family }: Load, prefixes: readonly Prefix[]): readonly Address[] {
  const next = numbersFrom(23);
  return Array.from({ length: QUERIES }, (_, index) => {
    if (index % 2 === 0) return anyAddress(family, next);
    const { first } = prefixes[next() % prefixes.length]!;
    return new Address(family, { w0: first.w0, w1: first.w1, w2: first.w2, w3: (first.w3 | (next() & 15)) >>> 0 });
  });
}

/** Looks the queries up one after the other; the values are the numbers of the prefixes. */
export function lookups(index: Index, load: Load): Contestant {
  const prefixes = prefixesOf(load);
  for (const [value, prefix] of prefixes.entries()) index.insert(prefix, value);
  const queries = queriesOf(load, prefixes);
  let at = 0;
  return { batch: 2_000, op: () => (index.lookup(queries[at++ % QUERIES]!) ?? -1) + 1 };
}
