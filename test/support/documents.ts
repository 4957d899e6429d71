import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

/** A piece of code on a page. */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** Names of all files of the repository that end in one of some ways. */
export function filesOf(...endings: readonly string[]): readonly string[] {
  const patterns = endings.map((ending) => `*${ending}`);
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** Reads a file of the repository. */
export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Every piece of code on a page, which may stand inside of a list. */
export function blocksOf(page: string): readonly CodeBlock[] {
  const text = textOf(page);
  return [...text.matchAll(/^(?<indent> *)```(?<language>\w+)\n(?<code>.*?)^\k<indent>```$/gmsu)].map((match) => {
    const { indent = '', language = '', code = '' } = match.groups ?? {};
    const unindented = code.replaceAll(new RegExp(`^${indent}`, 'gmu'), '');
    return { page, language, code: unindented, line: text.slice(0, match.index).split('\n').length };
  });
}

/** Commands of a console without their notes, each on one line, those behind `&&` apart. */
export function commandsIn(code: string): readonly string[] {
  const joined = code.replaceAll(/\\\n\s*/gu, ' ');
  return [...joined.matchAll(/^\$ (.*)$/gmu)].flatMap(([, line = '']) =>
    line
      .replace(/\s+# .*$/u, '')
      .split(/ && /u)
      .map((command) => command.trim()),
  );
}

/** Pages for readers; reports of the API are generated declarations. */
export const pagesOf = (): readonly string[] => filesOf('.md').filter((page) => !page.endsWith('.api.md'));
