import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Set by the bundle, which has no package.json beside it in the image. */
declare const IPAM_VERSION: string | undefined;

/**
 * Finds the version of the package.
 *
 * @returns as in package.json; `unknown` where there is none
 */
export function versionText(): string {
  if (typeof IPAM_VERSION === 'string') return IPAM_VERSION;
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = versionIn(join(folder, 'package.json'));
    if (found !== undefined) return found;
  }
  return 'unknown';
}

function versionIn(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: string }).version;
  } catch {
    return undefined;
  }
}
