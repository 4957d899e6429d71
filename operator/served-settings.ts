import { IpamError } from './errors/ipam-error';
import { OPTIONS, type Settings } from './settings/options';
import { unservedProblems, type ServedFields, type ServedStore } from './settings/served';

const FLAGS: ServedFields = { store: OPTIONS.store.flag, services: OPTIONS.services.flag };

/**
 * Ends the start where settings are valid but ask for something that a later release brings, or that needs a cluster.
 *
 * @param settings - from `parseSettings`
 * @returns the store to open
 * @throws {@link IpamError} `settings/invalid`, with the option and what to give instead
 */
export function requireServed(settings: Settings): ServedStore {
  const [unserved] = unservedProblems(settings, FLAGS);
  if (unserved !== undefined) throw notServed(unserved.message);
  const store = settings.store as ServedStore;
  if (!settings.standalone) return store;
  if (store === 'postgres') {
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
  return store;
}

function notServed(message: string): IpamError {
  return new IpamError('settings/invalid', message);
}
