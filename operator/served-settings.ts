import { IpamError } from './errors/ipam-error';
import type { Settings } from './settings/options';

/** A store that this release can open. */
export type ServedStore = Exclude<Settings['store'], 'remote'>;

/**
 * Ends the start where settings are valid but ask for something that a later release brings.
 *
 * @param settings - from `parseSettings`
 * @returns the store to open
 * @throws {@link IpamError} `settings/invalid`, with the option and what to give instead
 */
export function requireServed(settings: Settings): ServedStore {
  if (settings.store === 'remote') {
    throw notServed('value "remote" of --store is not served by this release; give sqlite, postgres or memory');
  }
  if (!settings.services) {
    throw notServed('--services=false leaves nothing to do, since this release has no other front door; leave it out');
  }
  if (!settings.standalone) return settings.store;
  if (settings.store === 'postgres') {
    // its replicas are told apart, and led, by the cluster
    throw notServed('value "postgres" of --store needs a cluster; give sqlite or memory with --standalone');
  }
  for (const [flag, value, instead] of [
    ['--hash-key-secret-name', settings.hashKeySecret, '--hash-key-file'],
    ['--self-signed-secret-name', settings.selfSignedSecret, '--self-signed-ca-file'],
  ] as const) {
    if (value !== '')
      throw notServed(`${flag} names a Secret, which needs a cluster; give ${instead} with --standalone`);
  }
  return settings.store;
}

function notServed(message: string): IpamError {
  return new IpamError('settings/invalid', message);
}
