import { IpamError } from '../../../operator/errors/ipam-error';

/** A line that is written as it is, between entries of a map, items of a list, or documents. */
export class VerbatimLine {
  readonly text: string;

  /**
   * Wraps the line.
   *
   * @param text - without indentation and line end
   */
  constructor(text: string) {
    this.text = text;
  }
}

/** A scalar that is written as it is. */
export class VerbatimScalar {
  readonly text: string;

  /**
   * Wraps the scalar.
   *
   * @param text - what stands after the colon or the dash
   */
  constructor(text: string) {
    this.text = text;
  }
}

/** A map with lines of another language between its entries. */
export class YamlMap {
  readonly parts: readonly (VerbatimLine | readonly [key: string, value: YamlNode])[];

  /**
   * Wraps the parts.
   *
   * @param parts - entries and lines, in their order
   */
  constructor(parts: YamlMap['parts']) {
    this.parts = parts;
  }
}

/** A list with lines of another language between its items. */
export class YamlList {
  readonly parts: readonly (VerbatimLine | YamlNode)[];

  /**
   * Wraps the parts.
   *
   * @param parts - items and lines, in their order
   */
  constructor(parts: YamlList['parts']) {
    this.parts = parts;
  }
}

/** Whatever can be written: JSON, and the classes above anywhere in it. */
export type YamlNode =
  | null
  | string
  | number
  | boolean
  | VerbatimScalar
  | YamlMap
  | YamlList
  | readonly YamlNode[]
  | { readonly [key: string]: YamlNode };

/**
 * Takes plain JSON for a node.
 *
 * @param value - whatever JSON can say
 * @returns the same
 */
export function jsonNode(value: unknown): YamlNode {
  return value as YamlNode;
}

// Letters first, so that no reader of any version takes it for a number, a date, base 60, an anchor or a flow.
const PLAIN = /^(?:--)?[A-Za-z/](?:[A-Za-z0-9_./@=+:-]*[A-Za-z0-9_/@=+-])?$/;
// An exponent without a number is NaN to one reader of YAML 1.1.
const WORDS_OF_YAML = /^(?:y|n|yes|no|on|off|true|false|null|e[+-]?[0-9].*)$/i;
// Raw, these are line ends, controls or marks to one reader or another; JSON leaves them as they are.
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
// Lines whose ends and blanks no writer and no template between can change.
const BLOCK = /^[!-~][ -~]*(?:\n(?: *[!-~][ -~]*)?)*$/;

function quoted(text: string): string {
  const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(ESCAPED, escape);
}

const oneLine = (text: string): string => (PLAIN.test(text) && !WORDS_OF_YAML.test(text) ? text : quoted(text));

function block(text: string, indent: string): string | undefined {
  if (!text.includes('\n') || !BLOCK.test(text) || text.endsWith('\n\n')) return undefined;
  const lines = text.replace(/\n$/, '').split('\n');
  return [text.endsWith('\n') ? '|' : '|-', ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
}

function scalar(value: string | number | boolean | null | VerbatimScalar, indent: string): string {
  if (value instanceof VerbatimScalar) return value.text;
  if (typeof value === 'string') return block(value, indent) ?? oneLine(value);
  const text = String(value);
  // an exponent is a text to readers of YAML 1.1, and NaN is what remains of a calculation with nothing
  if (typeof value === 'number' && (!Number.isFinite(value) || text.includes('e'))) {
    throw new IpamError(
      'settings/invalid',
      `the number ${text} cannot be written so that every reader of YAML reads it`,
    );
  }
  return text;
}

const asNode = (node: YamlNode): YamlNode => {
  if (Array.isArray(node)) return new YamlList(node as readonly YamlNode[]);
  if (typeof node !== 'object' || node === null) return node;
  if (node instanceof YamlMap || node instanceof YamlList || node instanceof VerbatimScalar) return node;
  return new YamlMap(Object.entries(node as Readonly<Record<string, YamlNode>>));
};

function mapLines({ parts }: YamlMap, indent: string): readonly string[] {
  return parts.flatMap((part) => {
    if (part instanceof VerbatimLine) return [indent + part.text];
    const [key, value] = part;
    const lines = linesOf(value, `${indent}  `);
    return typeof lines === 'string' ? [`${indent}${oneLine(key)}: ${lines}`] : [`${indent}${oneLine(key)}:`, ...lines];
  });
}

function listLines({ parts }: YamlList, indent: string): readonly string[] {
  return parts.flatMap((part) => {
    if (part instanceof VerbatimLine) return [indent + part.text];
    const lines = linesOf(part, `${indent}  `);
    if (typeof lines === 'string') return [`${indent}- ${lines}`];
    const node = asNode(part);
    const starts = node instanceof YamlMap && !(node.parts[0] instanceof VerbatimLine);
    const [first = '', ...rest] = lines;
    return starts ? [`${indent}- ${first.trimStart()}`, ...rest] : [`${indent}-`, ...lines];
  });
}

// One text where the node fits behind its key, else lines that are indented already.
function linesOf(given: YamlNode, indent: string): string | readonly string[] {
  const node = asNode(given);
  if (node instanceof YamlMap) return node.parts.length === 0 ? '{}' : mapLines(node, indent);
  if (node instanceof YamlList) return node.parts.length === 0 ? '[]' : listLines(node, indent);
  return scalar(node as string | number | boolean | null | VerbatimScalar, indent);
}

/**
 * Writes one YAML document that readers of YAML 1.1 (Go, Python) and 1.2 read alike: whatever one of them could take for
 * something else than a text is quoted.
 *
 * @param node - what to write
 * @returns the text with a line end, without a document mark
 * @throws {@link IpamError} `settings/invalid` for a number that cannot be written safely
 */
export function yamlDocument(node: YamlNode): string {
  const lines = linesOf(node, '');
  return typeof lines === 'string' ? `${lines}\n` : `${lines.join('\n')}\n`;
}
