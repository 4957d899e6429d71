import { IpamError } from '../errors/ipam-error';

/** Bytes that are parsed in one go: a few milliseconds, whatever they hold. */
export const SLICE_BYTES = 64 * 1024;
/** Most levels of objects and lists. */
const MOST_LEVELS = 500;
/** Most objects and lists, and most commas, of one text: each takes many times its bytes once it is parsed. */
const MOST_CONTAINERS = 1_000_000;
const MOST_COMMAS = 4_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST_OPENS, LIST_CLOSES, OBJECT_OPENS, OBJECT_CLOSES] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Parses a piece of a text, which is a text of its own. */
type ParsePiece = (text: string) => unknown;

type Container = unknown[] | Record<string, unknown>;

/** An object or list that is open at the place of the scan. */
interface Level {
  readonly isList: boolean;
  readonly start: number;
  /** Place up to which its members are parsed. */
  taken: number;
  /** Place of its last comma. */
  comma: number;
  /** Its members so far, once it is parsed in several pieces. */
  value?: Container;
  /** Name of the member that is parsed in several pieces. */
  name: string;
  /** True right after such a member: only a comma or the end may follow. */
  isDone: boolean;
}

/**
 * Parses JSON of any size in slices, so that the caller can let other work run between two of them.
 *
 * @param bytes - the text in UTF-8
 * @param parsePiece - parses pieces of the text, `JSON.parse` by default
 * @yields after each slice
 * @returns the value
 * @throws SyntaxError for what is no JSON, and what the parser of pieces throws
 * @throws IpamError `api/too-large` for too many levels or members
 */
export function* parseInSlices(
  bytes: Buffer,
  parsePiece: ParsePiece = (text) => JSON.parse(text),
): Generator<undefined, unknown> {
  const text = new SlicedText(bytes, parsePiece);
  while (text.scanOn()) yield undefined;
  return text.value();
}

class SlicedText {
  readonly #bytes: Buffer;
  readonly #parsePiece: ParsePiece;
  readonly #levels: Level[] = [];
  #at = 0;
  /** Place up to which everything is parsed. */
  #parsedTo = 0;
  #containers = 0;
  #commas = 0;
  #whole: { readonly value: Container; readonly end: number } | undefined;

  constructor(bytes: Buffer, parsePiece: ParsePiece) {
    this.#bytes = bytes;
    this.#parsePiece = parsePiece;
  }

  // False at the end of the text.
  scanOn(): boolean {
    const end = Math.min(this.#at + SLICE_BYTES, this.#bytes.length);
    while (this.#at < end) this.#scan();
    return this.#at < this.#bytes.length;
  }

  value(): unknown {
    if (this.#levels.length > 0) throw new SyntaxError('the text ends too early');
    if (this.#whole === undefined) return this.#parsePiece(this.#text(0, this.#bytes.length));
    this.#expectBlank(this.#whole.end, this.#bytes.length);
    return this.#whole.value;
  }

  #scan(): void {
    const byte = this.#bytes[this.#at];
    if (byte === QUOTE) this.#skipText();
    else if (byte === COMMA) this.#separate();
    else if (byte === LIST_OPENS || byte === OBJECT_OPENS) this.#open(byte === LIST_OPENS);
    else if (byte === LIST_CLOSES || byte === OBJECT_CLOSES) this.#close(byte === LIST_CLOSES);
    this.#at++;
  }

  #skipText(): void {
    let at = this.#at + 1;
    while (at < this.#bytes.length && this.#bytes[at] !== QUOTE) at += this.#bytes[at] === BACKSLASH ? 2 : 1;
    this.#at = at;
  }

  #open(isList: boolean): void {
    if (++this.#containers > MOST_CONTAINERS || this.#levels.length === MOST_LEVELS) throw tooLarge();
    const start = this.#at;
    this.#levels.push({ isList, start, taken: start + 1, comma: start, name: '', isDone: false });
  }

  #separate(): void {
    const level = this.#levels.at(-1);
    if (level === undefined) return;
    if (++this.#commas > MOST_COMMAS) throw tooLarge();
    level.comma = this.#at;
    if (level.isDone) this.#endMember(level);
    else if (this.#at - this.#parsedTo >= SLICE_BYTES) {
      this.#split();
      this.#takeMembers(level, this.#at);
    }
  }

  // Every level from the outermost to the present one gets a value of its own, with the members before its open one.
  #split(): void {
    let outer: Level | undefined;
    for (const level of this.#levels) {
      if (level.value === undefined) {
        if (outer === undefined) this.#expectBlank(0, level.start);
        else this.#takeUpTo(outer, level.start);
        level.value = level.isList ? [] : {};
      }
      outer = level;
    }
  }

  #takeUpTo(level: Level, member: number): void {
    if (level.comma >= level.taken) this.#takeMembers(level, level.comma);
    if (level.isList) this.#expectBlank(level.taken, member);
    else [level.name = ''] = Object.keys(this.#parsePiece(`{${this.#text(level.taken, member)}0}`) as object);
  }

  // Never called for no members, so a piece without any stands for a comma too many.
  #takeMembers(level: Level, end: number): void {
    const text = this.#text(level.taken, end);
    const piece = this.#parsePiece(level.isList ? `[${text}]` : `{${text}}`) as Container;
    if (addMembers(level, piece) === 0) throw new SyntaxError('a member is missing');
    level.taken = end + 1;
    this.#parsedTo = end;
  }

  #close(isList: boolean): void {
    const level = this.#levels.pop();
    if (level?.isList !== isList) throw new SyntaxError('a bracket closes what is not open');
    const { value } = level;
    // what is small is parsed with the piece around it
    if (value === undefined) return;
    if (level.isDone) this.#endMember(level);
    else this.#takeMembers(level, this.#at);
    const end = this.#at + 1;
    const outer = this.#levels.at(-1);
    if (outer === undefined) this.#whole = { value, end };
    else {
      put(outer, outer.name, value);
      outer.isDone = true;
      outer.taken = end;
    }
    this.#parsedTo = end;
  }

  #endMember(level: Level): void {
    this.#expectBlank(level.taken, this.#at);
    level.isDone = false;
    level.taken = this.#at + 1;
  }

  #expectBlank(from: number, to: number): void {
    if (this.#text(from, to).trim() !== '') throw new SyntaxError('something stands where a bracket or comma is due');
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to);
  }
}

function addMembers(level: Level, piece: Container): number {
  if (Array.isArray(piece)) {
    for (const member of piece) put(level, '', member);
    return piece.length;
  }
  const names = Object.keys(piece);
  for (const name of names) put(level, name, piece[name]);
  return names.length;
}

function put({ value }: Level, name: string, member: unknown): void {
  if (Array.isArray(value)) value.push(member);
  // an assignment to this name would change the prototype
  else if (name === '__proto__')
    Object.defineProperty(value, name, { value: member, enumerable: true, configurable: true, writable: true });
  else if (value !== undefined) value[name] = member;
}

function tooLarge(): IpamError {
  return new IpamError('api/too-large', 'the body has more levels or members than any path takes');
}

/** Bytes up to which a text is parsed at once. */
const AT_ONCE_BYTES = 4 * SLICE_BYTES;

/**
 * Tells whether a text is parsed at once, since that takes no longer than one slice of a large one may.
 *
 * @param bytes - the text in UTF-8
 * @returns false where {@link parseJson} lets other work run in between
 */
export function isParsedAtOnce(bytes: Buffer): boolean {
  return bytes.length <= AT_ONCE_BYTES;
}

/**
 * Parses JSON without holding the event loop for long: other work runs between two slices of a large text.
 *
 * @param bytes - the text in UTF-8
 * @param parsePiece - parses a text, or pieces of a large one, `JSON.parse` by default
 * @returns the value
 * @throws SyntaxError for what is no JSON, and what the parser of pieces throws
 * @throws IpamError `api/too-large` for too many levels or members of a large text
 */
export async function parseJson(bytes: Buffer, parsePiece: ParsePiece = (text) => JSON.parse(text)): Promise<unknown> {
  if (isParsedAtOnce(bytes)) return parsePiece(bytes.toString('utf8'));
  const parsing = parseInSlices(bytes, parsePiece);
  for (;;) {
    const { done, value } = parsing.next();
    if (done === true) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
