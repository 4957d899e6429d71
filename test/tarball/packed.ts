import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the variable by which the set-up tells the tests where everything is. */
export const TARBALL_FOLDER = 'IPAM_TEST_TARBALL_FOLDER';

/** A file that no source makes, in the folder of the build before it runs. */
export const STALE_FILE = 'lib/stale.js';

function folder(): string {
  const given = process.env[TARBALL_FOLDER];
  if (given === undefined) throw new RangeError(`${TARBALL_FOLDER} is set by pack.ts`);
  return given;
}

/** The file that a registry would get. */
export function tarballFile(): string {
  const file = readdirSync(folder()).find((name) => name.endsWith('.tgz'));
  if (file === undefined) throw new RangeError('npm packed nothing');
  return join(folder(), file);
}

/** Folder of its content, unpacked. */
export const packedFolder = (): string => join(folder(), 'package');

/** A project with the package, what npm installed along, and links to the peers. */
export const consumerFolder = (): string => join(folder(), 'consumer');
