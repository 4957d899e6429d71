import { relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../..');

/** One named piece of the public API, as the documentation shows it. */
export interface Entry {
  readonly name: string;
  readonly doc: string;
  readonly declaration: ts.InterfaceDeclaration | ts.ClassDeclaration;
}

/** A declared property of an interface, inherited ones too. */
interface Row {
  readonly name: string;
  readonly type: string;
  readonly fallback: string;
  readonly meaning: string;
}

const plain = (text: string): string =>
  text
    .replaceAll(/\{@link ([^}]+?) *\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim();
/** Names of interfaces that a user of the package fills in; the others of the entry are what it hands back. */
const FILLED_IN = /(Props|Options)$/;
export const cell = (text: string): string => text.replaceAll('|', '\\|');
export const code = (text: string): string => (text === '' ? '' : `\`${text.replaceAll(/\s+/g, ' ')}\``);

/** Reads the public entry of the constructs with the compiler, so that tables and types cannot differ. */
export class ApiReader {
  readonly checker: ts.TypeChecker;
  readonly #entries = new Map<string, Entry>();

  constructor(entryFile: string, filledIn: RegExp = FILLED_IN) {
    const program = ts.createProgram([entryFile], {
      module: ts.ModuleKind.Node20,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    });
    this.checker = program.getTypeChecker();
    const file = program.getSourceFile(entryFile);
    const module = file === undefined ? undefined : this.checker.getSymbolAtLocation(file);
    if (module === undefined) throw new RangeError(`${entryFile} exports nothing`);
    const exported = this.checker.getExportsOfModule(module).map((symbol) => this.#resolve(symbol));
    for (const symbol of exported) {
      const isConstruct = symbol.declarations?.some(ts.isClassDeclaration) === true;
      if (isConstruct || filledIn.test(symbol.name)) this.#add(symbol);
    }
  }

  /** Classes first, then interfaces, each in the order in which they are met. */
  all(): { readonly classes: readonly Entry[]; readonly interfaces: readonly Entry[] } {
    const all = [...this.#entries.values()];
    return {
      classes: all.filter(({ declaration }) => ts.isClassDeclaration(declaration)),
      interfaces: all.filter(({ declaration }) => ts.isInterfaceDeclaration(declaration)),
    };
  }

  rowsOf({ declaration }: Entry): readonly Row[] {
    const properties = this.checker.getPropertiesOfType(this.checker.getTypeAtLocation(declaration));
    return properties.flatMap((symbol) => this.rowOf(symbol) ?? []);
  }

  /** Name of the interface that a construct is made of. */
  propsOf({ declaration }: Entry): string | undefined {
    const maker = declaration.members.find(ts.isConstructorDeclaration);
    const props = maker?.parameters.find((parameter) => parameter.name.getText() === 'props');
    return props?.type?.getText();
  }

  #resolve(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  // An interface of ours brings those of its properties along, exported or not: somebody has to fill them in.
  #add(symbol: ts.Symbol): void {
    const declaration = symbol.declarations?.find(
      (each) => ts.isInterfaceDeclaration(each) || ts.isClassDeclaration(each),
    );
    if (declaration === undefined || this.#entries.has(symbol.name) || !isOurs(declaration)) return;
    this.#entries.set(symbol.name, { name: symbol.name, doc: this.docOf(symbol), declaration });
    if (ts.isClassDeclaration(declaration)) return;
    for (const property of this.checker.getPropertiesOfType(this.checker.getTypeAtLocation(declaration))) {
      this.#addTypesIn(property.declarations?.[0]);
    }
  }

  #addTypesIn(node: ts.Node | undefined): void {
    if (node === undefined) return;
    if (ts.isTypeReferenceNode(node)) {
      const symbol = this.checker.getSymbolAtLocation(node.typeName);
      const type = symbol === undefined ? undefined : this.#resolve(symbol);
      if (type?.declarations?.some(isFilledIn) === true) this.#add(type);
    }
    ts.forEachChild(node, (child) => {
      this.#addTypesIn(child);
    });
  }

  docOf(symbol: ts.Symbol): string {
    return plain(ts.displayPartsToString(symbol.getDocumentationComment(this.checker)));
  }

  rowOf(symbol: ts.Symbol): Row | undefined {
    const declaration = symbol.declarations?.[0];
    if (declaration === undefined || !ts.isPropertySignature(declaration)) return undefined;
    const given = symbol.getJsDocTags(this.checker).find(({ name }) => name === 'default');
    const text = plain(ts.displayPartsToString(given?.text));
    const optional = declaration.questionToken !== undefined;
    return {
      name: symbol.name,
      type: declaration.type?.getText() ?? 'unknown',
      fallback: !optional ? '(required)' : text.startsWith('-') ? text.slice(1).trim() : code(text),
      meaning: this.docOf(symbol),
    };
  }
}

// What has methods is handed on and not written down: a catalogue of zones, the owner of an address.
function isFilledIn(declaration: ts.Declaration): boolean {
  return (
    ts.isInterfaceDeclaration(declaration) &&
    !declaration.members.some(ts.isMethodSignature) &&
    !/^I[A-Z]/.test(declaration.name.text)
  );
}

function isOurs(declaration: ts.Node): boolean {
  const path = relative(root, declaration.getSourceFile().fileName);
  return !path.startsWith('..') && !path.startsWith('node_modules');
}

const anchor = (name: string): string => `[${name}](#${name.toLowerCase()})`;

function classSection(reader: ApiReader, entry: Entry): string {
  const props = reader.propsOf(entry);
  return [`### ${entry.name}`, entry.doc, ...(props === undefined ? [] : [`Props: ${anchor(props)}`])].join('\n\n');
}

function tableOf(reader: ApiReader, entry: Entry): string {
  const rows = reader.rowsOf(entry);
  if (rows.length === 0) return '';
  const lines = rows.map(({ name, type, fallback, meaning }) =>
    [code(name), code(type), fallback, meaning].map(cell).join(' | '),
  );
  const table = ['prop | type | default | meaning', '--- | --- | --- | ---', ...lines].map((line) => `| ${line} |`);
  return [`### ${entry.name}`, entry.doc, table.join('\n')].join('\n\n');
}

/** Props of the public API that have no description; a test holds this at none. */
export function undocumentedProps(entryFile: string): readonly string[] {
  const reader = new ApiReader(entryFile);
  return reader.all().interfaces.flatMap((entry) =>
    reader.rowsOf(entry).flatMap((row) => {
      const missing = row.meaning === '' ? 'meaning' : row.fallback === '' ? 'default' : undefined;
      return missing === undefined ? [] : [`${entry.name}.${row.name}: ${missing}`];
    }),
  );
}

/**
 * Writes the reference of a public entry: its constructs, and one table for each interface that somebody fills in.
 *
 * @returns Markdown
 */
export function propsTables(entryFile: string): string {
  const reader = new ApiReader(entryFile);
  const { classes, interfaces } = reader.all();
  return [
    '## Constructs',
    ...classes.map((entry) => classSection(reader, entry)),
    '## Props',
    ...interfaces.map((entry) => tableOf(reader, entry)).filter((text) => text !== ''),
  ].join('\n\n');
}
