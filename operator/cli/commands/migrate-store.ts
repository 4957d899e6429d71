import type { Moved } from '../../backends/sql/move/move-store';
import { accept } from '../../errors/outcome';
import { YES, type CommandParts } from '../arguments/command-parts';
import { requireSqlite } from '../arguments/require-sqlite';
import type { Report } from '../output/report';

interface Options {
  readonly sqliteFile: string;
  readonly postgresDsnFile: string;
  readonly postgresCaFile?: string;
  readonly yes: boolean;
  readonly cancel: boolean;
}

/**
 * Adds `ipam migrate-store`.
 *
 * @param parts - program and how to run
 */
export function addMigrateStore({ program, runHere }: CommandParts): void {
  program
    .command('migrate-store')
    .requiredOption('--sqlite-file <file>', 'file of the store, as the operator has it')
    .requiredOption('--postgres-dsn-file <file>', 'file with the connection string of an empty PostgreSQL store')
    .option('--postgres-ca-file <file>', 'CA certificates that PostgreSQL is trusted by; else those of Node.js')
    .option('--cancel', 'give up a move that did not end; the operator goes on with the file', false)
    .option(...YES)
    .description('move the claims of the SQLite store to PostgreSQL while the operator is stopped')
    .action(({ sqliteFile, postgresDsnFile, postgresCaFile, yes, cancel }: Options) =>
      runHere(async () => {
        const sqlite = requireSqlite('migrate-store');
        if (!sqlite.ok) return sqlite;
        // only here, since an older Node.js has everything that the other commands need
        const { moveStore } = await import('../../backends/sql/move/move-store.js');
        const moved = await moveStore({
          path: sqliteFile,
          dsnFile: postgresDsnFile,
          ...(postgresCaFile === undefined ? {} : { caFile: postgresCaFile }),
          what: whatOf(yes, cancel),
          nowMs: Date.now(),
        });
        return moved.ok ? accept(reportOf(moved.value, cancel)) : moved;
      }),
    );
}

function whatOf(yes: boolean, cancel: boolean): 'cancel' | 'move' | 'try' {
  if (cancel) return 'cancel';
  return yes ? 'move' : 'try';
}

const START =
  'set the store postgres now (--store, store) and start the operator; the SQLite file is kept, and no operator serves it any more';

function reportOf({ to, state, rows }: Moved, isCancelled: boolean): Report {
  const value = { to, state, rows: rows ?? null };
  const what =
    rows === undefined ? 'the claims' : `${rows.address} addresses and ${rows.holder} holders, with history,`;
  switch (state) {
    case 'moved':
      return { value, table: [`moved ${what} to ${to}`], notes: [START] };
    case 'before':
      return { value, table: [`an earlier run moved the claims to ${to}`], notes: [START] };
    case 'here':
      return isCancelled
        ? { value, table: ['the claims are in the SQLite store; nothing of them is in the other one'] }
        : { value, table: [`would move ${what} to ${to}; nothing is changed`], notes: ['add --yes to move them'] };
  }
}
