import { isBuiltin } from 'node:module';
import { accept, refuse, type Outcome } from '../../errors/outcome';

/**
 * Refuses a command on the store file where Node.js has no SQLite.
 *
 * @param command - its name
 * @returns refusal `settings/invalid` with the version that is needed
 */
export function requireSqlite(command: string): Outcome<undefined> {
  if (!isBuiltin('node:sqlite')) {
    const message = `${command} needs Node.js 22.13 or newer, which brings SQLite, and this is ${process.versions.node}; commands that open no store file work with it`;
    return refuse('settings/invalid', message);
  }
  // Node.js 22 calls SQLite experimental, which is no news to the user
  process.removeAllListeners('warning');
  return accept(undefined);
}
