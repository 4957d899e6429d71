import { isDeepStrictEqual } from 'node:util';
import { isMap, isPair, isScalar, isSeq, parseAllDocuments, stringify } from 'yaml';
import type { Document, Node, ParsedNode, Scalar, ToStringOptions, YAMLMap, YAMLSeq } from 'yaml';

/** Keys and indexes from the top of a document. */
export type YamlPath = readonly (string | number)[];

/** One change of a document of a text. Changes of one text do not touch each other; indexes are those before all of them. */
export type YamlEdit = {
  /** Which document of the text, from 0 on. */
  readonly document: number;
  readonly at: YamlPath;
} & (
  | { readonly to: 'set'; readonly value: unknown }
  | { readonly to: 'remove' }
  /** Adds to the end of a list, which is made where it is missing. */
  | { readonly to: 'append'; readonly values: readonly unknown[] }
);

/** Text that takes the place of a part of the old one. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Changes values in YAML and leaves every other byte as it is: comments, order, quotes and spaces. Where a place cannot be changed by
 * itself, as inside of `{…}`, its whole text is written anew; comments and order stay then too. JSON stays JSON.
 *
 * @param text - one document or several
 * @param edits - what changes
 * @returns the new text; the same one without edits
 */
export function editedYaml(text: string, edits: readonly YamlEdit[]): string {
  if (edits.length === 0) return text;
  const wanted = documentsIn(text);
  for (const edit of inOrder(edits)) apply(wanted[edit.document], edit);
  const spliced = splicedText(text, edits);
  const isExact =
    spliced !== undefined &&
    isDeepStrictEqual(
      documentsIn(spliced).map((each) => each.toJS() as unknown),
      wanted.map((each) => each.toJS() as unknown),
    );
  if (isExact) return spliced;
  const style = isJson(text) ? JSON_STYLE : {};
  return wanted.map((each) => each.toString({ lineWidth: 0, ...style })).join('');
}

/** YAML that is JSON too. */
const JSON_STYLE: ToStringOptions = {
  defaultKeyType: 'QUOTE_DOUBLE',
  defaultStringType: 'QUOTE_DOUBLE',
  doubleQuotedAsJSON: true,
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Indexes are those of the text: what is taken away comes after what is set, the last item first.
function inOrder(edits: readonly YamlEdit[]): readonly YamlEdit[] {
  const of = (to: YamlEdit['to']) => edits.filter((edit) => edit.to === to);
  const removed = of('remove').toSorted((a, b) => Number(b.at.at(-1)) - Number(a.at.at(-1)));
  return [...of('set'), ...removed, ...of('append')];
}

const documentsIn = (text: string): Document.Parsed[] => [...parseAllDocuments(text)];

function apply(document: Document | undefined, edit: YamlEdit): void {
  if (document === undefined) return;
  const { at } = edit;
  if (edit.to === 'remove') {
    document.deleteIn(at);
    return;
  }
  if (edit.to === 'set') {
    makeWay(document, at);
    document.setIn(at, document.createNode(edit.value));
    return;
  }
  const list = document.getIn(at);
  if (!isSeq(list)) {
    makeWay(document, at);
    document.setIn(at, document.createNode([...edit.values]));
    return;
  }
  for (const value of edit.values) list.add(document.createNode(value));
}

// What has no place for the next key goes, such as a key without a value.
function makeWay(document: Document, at: YamlPath): void {
  for (let depth = 1; depth < at.length; depth += 1) {
    const place = at.slice(0, depth);
    const node = document.getIn(place, true);
    const isFit = isMap(node) || (isSeq(node) && typeof at[depth] === 'number');
    if (!isFit && document.hasIn(place)) document.deleteIn(place);
  }
}

function splicedText(text: string, edits: readonly YamlEdit[]): string | undefined {
  const documents = documentsIn(text);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const splices: Splice[] = [];
  for (const edit of edits) {
    const root = documents[edit.document]?.contents;
    const splice = isMap(root) ? spliceOf({ text, eol }, { root, edit }) : undefined;
    if (splice === undefined) return undefined;
    splices.push(splice);
  }
  const ordered = splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const { start, end, text: instead } of ordered) {
    if (start < at) return undefined;
    result += text.slice(at, start) + instead;
    at = end;
  }
  return result + text.slice(at);
}

interface Source {
  readonly text: string;
  readonly eol: string;
}

interface Wanted {
  readonly root: YAMLMap;
  readonly edit: YamlEdit;
}

/** Where a path leads as far as it exists. */
interface Place {
  readonly parent: YAMLMap | YAMLSeq;
  /** Pair of a map, or item of a list; undefined where the rest of the path does not exist. */
  readonly found: Found | undefined;
  /** Path from the parent on. */
  readonly rest: YamlPath;
}

interface Found {
  /** Where its text begins, behind the dash of an item. */
  readonly start: number;
  readonly value: Node | null;
  readonly whole: unknown;
}

function placeOf(root: YAMLMap, path: YamlPath): Place {
  let parent: YAMLMap | YAMLSeq = root;
  for (let depth = 0; ; depth += 1) {
    const rest = path.slice(depth);
    const found = memberOf(parent, rest[0]);
    const value: unknown = found?.value;
    if (found === undefined || rest.length === 1 || !(isMap(value) || isSeq(value))) return { parent, found, rest };
    parent = value;
  }
}

function memberOf(parent: YAMLMap | YAMLSeq, key: string | number | undefined): Found | undefined {
  if (isSeq(parent)) {
    const item = typeof key === 'number' ? (parent.items[key] as ParsedNode | undefined) : undefined;
    return item === undefined ? undefined : { start: startOf(item), value: item, whole: item };
  }
  const pair = parent.items.find((each) => isScalar(each.key) && each.key.value === key);
  if (pair === undefined) return undefined;
  return { start: startOf(pair.key as ParsedNode), value: pair.value as Node | null, whole: pair };
}

const startOf = (node: Node): number => node.range?.[0] ?? 0;

function spliceOf(source: Source, { root, edit }: Wanted): Splice | undefined {
  const { parent, found, rest } = placeOf(root, edit.at);
  if (parent.flow === true || parent.items.length === 0) return undefined;
  switch (edit.to) {
    case 'remove':
      return found === undefined || rest.length > 1 ? unchanged() : removal(source, found);
    case 'append':
      return appended(source, { parent, found, rest }, edit.values);
    case 'set':
      return found === undefined
        ? insertion(source, parent, [nested(rest, edit.value)])
        : replacement(source, found, {
            key: rest[0],
            value: rest.length === 1 ? edit.value : nested(rest.slice(1), edit.value),
          });
  }
}

const unchanged = (): Splice => ({ start: 0, end: 0, text: '' });

function appended(source: Source, { parent, found, rest }: Place, values: readonly unknown[]): Splice | undefined {
  if (values.length === 0) return unchanged();
  if (found === undefined) return insertion(source, parent, [nested(rest, values)]);
  const { value } = found;
  if (rest.length > 1) return replacement(source, found, { key: rest[0], value: nested(rest.slice(1), values) });
  if (isSeq(value))
    return value.flow === true || value.items.length === 0 ? undefined : insertion(source, value, values);
  return replacement(source, found, { key: rest[0], value: values });
}

function nested(path: YamlPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

// Adds members behind the last one of a block.
function insertion({ text, eol }: Source, parent: YAMLMap | YAMLSeq, values: readonly unknown[]): Splice | undefined {
  const last: unknown = parent.items.at(-1);
  const start = isPair(last) ? startOf(last.key as Node) : startOf(last as Node);
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(from, start);
  const isList = isSeq(parent);
  const column = isList ? before.lastIndexOf('-') : before.length;
  // a dash before a key belongs to the list around the map
  if (column < 0 || !/^[ -]*$/u.test(before)) return undefined;
  const lines = values.flatMap((value) => blockLines(isList ? [value] : value));
  const at = behindOwnComments(text, lineEndBehind(text, last), column);
  const isOpen = at === text.length && !text.endsWith('\n');
  const block = lines.map((line) => `${' '.repeat(column)}${line}${eol}`).join('');
  return { start: at, end: at, text: isOpen ? `${eol}${block}` : block };
}

// A comment that is deeper than the block belongs to what stands above it.
function behindOwnComments(text: string, at: number, column: number): number {
  const [comments = ''] = /^(?: +#[^\n]*(?:\n|$))*/u.exec(text.slice(at)) ?? [];
  const lines = comments.split(/(?<=\n)/u);
  const shallow = lines.findIndex((line) => line.search(/\S/u) <= column);
  return at + (shallow < 0 ? comments : lines.slice(0, shallow).join('')).length;
}

function blockLines(value: unknown): readonly string[] {
  return stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
}

function removal({ text }: Source, { start, whole }: Found): Splice | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const isItem = !isPair(whole);
  if (!(isItem ? /^ *- +$/u : /^ *$/u).test(text.slice(from, start))) return undefined;
  return { start: from, end: lineEndBehind(text, whole), text: '' };
}

function replacement(
  source: Source,
  found: Found,
  { key, value }: { readonly key: string | number | undefined; readonly value: unknown },
): Splice | undefined {
  const { value: old, whole, start } = found;
  const inLine = isPlain(value) ? lineRange(old) : undefined;
  if (inLine !== undefined) return { ...inLine, text: stringify(value, { lineWidth: 0 }).trimEnd() };
  if (!isPair(whole) || typeof key !== 'string') return undefined;
  const { text, eol } = source;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(from, start);
  if (!/^[ -]*$/u.test(before)) return undefined;
  const [first = '', ...others] = blockLines({ [key]: value });
  const lines = [first, ...others.map((line) => `${' '.repeat(before.length)}${line}`)];
  return { start, end: lineEndBehind(text, whole), text: lines.map((line) => line + eol).join('') };
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

// Where a value stands that another one can take the place of, in its line.
function lineRange(value: Node | null): Pick<Splice, 'start' | 'end'> | undefined {
  if (!isScalar(value) || value.value === null || isBlockText(value) || !value.range) return undefined;
  return { start: value.range[0], end: value.range[1] };
}

const isBlockText = ({ type }: Scalar): boolean => type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL';

// Where the line behind the last value of a member begins.
function lineEndBehind(text: string, member: unknown): number {
  const end = endOf(member);
  if (text[end - 1] === '\n') return end;
  const feed = text.indexOf('\n', end);
  return feed < 0 ? text.length : feed + 1;
}

// The range of a block ends behind the comments below it, that of its last value before them.
function endOf(member: unknown): number {
  if (isPair(member)) return Math.max(endOf(member.key), endOf(member.value));
  const isBlock = (isMap(member) || isSeq(member)) && member.flow !== true && member.items.length > 0;
  return isBlock ? endOf(member.items.at(-1)) : ((member as Node | null)?.range?.[1] ?? 0);
}
