/**
 * Writes every generated part of the tree, or with `--check` compares and fails when one is out of date.
 * A generated part stands between `<!-- NAME:start -->` and `<!-- NAME:end -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CATALOGUE } from '../../operator/errors/catalogue';
import { METRICS } from '../../operator/ports/meter';
import { optionsTable } from '../../operator/settings/options-table';

const root = resolve(__dirname, '../..');

interface GeneratedPart {
  readonly file: string;
  readonly name: string;
  readonly text: () => string;
}

/** Makes a Markdown table. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

const errorsTable = (): string =>
  table(
    ['code', 'HTTP', 'try again', 'reason', 'meaning'],
    Object.entries(CATALOGUE).map(([code, row]) => [
      `\`${code}\``,
      String(row.http),
      row.retry,
      `\`${row.reason}\``,
      row.summary,
    ]),
  );

const metricsTable = (): string =>
  table(
    ['metric', 'kind', 'labels', 'meaning'],
    Object.entries(METRICS).map(([name, metric]) => [
      `\`ipam_${name}\``,
      metric.kind,
      metric.labels.join(', '),
      metric.help,
    ]),
  );

/** Every generated part of the tree. */
export const PARTS: readonly GeneratedPart[] = [
  { file: 'README.md', name: 'options', text: optionsTable },
  { file: 'README.md', name: 'metrics', text: metricsTable },
  { file: 'operator/errors/README.md', name: 'errors', text: errorsTable },
];

/**
 * Puts a generated part in its place.
 *
 * @returns the whole text of the file with the part renewed
 */
export function renew(current: string, part: Pick<GeneratedPart, 'file' | 'name' | 'text'>): string {
  const [start, end] = [`<!-- ${part.name}:start -->`, `<!-- ${part.name}:end -->`];
  const [from, to] = [current.indexOf(start), current.indexOf(end)];
  if (from < 0 || to < from) throw new RangeError(`${part.file} has no place "${start} … ${end}"`);
  return `${current.slice(0, from + start.length)}\n\n${part.text()}\n\n${current.slice(to)}`;
}

function main(check: boolean): void {
  const stale = PARTS.filter((part) => {
    const path = join(root, part.file);
    const current = readFileSync(path, 'utf8');
    const wanted = renew(current, part);
    if (current === wanted) return false;
    if (!check) writeFileSync(path, wanted);
    return true;
  });
  if (!check || stale.length === 0) return;
  for (const part of stale)
    console.error(`${part.file}: the part "${part.name}" is out of date; run "npm run generate"`);
  process.exitCode = 1;
}

if (require.main === module) main(process.argv.includes('--check'));
