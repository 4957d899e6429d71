import { createWriteStream, existsSync, openSync } from 'node:fs';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { refusalOfAnswer, wholeText } from '../calls/api-caller';
import type { CommandParts } from '../arguments/command-parts';
import type { Report } from '../output/report';
import { UNWRITABLE } from '../arguments/unwritable';

const BY_SOCKET_ONLY =
  'a backup is made by the admin socket only; run this in the Pod of the operator and leave --server out';

const isThere = (path: string): string =>
  `the backup "${path}" cannot be written (a file of that name is there already; give another name, or remove it)`;

/**
 * Adds `ipam backup`.
 *
 * @param parts - program and how to run
 */
export function addBackup({ program, run, output, drafts }: CommandParts): void {
  program
    .command('backup')
    .argument('<file>', 'where to; - writes to standard output')
    .description('copy the SQLite store while the operator runs; by the admin socket only. Keep the keys with it')
    .action((path: string) =>
      run(async (api) => {
        if (!api.isLocal) return refuse('settings/invalid', BY_SOCKET_ONLY, { field: '--server' });
        // the last good backup may be what a disaster leaves
        if (path !== '-' && existsSync(path)) return refuse('settings/invalid', isThere(path));
        const answer = await api.open(ADMIN_PATHS.backup);
        if (!answer.ok) return answer;
        if (answer.value.statusCode !== 200) return refusedBackup(answer.value);
        return path === '-' ? toOutput(answer.value, output) : toFile(answer.value, { path, drafts });
      }),
    );
}

async function refusedBackup(answer: IncomingMessage): Promise<Outcome<never>> {
  const told = await wholeText(answer);
  if (!told.ok) return told;
  const { status, text } = told.value;
  try {
    return { ok: false, refusal: refusalOfAnswer(status, JSON.parse(text)) };
  } catch {
    return { ok: false, refusal: refusalOfAnswer(status, undefined) };
  }
}

async function toOutput(answer: IncomingMessage, output: NodeJS.WritableStream): Promise<Outcome<Report>> {
  try {
    await pipeline(answer, output, { end: false });
  } catch {
    return refuse('store/unavailable', 'the backup broke off; what was written is of no use');
  }
  return accept({ value: undefined, table: [], silent: true });
}

// A file that is not complete never has the name of the backup.
async function toFile(
  answer: IncomingMessage,
  { path, drafts }: { readonly path: string; readonly drafts: Set<string> },
): Promise<Outcome<Report>> {
  const draft = `${path}.part`;
  let bytes: number;
  try {
    // a draft that was there before is not ours, and no signal comes between these two
    const fd = openSync(draft, 'wx', 0o600);
    drafts.add(draft);
    const file = createWriteStream(draft, { fd, flush: true });
    await pipeline(answer, file);
    await rename(draft, path);
    bytes = file.bytesWritten;
  } catch (error) {
    answer.destroy();
    if (drafts.has(draft)) await rm(draft, { force: true });
    return unwritten(path, (error as NodeJS.ErrnoException).code ?? 'unknown reason');
  } finally {
    drafts.delete(draft);
  }
  return accept({ value: { file: path, bytes }, table: [`wrote ${bytes} bytes to ${path}`] });
}

/** Reasons that no later try takes away. */
const LASTING: Readonly<Record<string, string>> = {
  EEXIST: 'another backup writes to it, or one was killed; remove the file that ends with .part in the second case',
  EISDIR: 'it is a folder',
  EROFS: 'what is there can only be read',
  ...UNWRITABLE,
};

function unwritten(path: string, code: string): Outcome<never> {
  const why = LASTING[code];
  const message = `the backup "${path}" cannot be written (${why ?? code})`;
  return refuse(why === undefined ? 'store/unavailable' : 'settings/invalid', message);
}
