import { rmSync } from 'node:fs';
import { TARBALL_FOLDER } from './packed';

/** Runs once after all tests of this folder. */
module.exports = (): void => {
  const folder = process.env[TARBALL_FOLDER];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
};
