import type { Refusal } from '../errors/outcome';
import type { Settings } from './options';

/** Settings that say where claims are kept. */
export type StoreSettings = Pick<
  Settings,
  'store' | 'replicas' | 'postgresDsnFile' | 'ipamApiUrl' | 'ipamApiVersion' | 'ipamApiTokenFile'
>;

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type StoreFields = Readonly<Record<Exclude<keyof StoreSettings, 'ipamApiVersion'>, string>>;

/**
 * Finds what stands against a store: more processes than it has owners, or no way to reach it.
 *
 * @param settings - what was set; an empty text is "not set"
 * @param fields - names for the messages
 * @returns every problem at once, `settings/invalid`
 */
export function storeProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  switch (settings.store) {
    case 'sqlite':
      return replicaProblem(settings, fields, 'is not possible with the SQLite store, whose file has one owner');
    case 'memory':
      return replicaProblem(settings, fields, 'is not possible with the store memory, which ends with its process');
    case 'postgres':
      return settings.postgresDsnFile === '' ? [missing('postgres', fields.postgresDsnFile)] : [];
    case 'remote':
      return remoteProblems(settings, fields);
  }
}

function replicaProblem({ replicas }: StoreSettings, fields: StoreFields, why: string): readonly Refusal[] {
  if (replicas === 1) return [];
  const value = String(replicas);
  const message = `${fields.replicas}: ${value} ${why}; leave it at 1`;
  return [{ code: 'settings/invalid', field: fields.replicas, message, value, suggestion: '1' }];
}

function missing(store: string, field: string): Refusal {
  return { code: 'settings/invalid', field, message: `the store ${store} needs ${field}, which is not set` };
}

function remoteProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  if (settings.ipamApiUrl === '') return [missing('remote', fields.ipamApiUrl)];
  const wrong = urlProblem(settings.ipamApiUrl);
  const tokenless = settings.ipamApiVersion === '3' && settings.ipamApiTokenFile === '';
  return [
    ...(wrong === undefined
      ? []
      : [{ code: 'settings/invalid', field: fields.ipamApiUrl, message: `${fields.ipamApiUrl}: ${wrong}` } as const]),
    ...(settings.ipamApiVersion === '2' && settings.ipamApiTokenFile !== ''
      ? [uselessToken(fields.ipamApiTokenFile)]
      : []),
    ...(tokenless ? [missing('remote with version 3 of the IPAM-API', fields.ipamApiTokenFile)] : []),
  ];
}

const uselessToken = (field: string): Refusal => ({
  code: 'settings/invalid',
  field,
  message: `${field}: version 2 of the IPAM-API knows no login, so a token has no use; leave it out, or speak version 3`,
});

// A URL with a login in it is never quoted.
function urlProblem(text: string): string | undefined {
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') return `${text.includes('@') ? '' : `"${text}" is `}not a URL with https://`;
  if (url.username + url.password !== '') return 'a URL must not hold a login; give the token as a Secret';
  if (url.search + url.hash !== '') return `"${text}" has a query or fragment; give scheme, host and path only`;
  const [, version] = /\/(v[0-9]+)\/*$/i.exec(url.pathname) ?? [];
  return version === undefined
    ? undefined
    : `"${text}" ends with the version "${version}", which is a setting of its own; leave it out`;
}
