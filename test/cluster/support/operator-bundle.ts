import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../components/recipes';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');
const SCRIPT = join(ROOT, 'test/support/bundle.mjs');
/** A bundle that nobody has used for so long is of sources that are gone. */
const FORGOTTEN_MS = 24 * 60 * 60_000;

const bundlesFolder = (): string => join(cacheFolder(), 'operator');

/** Everything that a bundle is made of: the sources, the script, and the versions of what the sources import. */
function digestOfSources(): string {
  const sources = readdirSync(join(ROOT, 'operator'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|json)$/u.test(name))
    .map((name) => join(ROOT, 'operator', name));
  const files = [SCRIPT, join(ROOT, 'package.json'), join(ROOT, 'package-lock.json'), ...sources.sort()];
  const digest = createHash('sha256').update(process.version);
  for (const file of files) digest.update(`\n${file}\n`).update(readFileSync(file));
  return digest.digest('hex').slice(0, 16);
}

function forgetOld(): void {
  for (const name of readdirSync(bundlesFolder())) {
    const folder = join(bundlesFolder(), name);
    const usedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity; // another process may be as far
    if (Date.now() - usedMs > FORGOTTEN_MS) rmSync(folder, { recursive: true, force: true });
  }
}

async function bundled(): Promise<string> {
  const digest = digestOfSources();
  const folder = join(bundlesFolder(), digest);
  if (!existsSync(folder)) {
    mkdirSync(bundlesFolder(), { recursive: true });
    forgetOld();
    // made beside its place and moved there, so that nobody ever starts half of it
    const workshop = mkdtempSync(join(bundlesFolder(), 'making-'));
    try {
      await run(process.execPath, [SCRIPT, workshop], { cwd: ROOT });
      // somebody has edited them meanwhile: whatever this is made of, it is not what it would be kept for
      if (digestOfSources() !== digest) return await bundled();
      renameSync(workshop, folder);
    } catch (thrown) {
      if (!existsSync(folder)) throw thrown; // else another process was quicker with the same
    } finally {
      rmSync(workshop, { recursive: true, force: true });
    }
  }
  utimesSync(folder, new Date(), new Date());
  return join(folder, 'operator.js');
}

let made: Promise<string> | undefined;

/**
 * Bundles the operator as its image has it, once for all files of tests that run on the same sources, since it costs as much as
 * the start of an API server; not into `lib`, where others may be at work.
 *
 * @returns path of the program
 */
export function operatorBundle(): Promise<string> {
  made ??= bundled();
  return made;
}
