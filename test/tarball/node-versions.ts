import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../cluster/components/recipes';

/** Versions of Node.js that the package is for; the newest one is what runs the tests. */
export const NODE_VERSIONS = ['20.20.2', '22.23.3', process.versions.node] as const;

/**
 * Finds a Node.js, and fetches it from npm when it is asked for the first time.
 *
 * @returns path of the program
 */
export function nodeProgram(version: string): string {
  if (version === process.versions.node) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const home = join(cacheFolder(), `${name}-${version}`);
  if (!existsSync(home)) {
    mkdirSync(dirname(home), { recursive: true });
    // moved when it is complete: tests in other processes may ask for it at the same time
    const made = mkdtempSync(`${home}.`);
    const words = ['install', '--prefix', made, '--no-audit', '--no-fund', '--silent', `${name}@${version}`];
    execFileSync('npm', words, { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(made, home);
  }
  return join(home, 'node_modules', name, 'bin/node');
}
