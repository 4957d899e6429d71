import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../..');

/**
 * Runs a program of Pulumi again and again in one process, as no module would: its second load does nothing.
 *
 * @param path - of the program, from the root
 * @returns what it exports
 */
export function runExample(path: string): Readonly<Record<string, unknown>> {
  const file = resolve(root, path);
  const code = ts.transpile(readFileSync(file, 'utf8'), {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2023,
    esModuleInterop: true,
  });
  const exported: Record<string, unknown> = {};
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- what an import in the program becomes
  const load = (name: string): unknown => require(name.startsWith('.') ? resolve(dirname(file), name) : name);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- only so it has the classes and modules of the running test
  const run = new Function('exports', 'require', code) as (exports: object, require: typeof load) => void;
  run(exported, load);
  return exported;
}
