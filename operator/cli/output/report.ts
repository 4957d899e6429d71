import { stringify } from 'yaml';
import type { ExitCode } from './exit-codes';

/** Rows below their column names. */
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Output of a command. Holds a secret only where the user asked for it on standard output. */
export interface Report {
  /** The whole answer for programs. */
  readonly value: unknown;
  /** The same for people: a table, lines, or text that is written byte for byte. */
  readonly table: Table | readonly string[] | string;
  /** Sentences beside the answer, for standard error. */
  readonly notes?: readonly string[];
  /** True: nothing is written, since standard output has something else. */
  readonly silent?: true;
  /** How the command ends, where that is not "done". */
  readonly exit?: ExitCode;
}

/** Form of the output. */
export const OUTPUTS = ['table', 'json', 'yaml'] as const;
/** One of {@link OUTPUTS}. */
export type Output = (typeof OUTPUTS)[number];

const GAP = '  ';
// Names come from other people: an escape sequence in one of them must not reach a terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/gu;

/**
 * Writes a report.
 *
 * @param report - what a command has to say
 * @param output - form of it
 * @returns text that ends with a line feed; empty for an empty list of lines
 */
export function written(report: Report, output: Output): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(report.value, undefined, 2)}\n`;
    case 'yaml':
      return yamlText(report.value);
    case 'table': {
      if (typeof report.table === 'string') return report.table;
      const lines = isTable(report.table) ? aligned(report.table) : report.table;
      return lines.map((line) => `${line.replaceAll(CONTROL, '\uFFFD').trimEnd()}\n`).join('');
    }
  }
}

/**
 * Writes a value as YAML, every value where it stands and no line broken.
 *
 * @param value - what programs read
 * @returns text that ends with a line feed
 */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}

function isTable(shown: Table | readonly string[]): shown is Table {
  return !Array.isArray(shown);
}

function aligned({ columns, rows }: Table): readonly string[] {
  const all = [columns.map((name) => name.toUpperCase()), ...rows];
  const widths = columns.map((_name, i) => all.reduce((widest, row) => Math.max(widest, row[i]?.length ?? 0), 0));
  return all.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(GAP));
}
