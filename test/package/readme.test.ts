import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

import { blocksOf, pagesOf, type CodeBlock } from '../support/documents';

const root = resolve(__dirname, '../..');

type Snippet = Pick<CodeBlock, 'page' | 'line' | 'code'>;

/** Code around a snippet on its page. */
const AROUND: Readonly<Record<string, string>> = {
  chart: 'declare const chart: Chart;',
  operator: 'declare const operator: { readonly zones: ZoneCatalogue };',
  zones: 'declare const zones: ZoneCatalogue;',
  selector: "declare const selector: { readonly app: 'shop' };",
  ShopChart: 'declare const ShopChart: typeof Chart;',
};

const declares = (code: string, name: string): boolean =>
  new RegExp(`\\b(?:const|let|class) ${name}\\b`, 'u').test(code);
const uses = (code: string, name: string): boolean => new RegExp(`(?<![.\\w'])${name}\\b(?!:)`, 'u').test(code);

/** The snippet as a program: its own imports are kept, and what it leaves out is added. */
function programOf({ code }: Snippet): string {
  // a construct has a scope before its id, a component has none
  const entry = /new \w+\(\s*'/u.test(code) ? 'infra' : 'constructs';
  const known = [
    'IpamOperator',
    'IpamService',
    'MetalLbPool',
    'exposeViaIpam',
    'AddressPlan',
    'IpAllocation',
    'EgressIpam',
    'EgressNamespace',
  ];
  const names = known.filter((name) => uses(code, name));
  return [
    "import { Chart, Testing } from 'cdk8s';",
    "import * as kplus from 'cdk8s-plus-28';",
    "import type { ZoneCatalogue } from '../../operator/contract/zones';",
    `import { ${names.join(', ')} } from 'cdk8s-ipam/${entry}';`,
    ...Object.entries(AROUND).flatMap(([name, line]) => (declares(code, name) ? [] : [line])),
    code,
    'export {};',
  ].join('\n');
}

function problemsOf(snippets: readonly Snippet[]): readonly string[] {
  const read = ts.readConfigFile(join(root, 'test/tsconfig.json'), (path) => readFileSync(path, 'utf8'));
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, join(root, 'test'));
  const texts = new Map(
    snippets.map((each, i) => [join(root, `test/package/snippet-${String(i)}.ts`), programOf(each)] as const),
  );
  const paths = Object.fromEntries(
    ['constructs', 'infra'].map((entry) => [`cdk8s-ipam/${entry}`, [join(root, entry, 'index.ts')]]),
  );
  // as the projects that cdk8s and Pulumi start
  const all = { ...options, paths, noUncheckedIndexedAccess: false };
  const host = ts.createCompilerHost(all);
  const { readFile, fileExists } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  const program = ts.createProgram([...texts.keys()], all, host);
  return [...texts.keys()].flatMap((path, i) => {
    const { page = '', line = 0 } = snippets[i] ?? {};
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(
      ({ messageText }) => `${page}:${String(line)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

describe('snippets of the documentation', () => {
  const blocks = pagesOf().flatMap(blocksOf);
  const snippets = blocks.filter(({ language }) => language === 'ts');

  test('are found', () => {
    expect(new Set(snippets.map(({ page }) => page)).size).toBeGreaterThan(2);
    // what other languages say is looked at in snippets.test.ts
    const languages = new Set(blocks.map(({ language }) => language));
    expect([...languages].toSorted()).toEqual(['console', 'ts', 'yaml']);
  });

  test('are programs that compile', () => {
    expect(problemsOf(snippets)).toEqual([]);
  });

  test('are refused where they name something that is not there', () => {
    const code = "new IpamService(chart, 'shop', { zone: 'inet', port: 443 });";
    expect(problemsOf([{ page: 'page', line: 1, code }])).toEqual([expect.stringMatching(/^page:1: .*port/u)]);
  });
});
