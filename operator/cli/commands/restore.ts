import { hashKeyFile } from '../../backends/files/hash-key-file';
import type { Restored } from '../../backends/sql/sqlite/sqlite-restore';
import { openHashKey } from '../../backends/system/hash-key';
import { accept } from '../../errors/outcome';
import type { CommandParts } from '../arguments/command-parts';
import { readInput } from '../arguments/input-file';
import { requireSqlite } from '../arguments/require-sqlite';
import type { Report } from '../output/report';

interface Options {
  readonly sqliteFile: string;
  readonly hashKeyFile?: string;
  readonly force: boolean;
}

/**
 * Adds `ipam restore`.
 *
 * @param parts - program and how to run
 */
export function addRestore({ program, runHere, input }: CommandParts): void {
  program
    .command('restore')
    .argument('<file>', 'the backup; - reads standard input')
    .requiredOption('--sqlite-file <file>', 'file of the store, as the operator has it')
    .option('--hash-key-file <file>', 'the keys that the operator will have, to compare with those of the backup')
    .option('--force', 'put a newer store, or one of other keys, aside', false)
    .description('put a backup in the place of the SQLite store while the operator is stopped')
    .action((path: string, { sqliteFile, hashKeyFile: keyFile, force }: Options) =>
      runHere(async () => {
        const sqlite = requireSqlite('restore');
        if (!sqlite.ok) return sqlite;
        // only here, since an older Node.js has everything that the other commands need
        const { restoreStore } = await import('../../backends/sql/sqlite/sqlite-restore.js');
        const backup = await readInput(path, { name: 'the backup', input });
        if (!backup.ok) return backup;
        const keys = keyFile === undefined ? undefined : await openHashKey(hashKeyFile(keyFile), { mayCreate: false });
        const restored = restoreStore({
          backup: backup.value,
          path: sqliteFile,
          force,
          nowMs: Date.now(),
          ...(keys === undefined ? {} : { fingerprint: keys.fingerprint }),
        });
        return restored.ok ? accept(reportOf(restored.value, sqliteFile, keys !== undefined)) : restored;
      }),
    );
}

function reportOf({ backup, former }: Restored, path: string, compared: boolean): Report {
  const value = { addresses: backup.addresses, schemaVersion: backup.schemaVersion, movedTo: former?.movedTo ?? null };
  return {
    value,
    table: [
      `restored ${backup.addresses} addresses to ${path}`,
      ...(former === undefined ? [] : [`the former store is in ${former.movedTo}`]),
    ],
    notes: [
      'start the operator now: it compares the record with the live Services before it gives anything out',
      'an address given after the backup is adopted again by its Service; one released since then is released again',
      'what other clusters got since the backup is not on record until their operators compare again; standing claims since are lost',
      ...(compared
        ? []
        : ['the keys were not compared; the operator refuses to start with other keys than those of the backup']),
    ],
  };
}
