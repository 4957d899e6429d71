import { LateBoundEach, LateBoundText, LateBoundWhole, type LateBoundValue } from '../late-bound/late-bound-node';
import { VerbatimLine, VerbatimScalar, YamlList, YamlMap, yamlDocument, type YamlNode } from '../objects/yaml';
import { Cases, helmNode, type HelmNode } from './cases';
import { isPlainMap } from './plain-map';
import type { HelmLoop, HelmSource } from './source';

// JSON is YAML in every version, whatever the value: quotes, line ends and types come out right without a thought
const inserted = (expression: string): VerbatimScalar => new VerbatimScalar(`{{ ${expression} | toJson }}`);
// every JSON text is an interpreted Go string
const goText = (text: string): string => JSON.stringify(text);

function formatted({ parts }: LateBoundText<HelmSource>): VerbatimScalar {
  const format = parts.map((part) => (typeof part === 'string' ? part.replaceAll('%', '%%') : '%s')).join('');
  const values = parts.filter((part) => typeof part === 'object');
  const argument = ({ kind, source }: LateBoundValue<HelmSource>): string =>
    kind === 'text' || kind === 'items' ? `(${source.expression})` : `(toJson (${source.expression}))`;
  return inserted(`printf ${goText(format)} ${values.map(argument).join(' ')}`);
}

const negated = (condition: string): string =>
  /^not [^ ]+$/.test(condition) ? condition.slice('not '.length) : `not (${condition})`;

/** Parts that stand together, with the condition around all of them where there is only one. */
interface Piece<P> {
  readonly condition?: string;
  readonly parts: readonly P[];
}

/** How one kind of place is written: entries of a map, items of a list, documents of a file. */
interface Writer<P, N> {
  readonly line: (action: string) => P;
  readonly piece: (node: N) => Piece<P>;
}

// Writes cases down where they stand; `of` makes what the writer takes of one of their nodes.
function casesPiece<P, N>(
  { alternatives, otherwise }: Cases,
  writer: Writer<P, N>,
  of: (node: HelmNode) => N,
): Piece<P> {
  const write = (node: HelmNode | undefined): readonly P[] =>
    node === undefined ? [] : joined([writer.piece(of(node))], writer.line);
  const [only, ...more] = alternatives;
  if (only !== undefined && more.length === 0) {
    if (otherwise === undefined) return { condition: only.condition, parts: write(only.node) };
    if (only.node === undefined) return { condition: negated(only.condition), parts: write(otherwise) };
  }
  const branches = alternatives.flatMap(({ condition, node }, i) => [
    writer.line(`${i === 0 ? 'if' : 'else if'} ${condition}`),
    ...write(node),
  ]);
  const rest = otherwise === undefined ? [] : [writer.line('else'), ...write(otherwise)];
  return { parts: [...branches, ...rest, writer.line('end')] };
}

// Neighbours under one condition share its lines.
function joined<P>(pieces: readonly Piece<P>[], line: (action: string) => P): readonly P[] {
  const groups: { readonly condition: string | undefined; readonly parts: P[] }[] = [];
  for (const { condition, parts } of pieces) {
    const last = groups.at(-1);
    if (last !== undefined && last.condition === condition) last.parts.push(...parts);
    else groups.push({ condition, parts: [...parts] });
  }
  return groups.flatMap(({ condition, parts }) =>
    condition === undefined ? parts : [line(`if ${condition}`), ...parts, line('end')],
  );
}

const verbatim = (action: string): VerbatimLine => new VerbatimLine(`{{- ${action} }}`);

// The condition under which the place of a value is there at all.
function whenOf(node: HelmNode): string | undefined {
  if (node instanceof LateBoundWhole) return node.value.source.when;
  if (node instanceof LateBoundText) {
    return node.parts.flatMap((part) => (typeof part === 'string' ? [] : (part.source.when ?? []))).at(0);
  }
  // a map of nothing but late-bound entries, which would be null without any
  const [inner, ...others] = isPlainMap(node) ? (Object.values(node) as readonly HelmNode[]) : [];
  return others.length === 0 && inner instanceof LateBoundWhole && inner.value.kind === 'entries'
    ? inner.value.source.when
    : undefined;
}

const conditional = <P>(node: HelmNode, parts: readonly P[]): Piece<P> => {
  const condition = whenOf(node);
  return condition === undefined ? { parts } : { condition, parts };
};

type Entry = readonly [key: string, value: HelmNode];
const ENTRIES: Writer<YamlMap['parts'][number], Entry> = {
  line: verbatim,
  piece: ([key, value]) => {
    if (value instanceof Cases) return casesPiece(value, ENTRIES, (node): Entry => [key, node]);
    if (value instanceof LateBoundWhole && value.value.kind === 'entries') {
      const entry = new VerbatimLine('{{ $key | toJson }}: {{ $value | toJson }}');
      return { parts: [verbatim(`range $key, $value := ${value.value.source.expression}`), entry, verbatim('end')] };
    }
    return conditional(value, [[key, yamlOf(value)]]);
  },
};

const ITEMS: Writer<YamlList['parts'][number], HelmNode> = {
  line: verbatim,
  piece: (item) => {
    if (item instanceof Cases) return casesPiece(item, ITEMS, (node) => node);
    if (!(item instanceof LateBoundEach)) return conditional(item, [yamlOf(item)]);
    const { each } = item.list.source;
    const body = yamlOf(helmNode(item.item));
    if (each === undefined) return { parts: [body] };
    return { parts: [verbatim(`range ${each.variable} := ${each.over}`), body, verbatim('end')] };
  },
};

const DOCUMENTS: Writer<string, HelmNode> = {
  line: (action) => `{{- ${action} }}`,
  piece: (node) => {
    if (node instanceof Cases) return casesPiece(node, DOCUMENTS, (object) => object);
    return { parts: ['---', yamlDocument(yamlOf(node)).trimEnd()] };
  },
};

function yamlOf(node: HelmNode): YamlNode {
  if (node instanceof LateBoundWhole) return inserted(node.value.source.expression);
  if (node instanceof LateBoundText) return formatted(node);
  // a text with braces of its own, as in alerts and dashboards
  if (typeof node === 'string') return node.includes('{{') ? inserted(goText(node)) : node;
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return new YamlList(joined((node as readonly HelmNode[]).map(ITEMS.piece), verbatim));
  return new YamlMap(joined(Object.entries(node as Readonly<Record<string, HelmNode>>).map(ENTRIES.piece), verbatim));
}

// Loops outside of the object, the innermost first.
function loopsOf(node: HelmNode | undefined): readonly HelmLoop[] {
  if (typeof node !== 'object' || node === null) return [];
  const of = ({ source }: LateBoundValue<HelmSource>): readonly HelmLoop[] =>
    source.within === undefined ? [] : [source.within];
  if (node instanceof LateBoundWhole) return of(node.value);
  if (node instanceof LateBoundText) return node.parts.flatMap((part) => (typeof part === 'string' ? [] : of(part)));
  if (node instanceof LateBoundEach) return [...of(node.list), ...loopsOf(helmNode(node.item))];
  if (node instanceof Cases) return [...node.alternatives.map((each) => each.node), node.otherwise].flatMap(loopsOf);
  return Object.values(node).flatMap((inner: HelmNode) => loopsOf(inner));
}

const outermostFirst = (loop: HelmLoop): readonly HelmLoop[] =>
  loop.outer === undefined ? [loop] : [...outermostFirst(loop.outer), loop];

/**
 * Writes one object as a template.
 *
 * @param node - the object, or cases of it
 * @returns lines that start a document of their own, inside of the conditions and the loop that they need
 */
export function templateOf(node: HelmNode): string {
  const [loop] = loopsOf(node).toSorted((a, b) => outermostFirst(b).length - outermostFirst(a).length);
  const loops = loop === undefined ? [] : outermostFirst(loop);
  const document = joined([DOCUMENTS.piece(node)], DOCUMENTS.line);
  const lines = loops.reduceRight((inner, loop) => [opened(loop), ...inner, '{{- end }}'], document);
  return `${lines.join('\n')}\n`;
}

const opened = ({ variable, over }: HelmLoop): string => `{{- range ${variable} := ${over} }}`;
