import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { peerDependencies } from '../../package.json';
import { TARBALL_FOLDER, consumerFolder, packedFolder, tarballFile } from './packed';

const root = resolve(__dirname, '../..');

// what the compiler says of a build that fails goes to its standard output
function npm(cwd: string, words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new RangeError(`npm ${words.join(' ')} ended with ${String(status)}:\n${stdout}${stderr}`);
}

/** Links a package of the checkout into a project, so that no test waits for the download of Pulumi. */
function link(name: string, project: string): void {
  const place = join(project, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), place);
}

/**
 * Runs once before all tests of this folder: packs the package as a registry would get it, unpacks it, and installs it into a
 * project that has nothing else but the peers.
 */
module.exports = (): void => {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-tarball-'));
  process.env[TARBALL_FOLDER] = folder;
  // builds first, by the script prepack
  npm(root, ['pack', '--silent', '--pack-destination', folder]);
  execFileSync('tar', ['-xzf', tarballFile(), '-C', folder]);

  const project = consumerFolder();
  mkdirSync(project);
  const words = ['install', '--prefix', project, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  npm(project, [...words, '--silent', tarballFile()]);
  const alone = readdirSync(join(project, 'node_modules'));
  if (alone.includes('@pulumi') || alone.includes('cdk8s')) throw new RangeError('a peer is not optional');
  for (const name of [...Object.keys(peerDependencies), '@types/node']) link(name, project);
  if (!readdirSync(packedFolder()).includes('package.json')) throw new RangeError('the tarball is empty');
};
