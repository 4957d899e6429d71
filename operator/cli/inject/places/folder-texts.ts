import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { PackageText } from '../package-nodes';

/** Files of a package that can hold IPAllocations. */
const READ = /(?:\.ya?ml|^Kptfile)$/u;
const DRAFT_BYTES = 6;

/**
 * Reads the YAML files of a folder and of those in it. Hidden folders and symbolic links are left out, so nothing outside is reached.
 *
 * @param folder - top of the package
 * @returns each file, by path; `settings/invalid` where the folder cannot be read
 */
export async function folderTexts(folder: string): Promise<Outcome<readonly PackageText[]>> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile() && READ.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
      .filter((path) => !path.split('/').some((part) => part.startsWith('.')));
    const read = paths.toSorted().map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') }));
    return accept(await Promise.all(read));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    return refuse('settings/invalid', `the package "${folder}" cannot be read (${code})`);
  }
}

/**
 * Writes files of a folder, each one whole or not at all.
 *
 * @param folder - top of the package
 * @param changed - files that are there already
 * @param drafts - where files under way are listed, which go when a signal ends the program
 */
export async function writeTexts(folder: string, changed: readonly PackageText[], drafts: Set<string>): Promise<void> {
  for (const { path, text } of changed) {
    const target = join(folder, path);
    const draft = `${target}.${randomBytes(DRAFT_BYTES).toString('hex')}.tmp`;
    drafts.add(draft);
    try {
      await writeFile(draft, text, { mode: (await stat(target)).mode, flag: 'wx' });
      await rename(draft, target);
    } finally {
      await rm(draft, { force: true });
      drafts.delete(draft);
    }
  }
}
