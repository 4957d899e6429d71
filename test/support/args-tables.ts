import ts from 'typescript';
import { ApiReader, cell, code, type Entry } from './props-tables';

const CONSTRUCTS = '../constructs/README.md';

/** Whether an arg may be known later: all of it, or leaves inside of it. */
function lateness(reader: ApiReader, symbol: ts.Symbol): string {
  const type = reader.checker.typeToString(
    reader.checker.getTypeOfSymbol(symbol),
    undefined,
    ts.TypeFormatFlags.NoTruncation,
  );
  if (/\bDeferred|\bRecord<.*\bInput</u.test(type)) return 'inside';
  return /\b(?:Input|Output\w*|Promise)</u.test(type) ? 'yes' : '';
}

// whether it may be known later has a column of its own
const plainly = (type: string): string => type.replaceAll(/\bpulumi\.Input<([^<>]*)>/gu, '$1');

const tableOf = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

function argsOf(reader: ApiReader, { declaration }: Entry): ts.Type | undefined {
  const maker = declaration.members.find(ts.isConstructorDeclaration);
  const args = maker?.parameters.find((parameter) => parameter.name.getText() === 'args');
  return args === undefined ? undefined : reader.checker.getTypeAtLocation(args);
}

function argsTable(reader: ApiReader, args: ts.Type): string {
  const rows = reader.checker.getPropertiesOfType(args).flatMap((symbol) => {
    const row = reader.rowOf(symbol);
    if (row === undefined) return [];
    return [[code(row.name), code(plainly(row.type)), row.fallback, lateness(reader, symbol), row.meaning]];
  });
  return tableOf(['arg', 'type', 'default', 'Output', 'meaning'], rows);
}

function outputsTable(reader: ApiReader, { declaration }: Entry): string {
  const rows = declaration.members.filter(ts.isPropertyDeclaration).flatMap((member) => {
    const symbol = reader.checker.getSymbolAtLocation(member.name);
    const isPrivate = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
    return symbol === undefined || isPrivate
      ? []
      : [[code(symbol.name), code(member.type?.getText() ?? ''), reader.docOf(symbol)]];
  });
  return tableOf(['property', 'type', 'meaning'], rows);
}

/**
 * Writes the reference of the Pulumi entry: one section for each component, with its args and its outputs.
 *
 * @returns Markdown
 */
export function argsTables(entryFile: string): string {
  const reader = new ApiReader(entryFile, /^$/u);
  const sections = reader.all().classes.flatMap((entry) => {
    const args = argsOf(reader, entry);
    if (args === undefined) return [];
    return [`### ${entry.name}`, entry.doc, argsTable(reader, args), outputsTable(reader, entry)];
  });
  const types = `Types of args that have props of their own are explained in [the reference of the constructs](${CONSTRUCTS}).`;
  return ['## Components', types, ...sections].join('\n\n');
}
