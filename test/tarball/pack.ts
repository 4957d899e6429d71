import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { peerDependencies } from '../../package.json';
import { installPackage, npm } from './install';
import { STALE_FILE, TARBALL_FOLDER, consumerFolder, packedFolder, tarballFile } from './packed';

const root = resolve(__dirname, '../..');

/**
 * Runs once before all tests of this folder: packs the package as a registry would get it, unpacks it, and installs it into a
 * project that has nothing else but the peers.
 */
module.exports = (): void => {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-tarball-'));
  process.env[TARBALL_FOLDER] = folder;
  // left by an older build, whose source is gone
  mkdirSync(join(root, 'lib'), { recursive: true });
  writeFileSync(join(root, STALE_FILE), '');
  // builds first, by the script prepack
  npm(root, ['pack', '--silent', '--pack-destination', folder]);
  execFileSync('tar', ['-xzf', tarballFile(), '-C', folder]);

  installPackage(consumerFolder(), [...Object.keys(peerDependencies), '@types/node'], join(root, 'node_modules'));
  if (!readdirSync(packedFolder()).includes('package.json')) throw new RangeError('the tarball is empty');
};
