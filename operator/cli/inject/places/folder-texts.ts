import { randomBytes } from 'node:crypto';
import { readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { PackageText } from '../package-nodes';

/** Files of a package that can hold IPAllocations. */
const READ = /(?:\.ya?ml|^Kptfile)$/u;
const DRAFT_BYTES = 6;
/** File at the top of a folder while a run writes there; hidden, so that none reads it. */
const LOCK = '.ipam-inject.lock';

/** The texts of a folder: what was read is written only where it is still the same. */
export class FolderTexts {
  readonly #folder: string;
  readonly #drafts: Set<string>;
  readonly #read = new Map<string, string>();

  /**
   * @param folder - top of the package
   * @param drafts - where files under way are listed, which go when a signal ends the program
   */
  constructor(folder: string, drafts: Set<string>) {
    this.#folder = folder;
    this.#drafts = drafts;
  }

  /**
   * Reads the YAML files of the folder and of those in it. Hidden folders and symbolic links are left out, so nothing outside is reached.
   *
   * @returns each file, by path; `settings/invalid` where the folder cannot be read
   */
  async read(): Promise<Outcome<readonly PackageText[]>> {
    const folder = this.#folder;
    try {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const paths = entries
        .filter((entry) => entry.isFile() && READ.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
        .filter((path) => !path.split('/').some((part) => part.startsWith('.')));
      const read = paths.toSorted().map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') }));
      const texts = await Promise.all(read);
      for (const { path, text } of texts) this.#read.set(path, text);
      return accept(texts);
    } catch (error) {
      return refuse('settings/invalid', `the package "${folder}" cannot be read (${reasonOf(error)})`);
    }
  }

  /**
   * Writes files that were read, each one whole or not at all.
   *
   * @param changed - texts by path
   * @returns `store/conflict` where a file is another one by now, or another run writes
   */
  async write(changed: readonly PackageText[]): Promise<Outcome<void>> {
    if (changed.length === 0) return accept(undefined);
    const lock = join(this.#folder, LOCK);
    try {
      await writeFile(lock, '', { flag: 'wx' });
    } catch (error) {
      if (reasonOf(error) !== 'EEXIST') throw error;
      return refuse('store/conflict', `another run writes in the package; where none runs, delete ${lock}`);
    }
    this.#drafts.add(lock);
    try {
      return await this.#writeAll(changed);
    } finally {
      await rm(lock, { force: true });
      this.#drafts.delete(lock);
    }
  }

  async #writeAll(changed: readonly PackageText[]): Promise<Outcome<void>> {
    // all of them before the first is written
    for (const { path } of changed) if (!(await this.#isAsRead(path))) return changedMeanwhile(path);
    for (const each of changed) if (!(await this.#replaced(each))) return changedMeanwhile(each.path);
    return accept(undefined);
  }

  async #replaced({ path, text }: PackageText): Promise<boolean> {
    const target = join(this.#folder, path);
    const draft = `${target}.${randomBytes(DRAFT_BYTES).toString('hex')}.tmp`;
    this.#drafts.add(draft);
    try {
      await writeFile(draft, text, { mode: (await stat(target)).mode, flag: 'wx' });
      if (!(await this.#isAsRead(path))) return false;
      await rename(draft, target);
      this.#read.set(path, text);
      return true;
    } finally {
      await rm(draft, { force: true });
      this.#drafts.delete(draft);
    }
  }

  // A file that is reached by a link by now is another one.
  async #isAsRead(path: string): Promise<boolean> {
    try {
      const target = join(await realpath(this.#folder), path);
      return (await realpath(target)) === target && (await readFile(target, 'utf8')) === this.#read.get(path);
    } catch (error) {
      if (reasonOf(error) !== 'ENOENT') throw error;
      return false;
    }
  }
}

function changedMeanwhile(path: string): Outcome<never> {
  const message = `${path} was changed by another program meanwhile, and is left as it is; run again, which gives the same addresses`;
  return refuse('store/conflict', message, { field: path });
}

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown reason';
