import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../../..');

/**
 * Types of the pure half that jsii cannot take, each with the reason. In the copy they stand for anything, so other languages
 * would hand them on without looking inside.
 */
export const LEAKS: Readonly<Record<string, string>> = {
  ZoneCatalogue: 'its counts are bigint, and an interface with a method would have to be named IZoneCatalogue',
  EgressIPAMCidrAssignments: 'its field CIDR is spelled as the API of EgressIPAM has it, and jsii wants camel case',
};

/** A piece of text to be replaced. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Writes the declarations of a public entry and of everything that it reaches.
 *
 * @returns texts by their path from the root, `.ts` in place of `.d.ts`
 */
export function declaredApi(entry: string): ReadonlyMap<string, string> {
  const read = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...(read.config as object), files: [entry] }, ts.sys, root);
  const program = ts.createProgram([join(root, entry)], {
    ...options,
    declaration: true,
    declarationMap: false,
    emitDeclarationOnly: true,
    outDir: root,
  });
  const files = new Map<string, string>();
  program.emit(undefined, (path, text) => {
    const name = relative(root, path);
    if (name.endsWith('.d.ts')) files.set(name.replace(/\.d\.ts$/, '.ts'), readableByJsii(name, text));
  });
  return files;
}

// jsii knows no readonly lists and no mapped types, and reads sources only. Our sources keep both, since they catch mistakes
// in TypeScript; what differs is this list and nothing else.
function readableByJsii(name: string, text: string): string {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const cuts: Cut[] = [];
  const visit = (node: ts.Node): void => {
    cuts.push(...cutsOf(node));
    if (!isLeak(node)) ts.forEachChild(node, visit);
  };
  visit(file);
  return cuts
    .sort((a, b) => b.from - a.from)
    .reduce((changed, cut) => changed.slice(0, cut.from) + cut.text + changed.slice(cut.to), text);
}

function isLeak(node: ts.Node): node is ts.InterfaceDeclaration {
  return ts.isInterfaceDeclaration(node) && node.name.text in LEAKS;
}

function cutsOf(node: ts.Node): readonly Cut[] {
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
    return [{ from: node.getStart(), to: node.type.getStart(), text: '' }];
  }
  if (ts.isTypeReferenceNode(node)) return mapCuts(node);
  if (ts.isParameter(node) && ts.isObjectBindingPattern(node.name)) {
    // a pattern is allowed in declarations, and jsii does not know that these are some
    return [{ from: node.name.getStart(), to: node.name.getEnd(), text: `props${node.pos}` }];
  }
  if (isLeak(node)) {
    return [{ from: node.getStart(), to: node.getEnd(), text: `export type ${node.name.text} = any;` }];
  }
  return [];
}

// `Readonly<Record<string, X>>` becomes `{ [key: string]: X }`.
function mapCuts(node: ts.TypeReferenceNode): readonly Cut[] {
  const inner = node.typeArguments?.[0];
  if (node.typeName.getText() !== 'Readonly' || inner === undefined || !ts.isTypeReferenceNode(inner)) return [];
  const [key, value] = inner.typeArguments ?? [];
  if (inner.typeName.getText() !== 'Record' || key?.getText() !== 'string' || value === undefined) return [];
  return [
    { from: node.getStart(), to: value.getStart(), text: '{ [key: string]: ' },
    { from: value.getEnd(), to: node.getEnd(), text: ' }' },
  ];
}
