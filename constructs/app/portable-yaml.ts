import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { App, YamlOutputType } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { parseDocument, Scalar, visit } from 'yaml';

import { operatorsOfApp } from './app-operators';

/**
 * Plain texts that some reader takes for something else although the YAML 1.1 writer of cdk8s leaves them bare: `=` and `<<`
 * (PyYAML), and numbers as Go's `strconv.ParseInt` reads them (kubectl): `0o12`, `0X1F`, `-0b1`, `+_10`. Quotes where there is
 * no need do no harm, so whatever looks like a number is in; two dots or more make an address, which no reader misreads.
 */
const MISREAD = /^(?:=|<<|[-+._]*[0-9](?!.*\..*\.)[0-9a-fA-F_xXoObBeE+.-]*)$/u;
/** Characters that YAML 1.1 readers fold, drop or refuse where they are not escaped; a tab only in bare text. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Writes a text as a YAML scalar that readers of YAML 1.1 and 1.2 give back as it is.
 *
 * @param text - any text
 * @returns one line in double quotes
 */
export function quotedScalar(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, escaped);
}

function misread(node: Scalar): boolean {
  const source = node.source ?? '';
  if (node.type === Scalar.PLAIN) {
    const isText = typeof node.value === 'string' || source === '<<'; // the rest are numbers and words of the author
    return isText && (MISREAD.test(source) || source.includes('\t') || source.search(UNSAFE) >= 0);
  }
  const inQuotes = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
  return inQuotes && source.search(UNSAFE) >= 0;
}

/** Every bare token that {@link MISREAD} may match, at any place of a line where a key, a value or an item can stand. */
const TOKENS = /(?:^| )(=|<<|[-+._]*[0-9][0-9a-fA-F_xXoObBeE+.-]*)(?::? |:?$)/gmu;
/** Bare, this is a number and meant to be one: cdk8s quotes the text. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u;

// Parsing costs as much as writing, so documents without a suspicious token are left alone.
function isSuspicious(document: string): boolean {
  if (document.includes('\t') || document.search(UNSAFE) >= 0) return true;
  for (const [, token = ''] of document.matchAll(TOKENS)) if (MISREAD.test(token) && !NUMBER.test(token)) return true;
  return false;
}

function quoteDocument(text: string): string {
  if (!isSuspicious(text)) return text;
  const found: (readonly [start: number, end: number, quoted: string])[] = [];
  visit(parseDocument(text, { version: '1.1' }), {
    Scalar: (_key, node) => {
      if (node.range === null || node.range === undefined || !misread(node)) return;
      const value = typeof node.value === 'string' ? node.value : (node.source ?? '');
      found.push([node.range[0], node.range[1], quotedScalar(value)]);
    },
  });
  let rest = 0;
  const parts = found.flatMap(([start, end, quoted]) => {
    const before = text.slice(rest, start);
    rest = end;
    return [before, quoted];
  });
  return parts.join('') + text.slice(rest);
}

/**
 * Puts quotes around texts that some YAML reader takes for a number or a special value. Everything else stays byte for byte.
 *
 * @param text - one or more YAML documents as cdk8s writes them (YAML 1.1)
 * @returns the same documents, with the same values for readers of YAML 1.1 (kubectl, PyYAML) and of YAML 1.2
 */
export function quoteForEveryReader(text: string): string {
  return text
    .split(/^(?=---$)/mu)
    .map(quoteDocument)
    .join('');
}

function quoteFiles(app: App): void {
  const inFolders = app.yamlOutputType === YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE;
  for (const entry of readdirSync(app.outdir, { recursive: inFolders, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(app.outputFileExtension)) continue;
    const path = join(entry.parentPath, entry.name);
    const written = readFileSync(path, 'utf8');
    const quoted = quoteForEveryReader(written);
    if (quoted !== written) writeFileSync(path, quoted);
  }
}

/** Kinds of output without an order. */
const UNORDERED: readonly YamlOutputType[] = [
  YamlOutputType.FILE_PER_RESOURCE,
  YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE,
];

// `kubectl apply -f dist/` takes files by their names
function sayWhatOrderIsLost(app: App): void {
  if (!UNORDERED.includes(app.yamlOutputType) || operatorsOfApp(app).length === 0) return;
  process.emitWarning(
    'with one file for each resource (yamlOutputType) kubectl applies webhooks, Namespace and Deployment by the names of their files, not in the order of the chart; write one file for each chart, which has the webhooks last',
    { type: 'IpamOperator', code: 'CDK8S_IPAM_ORDER_LOST' },
  );
}

const hooked = new WeakSet<App>();

/**
 * Makes an app write YAML that every reader understands alike, see {@link quoteForEveryReader}. Every construct of this package
 * does it for the app that it stands in, since cdk8s has no setting for its writer; call it for an app without one.
 *
 * @param app - an app; hooked once, however often it is given
 * @returns the same app, whose `synth` and `synthYaml` quote what they have written
 */
export function writeForEveryReader(app: App): App {
  if (hooked.has(app)) return app;
  hooked.add(app);
  const synth = app.synth.bind(app);
  const synthYaml = app.synthYaml.bind(app);
  app.synth = () => {
    sayWhatOrderIsLost(app);
    synth();
    quoteFiles(app);
  };
  app.synthYaml = () => quoteForEveryReader(synthYaml());
  return app;
}

/**
 * Does {@link writeForEveryReader} for the app of a construct.
 *
 * @param construct - anywhere in the tree; one that stands in no cdk8s app is left alone
 */
export function writeAppForEveryReader(construct: IConstruct): void {
  const { root } = construct.node;
  if (root instanceof App) writeForEveryReader(root);
}
