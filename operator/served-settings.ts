import { isBuiltin } from 'node:module';

import { IpamError } from './errors/ipam-error';
import type { Settings } from './settings/options';

/** What the start must know of Node.js; the constructs run on older ones, too. */
interface Runtime {
  readonly version: string;
  /** Whether there is `node:sqlite` without a flag. */
  readonly hasSqlite: boolean;
}

const RUNTIME: Runtime = { version: process.version, hasSqlite: isBuiltin('node:sqlite') };

/**
 * Ends the start where settings are valid but ask for something that this Node.js lacks, or that needs a cluster.
 *
 * @param settings - from `parseSettings`
 * @param runtime - what the process runs on
 * @returns the store to open
 * @throws {@link IpamError} `settings/invalid`, with the option and what to give instead
 */
export function requireServed(settings: Settings, runtime: Runtime = RUNTIME): Settings['store'] {
  const { store } = settings;
  if (store === 'sqlite' && !runtime.hasSqlite) {
    throw notServed(
      `--store: "sqlite" needs Node.js 22.13 or newer, which brings SQLite, and this is ${runtime.version}; take a newer one, or give postgres`,
    );
  }
  if (!settings.standalone) return store;
  if (store === 'postgres' || store === 'remote') {
    // its replicas are told apart, and led, by the cluster; a remote record keeps its intents there
    throw notServed(`value "${store}" of --store needs a cluster; give sqlite or memory with --standalone`);
  }
  for (const [flag, value, instead] of [
    ['--hash-key-secret-name', settings.hashKeySecret, '--hash-key-file'],
    ['--self-signed-secret-name', settings.selfSignedSecret, '--self-signed-ca-file'],
  ] as const) {
    if (value !== '')
      throw notServed(`${flag} names a Secret, which needs a cluster; give ${instead} with --standalone`);
  }
  return store;
}

function notServed(message: string): IpamError {
  return new IpamError('settings/invalid', message);
}
