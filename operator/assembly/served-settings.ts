import { isBuiltin } from 'node:module';

import { IpamError } from '../errors/ipam-error';
import type { Settings } from '../settings/options';

/** Settings that need something of Node.js or of a cluster. */
export type ServedSettings = Pick<
  Settings,
  | 'store'
  | 'standalone'
  | 'metricsBindAddress'
  | 'netboxUrl'
  | 'cleanupEventsUrl'
  | 'hashKeySecret'
  | 'selfSignedSecret'
>;

/** Abilities of Node.js that a start needs; the constructs run on older versions, too. */
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
 * @param runtime - abilities of the Node.js that runs the process
 * @returns the store to open
 * @throws {@link IpamError} `settings/invalid`, with the option and what to give instead
 */
export function requireServed(settings: ServedSettings, runtime: Runtime = RUNTIME): Settings['store'] {
  const { store } = settings;
  if (store === 'sqlite' && !runtime.hasSqlite) {
    throw notServed(
      `--store: "sqlite" needs Node.js 22.13 or newer, which brings SQLite, and this is ${runtime.version}; take a newer one, or give postgres`,
    );
  }
  if (!settings.standalone) return store;
  // a remote record keeps its intents in the cluster
  if (store === 'remote')
    throw notServed('value "remote" of --store needs a cluster; give sqlite, memory or postgres with --standalone');
  if (store === 'objects')
    throw notServed(
      'value "objects" of --store needs a cluster, which has them; give sqlite, memory or postgres with --standalone',
    );
  requireNoLeader(settings);
  if (settings.metricsBindAddress !== undefined) {
    throw notServed('--metrics-bind-address needs a cluster, which knows the tokens of its callers; leave it out');
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

// Several processes can be on one database, and a Lease of the cluster would say which of them leads.
function requireNoLeader({ store, netboxUrl, cleanupEventsUrl }: ServedSettings): void {
  if (store !== 'postgres') return;
  for (const [flag, value] of [
    ['--netbox-url', netboxUrl],
    ['--cleanup-events-url', cleanupEventsUrl],
  ] as const) {
    if (value === '') continue;
    throw notServed(
      `${flag} is the work of one leader, which a cluster elects; leave it out, or give sqlite with --standalone`,
    );
  }
}

function notServed(message: string): IpamError {
  return new IpamError('settings/invalid', message);
}
