/** One address as four 32-bit words, most significant first; IPv4 uses `w3` alone. */
export interface Words {
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

const DOT = 46;
const COLON = 58;
const NO_VALUE = -1;

const DECIMAL = Array.from({ length: 256 }, (_, value) => String(value));

/** Hex text of group values, filled on first use: filling it at load took 50 ms, and without it writing takes 2.5 times as long. */
const HEX = new Array<string>(0x10000).fill('');

/** Value of a hex digit by character code, -1 for all others; as long as the code space, which spares a bounds check. */
const HEX_DIGIT = new Int8Array(0x10000).fill(NO_VALUE);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  HEX_DIGIT[digit.charCodeAt(0)] = value;
  HEX_DIGIT[digit.toUpperCase().charCodeAt(0)] = value;
}

// One scratch area for all calls: nothing here is asynchronous, and an array per parsed text doubled the cost of parsing.
const groups = new Uint16Array(8);

/**
 * Reads dotted IPv4 text: four decimal parts of 0 to 255, no leading zeros, nothing else.
 *
 * @param text - holds the address from `from` up to its end
 * @param from - index of the first digit
 * @returns the value as an unsigned 32-bit number, or -1 when the text is anything else
 */
export function parse4(text: string, from: number): number {
  const { length } = text;
  let value = 0;
  let i = from;
  for (let parts = 1; i < length; parts++) {
    // unsigned: characters before "0" become large, so one comparison is enough
    let part = (text.charCodeAt(i++) - 48) >>> 0;
    if (part > 9) return NO_VALUE;
    // no digit follows a leading zero
    for (; part > 0 && i < length; i++) {
      const digit = (text.charCodeAt(i) - 48) >>> 0;
      if (digit > 9) break;
      part = part * 10 + digit;
      if (part > 255) return NO_VALUE;
    }
    value = (value << 8) | part;
    if (i === length) return parts === 4 ? value >>> 0 : NO_VALUE;
    if (text.charCodeAt(i++) !== DOT) return NO_VALUE;
  }
  return NO_VALUE;
}

// Reads the group at `from`: its value in the low 16 bits and its digit count above, or -1 for a fifth digit.
function readGroup(text: string, from: number): number {
  let value = 0;
  let digits = 0;
  for (let i = from; i < text.length; i++) {
    const digit = HEX_DIGIT[text.charCodeAt(i)] ?? NO_VALUE;
    if (digit < 0) break;
    if (digits === 4) return NO_VALUE;
    value = (value << 4) | digit;
    digits++;
  }
  return (digits << 16) | value;
}

// Stores dotted text that ends an IPv6 address as groups `at` and `at + 1`; answers the new count, or -1.
function readDottedTail(text: string, from: number, at: number): number {
  const value = at > 6 ? NO_VALUE : parse4(text, from);
  if (value < 0) return NO_VALUE;
  groups[at] = value >>> 16;
  groups[at + 1] = value;
  return at + 2;
}

// Moves the groups after `::` to the end and fills its place with zeros.
function spread(count: number, gap: number): void {
  const shift = 8 - count;
  // a loop, since copyWithin and fill took a third of the time of reading an address
  for (let i = 7; i >= gap; i--) groups[i] = i >= gap + shift ? (groups[i - shift] ?? 0) : 0;
}

// Reads groups from `from` on; answers how many, or -1. `gap` is the index of a leading `::`, else -1.
function readGroups(text: string, from: number, leadingGap: number): number {
  let gap = leadingGap;
  let count = 0;
  let i = from;
  while (count < 8) {
    const group = readGroup(text, i);
    const end = i + (group >> 16);
    if (end <= i) return NO_VALUE;
    if (text.charCodeAt(end) === DOT) return finish(readDottedTail(text, i, count), gap);
    groups[count++] = group;
    if (end === text.length) return finish(count, gap);
    if (text.charCodeAt(end) !== COLON || end + 1 === text.length) return NO_VALUE;
    i = end + 1;
    if (text.charCodeAt(i) !== COLON) continue;
    if (gap >= 0) return NO_VALUE;
    gap = count;
    if (++i === text.length) return finish(count, gap);
  }
  return NO_VALUE;
}

// Checks the number of groups (-1: refused before) against `::`, which stands for one or more, and expands it.
function finish(count: number, gap: number): number {
  if (gap < 0) return count === 8 ? count : NO_VALUE;
  if (count < 0 || count === 8) return NO_VALUE;
  spread(count, gap);
  return 8;
}

/**
 * Reads IPv6 text after RFC 4291 section 2.2: groups of one to four hex digits, `::` at most once, dotted IPv4 at the
 * end allowed; no zone id, no brackets, no length.
 *
 * @param text - the whole text
 * @returns true when the text is one IPv6 address; its words are then read with {@link parsedWord} before the next call
 */
export function parse6(text: string): boolean {
  if (text.charCodeAt(0) !== COLON) return readGroups(text, 0, NO_VALUE) > 0;
  if (text.charCodeAt(1) !== COLON) return false;
  if (text.length > 2) return readGroups(text, 2, 0) > 0;
  groups.fill(0);
  return true;
}

/**
 * Gives one word of what {@link parse6} read last.
 *
 * @param index - 0 (most significant) to 3
 * @returns the word as an unsigned 32-bit number
 */
export function parsedWord(index: 0 | 1 | 2 | 3): number {
  const high = groups[2 * index] ?? 0;
  const low = groups[2 * index + 1] ?? 0;
  return ((high << 16) | low) >>> 0;
}

/**
 * Writes dotted IPv4 text.
 *
 * @param word - the value as a 32-bit number
 * @returns the only canonical text
 */
export function format4(word: number): string {
  const low = `${DECIMAL[(word >>> 8) & 255] ?? ''}.${DECIMAL[word & 255] ?? ''}`;
  return `${DECIMAL[word >>> 24] ?? ''}.${DECIMAL[(word >>> 16) & 255] ?? ''}.${low}`;
}

// Index of the first longest run of at least two zero groups (RFC 5952 section 4.2), times 16, plus its length; or -1.
function longestZeroRun(): number {
  let found = NO_VALUE;
  let longest = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > longest) {
      longest = end - i;
      found = i * 16 + longest;
    }
    if (end > i) i = end;
  }
  return found;
}

// Hex text of group `index`, lower case, without leading zeros.
function hexOf(index: number): string {
  const value = groups[index] ?? 0;
  const known = HEX[value] ?? '';
  return known === '' ? (HEX[value] = value.toString(16)) : known;
}

// Joins groups `from` up to `to` with colons.
function joinGroups(from: number, to: number): string {
  let text = from < to ? hexOf(from) : '';
  for (let i = from + 1; i < to; i++) text += `:${hexOf(i)}`;
  return text;
}

/**
 * Writes IPv6 text after RFC 5952; IPv4-mapped addresses end in dotted form (section 5 there).
 *
 * @param words - the value
 * @returns the only canonical text
 */
export function format6(words: Words): string {
  if (words.w0 === 0 && words.w1 === 0 && words.w2 === 0xffff) return `::ffff:${format4(words.w3)}`;
  groups[0] = words.w0 >>> 16;
  groups[1] = words.w0;
  groups[2] = words.w1 >>> 16;
  groups[3] = words.w1;
  groups[4] = words.w2 >>> 16;
  groups[5] = words.w2;
  groups[6] = words.w3 >>> 16;
  groups[7] = words.w3;
  const run = longestZeroRun();
  if (run < 0) return joinGroups(0, 8);
  const start = run >> 4;
  return `${joinGroups(0, start)}::${joinGroups(start + (run & 15), 8)}`;
}
