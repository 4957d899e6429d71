import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tarballFile } from './packed';

/** Runs npm; what the compiler says of a build that fails goes to its standard output. */
export function npm(cwd: string, words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new RangeError(`npm ${words.join(' ')} ended with ${String(status)}:\n${stdout}${stderr}`);
}

/**
 * Makes a project of somebody who installs the package, and who has its peers already.
 *
 * @param project - folder to be made
 * @param peers - names of packages that are linked, so that no test waits for the download of Pulumi
 * @param from - folder `node_modules` that has them
 */
export function installPackage(project: string, peers: readonly string[], from: string): void {
  mkdirSync(project);
  const words = ['install', '--prefix', project, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  npm(project, [...words, '--silent', tarballFile()]);
  const alone = readdirSync(join(project, 'node_modules'));
  if (alone.includes('@pulumi') || alone.includes('cdk8s')) throw new RangeError('a peer is not optional');
  for (const name of peers) {
    const place = join(project, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(from, name), place);
  }
}
