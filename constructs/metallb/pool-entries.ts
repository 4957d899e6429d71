import { unusableReason } from '../../operator/addressing/address';
import { parsePrefix, type Prefix } from '../../operator/addressing/prefix';
import { parseRange, rangeOfPrefix, rangeToPrefixes, type Range } from '../../operator/addressing/range';
import { accept, refuse, type Outcome, type Refusal } from '../../operator/errors/outcome';

/** One entry of a pool's `addresses`. */
export interface PoolEntry {
  /** Path of the entry in the props. */
  readonly field: string;
  readonly range: Range;
  /** Canonical text, as the pool holds it. */
  readonly text: string;
  /** Length of its largest block in bits; MetalLB aggregates to no shorter one. */
  readonly largestBlock: number;
}

/** Entries that could be read, and what is wrong with the rest. */
export interface PoolEntries {
  readonly entries: readonly PoolEntry[];
  readonly problems: readonly Refusal[];
}

/**
 * Makes an entry of a prefix.
 *
 * @param prefix - a parsed prefix
 * @param field - where it was written
 * @returns what a pool of this prefix holds
 */
export function entryOfPrefix(prefix: Prefix, field: string): PoolEntry {
  return { field, range: rangeOfPrefix(prefix), text: prefix.toString(), largestBlock: prefix.length };
}

function parseEntry(text: string, field: string): Outcome<PoolEntry> {
  if (!text.includes('-')) {
    const prefix = parsePrefix(text);
    return prefix.ok ? accept(entryOfPrefix(prefix.value, field)) : prefix;
  }
  const range = parseRange(text);
  if (!range.ok) return range;
  const { first, last } = range.value;
  const lengths = rangeToPrefixes(range.value).map(({ length }) => length);
  // both ends even where they are one address: MetalLB takes no bare address
  const written = `${first.toString()}-${last.toString()}`;
  return accept({ field, range: range.value, text: written, largestBlock: Math.min(...lengths) });
}

function usableEntry(text: string, field: string): Outcome<PoolEntry> {
  const parsed = parseEntry(text, field);
  if (!parsed.ok) return parsed;
  const { first, last } = parsed.value.range;
  const reason = unusableReason(first) ?? unusableReason(last);
  if (reason === undefined) return parsed;
  return refuse('address/unusable', `"${text}" holds addresses that no Service can use (${reason})`, { value: text });
}

// Each entry against those before it; a pool may not even overlap itself.
function overlapsInside(entries: readonly PoolEntry[]): readonly Refusal[] {
  return entries.flatMap((entry, i) =>
    entries.slice(0, i).flatMap((other): readonly Refusal[] => {
      if (!entry.range.overlaps(other.range)) return [];
      const message = `${entry.field}: "${entry.text}" overlaps "${other.text}" of the same pool (${other.field}); keep one of them`;
      return [{ code: 'zone/overlap', field: entry.field, value: entry.text, message }];
    }),
  );
}

/**
 * Reads the addresses of a pool, strictly; MetalLB itself takes host bits silently, and a wrong entry freezes all its pools.
 *
 * @param addresses - CIDR blocks and ranges
 * @returns the entries in their order, and every problem with its path
 */
export function readPoolEntries(addresses: readonly string[]): PoolEntries {
  if (addresses.length === 0) {
    const message =
      'addresses: an empty list is not allowed, since MetalLB refuses an empty pool; give a CIDR block or a range';
    return { entries: [], problems: [{ code: 'zone/invalid', field: 'addresses', message }] };
  }
  const entries: PoolEntry[] = [];
  const problems: Refusal[] = [];
  addresses.forEach((text, i) => {
    const field = `addresses[${String(i)}]`;
    const parsed = usableEntry(text, field);
    if (parsed.ok) entries.push(parsed.value);
    else problems.push({ ...parsed.refusal, field, message: `${field}: ${parsed.refusal.message}` });
  });
  return { entries, problems: [...problems, ...overlapsInside(entries)] };
}
