/**
 * Writes every generated part of the tree, or with `--check` compares and fails when one is out of date.
 * A generated part stands between `<!-- NAME:start -->` and `<!-- NAME:end -->`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parse, Root } from 'protobufjs';
import { stringify } from 'yaml';
import { crdManifest, type KindDeclaration } from '../../operator/contract/crd-manifest';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../operator/contract/kinds/address-table';
import { EGRESS_IPAM } from '../../operator/contract/kinds/egress-ipam';
import { IP } from '../../operator/contract/kinds/ip';
import { IP_ALLOCATION } from '../../operator/contract/kinds/ip-allocation';
import { IP_GROUP } from '../../operator/contract/kinds/ip-group';
import { IP_PREFIX } from '../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../operator/contract/kinds/network-instance';
import { CATALOGUE, type ErrorCode } from '../../operator/errors/catalogue';
import { CURES } from '../../operator/errors/cures';
import { exposedName, METRICS } from '../../operator/ports/meter';
import { commandSections } from './command-help';
import { optionsTable } from './options-table';
import { apiReports } from './api-report';
import { argsTables } from './args-tables';
import { kindProps } from './kind-props';
import { kptPackage } from './kpt-package';
import { propsTables } from './props-tables';

const root = resolve(__dirname, '../..');

interface GeneratedPart {
  readonly file: string;
  readonly name: string;
  readonly text: () => string | Promise<string>;
}

/** A file that is generated as a whole; it is formatted like every other one. */
interface GeneratedFile {
  readonly file: string;
  readonly text: () => string;
}

/** Makes a Markdown table. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

const RETRIES = {
  never: 'The same call fails again.',
  backoff: 'Try again with growing pauses.',
  after: 'The answer names the seconds after which another try can help.',
} as const;

/** A heading for each code, so that a link can lead to it. */
const errorsText = (): string =>
  (Object.keys(CATALOGUE) as ErrorCode[])
    .map((code) => {
      const { http, retry, reason, summary } = CATALOGUE[code];
      const facts = `Reason \`${reason}\`, HTTP ${String(http)}. ${RETRIES[retry]}`;
      return `## \`${code}\`\n\nMeaning: ${summary}.\n\nWhat to do: ${CURES[code]}\n\n${facts}`;
    })
    .join('\n\n');

const metricsTable = (): string =>
  table(
    ['metric', 'kind', 'labels', 'meaning'],
    Object.entries(METRICS).map(([name, metric]) => [
      `\`${exposedName(name as keyof typeof METRICS)}\``,
      metric.kind,
      metric.labels.join(', '),
      metric.help,
    ]),
  );

/** The CRD of a kind, and the props of its construct. */
function filesOfKind<O>(kind: KindDeclaration<O>, name: string): readonly GeneratedFile[] {
  return [crdFile(kind), { file: `constructs/crds/${name}.ts`, text: () => kindProps(kind) }];
}

/** The CRD of a kind, for everybody without the constructs. */
function crdFile<O>(kind: KindDeclaration<O>): GeneratedFile {
  const banner = `# Generated from the declaration in operator/contract/kinds by \`npm run generate\`; edit that one.\n`;
  return {
    file: `constructs/crds/${kind.plural}.${kind.group}.yaml`,
    text: () => banner + stringify(crdManifest(kind), { lineWidth: 0, aliasDuplicateObjects: false }),
  };
}

/** Name of the report about the surface of each public entry. */
const ENTRIES = {
  'operator/index.ts': 'pure-half',
  'constructs/index.ts': 'constructs',
  'constructs/validations/index.ts': 'validations',
  'infra/index.ts': 'infra',
} as const;

type Entry = keyof typeof ENTRIES;
let reports: ReadonlyMap<Entry, string> | undefined;

/** The public surface, so that a change of it stands in the diff of whoever makes it. */
const API_REPORTS = Object.entries(ENTRIES).map(([entry, name]): GeneratedFile => ({
  file: `test/fixtures/api/${name}.api.md`,
  text: () => {
    reports ??= apiReports(Object.keys(ENTRIES) as Entry[]); // one run of the compiler for all of them
    return reports.get(entry as Entry) ?? '';
  },
}));

const ALLOC = 'operator/contract/networks/alloc';

/** The messages of the `.proto` files as the program reads them, so that the bundled operator needs no file. */
function descriptorText(): string {
  const messages = new Root();
  for (const name of ['alloc', 'health'])
    parse(readFileSync(join(root, ALLOC, `${name}.proto`), 'utf8'), messages, { keepCase: true });
  const banner = '// Generated from the .proto files beside it by `npm run generate`; edit those.';
  return `${banner}\n\n/** Messages and services as protobufjs reads them. */\nexport const DESCRIPTOR: object = ${JSON.stringify(messages.resolveAll())};\n`;
}

const GENERATED_BY_CONSTRUCTS = '# Generated from the constructs by `npm run generate`; edit those.\n';

/** Every file that is generated as a whole. */
const FILES: readonly GeneratedFile[] = [
  ...filesOfKind(ADDRESS_CLAIM, 'address-claim'),
  ...filesOfKind(IP_GROUP, 'ip-group'),
  crdFile(IP),
  crdFile(ADDRESS_TABLE),
  crdFile(NETWORK_INSTANCE),
  ...filesOfKind(IP_PREFIX, 'ip-prefix'),
  ...filesOfKind(IP_ALLOCATION, 'ip-allocation'),
  { file: `${ALLOC}/descriptor.ts`, text: descriptorText },
  ...filesOfKind(EGRESS_IPAM, 'egress-ipam'),
  ...kptPackage().map(([file, text]) => ({ file, text: () => GENERATED_BY_CONSTRUCTS + text })),
  ...API_REPORTS,
];

/** Every generated part of the tree. */
export const PARTS: readonly GeneratedPart[] = [
  { file: 'docs/reference/options.md', name: 'options', text: optionsTable },
  { file: 'docs/reference/cli.md', name: 'commands', text: commandSections },
  { file: 'docs/reference/metrics.md', name: 'metrics', text: metricsTable },
  { file: 'docs/reference/errors.md', name: 'errors', text: errorsText },
  { file: 'constructs/README.md', name: 'props', text: () => propsTables(join(root, 'constructs/index.ts')) },
  { file: 'infra/README.md', name: 'args', text: () => argsTables(join(root, 'infra/index.ts')) },
];

/**
 * Puts a generated part in its place.
 *
 * @returns the whole text of the file with the part renewed
 */
export async function renew(current: string, part: GeneratedPart): Promise<string> {
  const [start, end] = [`<!-- ${part.name}:start -->`, `<!-- ${part.name}:end -->`];
  const [from, to] = [current.indexOf(start), current.indexOf(end)];
  if (from < 0 || to < from) throw new RangeError(`${part.file} has no place "${start} … ${end}"`);
  return `${current.slice(0, from + start.length)}\n\n${await part.text()}\n\n${current.slice(to)}`;
}

/** Writes `wanted` unless it is there already, or with `check` only tells. */
function settle(file: string, wanted: string, check: boolean): boolean {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) return true;
  if (check) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wanted);
  return true;
}

async function main(check: boolean): Promise<void> {
  const stale: string[] = [];
  for (const { file, text } of FILES) {
    const path = join(root, file);
    const wanted = await format(text(), { ...(await resolveConfig(path)), filepath: path });
    if (!settle(file, wanted, check)) stale.push(file);
  }
  for (const part of PARTS) {
    const wanted = await renew(readFileSync(join(root, part.file), 'utf8'), part);
    if (!settle(part.file, wanted, check)) stale.push(`${part.file}: the part "${part.name}"`);
  }
  for (const what of stale) console.error(`${what} is out of date; run "npm run generate"`);
  if (stale.length > 0) process.exitCode = 1;
}

if (require.main === module) void main(process.argv.includes('--check'));
