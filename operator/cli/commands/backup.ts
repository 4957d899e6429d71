import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { refusalOfAnswer, wholeText } from '../api-caller';
import type { CommandParts } from '../command-parts';
import type { Report } from '../report';

/** Where the admin socket serves the backup. */
const BACKUP_PATH = '/backup';

/**
 * Adds `ipam backup`.
 *
 * @param parts - program and how to run
 */
export function addBackup({ program, run, output }: CommandParts): void {
  program
    .command('backup')
    .argument('<file>', 'where to; - writes to standard output')
    .description('copy the SQLite store while the operator runs; by the admin socket only. Keep the keys with it')
    .action((path: string) =>
      run(async (api) => {
        const answer = await api.open(BACKUP_PATH);
        if (!answer.ok) return answer;
        if (answer.value.statusCode !== 200) return refusedBackup(answer.value);
        return path === '-' ? toOutput(answer.value, output) : toFile(answer.value, path);
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
async function toFile(answer: IncomingMessage, path: string): Promise<Outcome<Report>> {
  const draft = `${path}.part`;
  const file = createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true });
  try {
    await pipeline(answer, file);
    await rename(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    // a draft that was there before is not ours
    if (code !== 'EEXIST') await rm(draft, { force: true });
    return refuse('store/unavailable', `the backup "${path}" cannot be written (${code})`);
  }
  const bytes = file.bytesWritten;
  return accept({ value: { file: path, bytes }, table: [`wrote ${bytes} bytes to ${path}`] });
}
