import type { Refusal } from '../errors/outcome';
import { OPTIONS, type Settings } from './options';
import { invalid, invalidField } from './refusals';

/** Settings that say where claims are kept, and those that only make sense where they are kept. */
export interface StoreSettings extends Pick<
  Settings,
  | 'store'
  | 'replicas'
  | 'postgresDsnFile'
  | 'ipamApiUrl'
  | 'ipamApiVersion'
  | 'ipamApiTokenFile'
  | 'ipamApiLoginCertPath'
  | 'cleanupEventsUrl'
> {
  /** Where it serves other clusters; undefined: it does not. */
  readonly ipamApiBindAddress: object | undefined;
  /** Undefined where the value is not known yet. */
  readonly historyDays: number | undefined;
  /** Undefined where the value is not known yet. */
  readonly historyRowsPerNamespace: number | undefined;
  /** Undefined where the value is not known yet. */
  readonly recoverableSecrets: boolean | undefined;
}

/** Names of these settings as their author knows them: flags at start, props at synth, values of the Helm chart. */
export type StoreFields = Readonly<Record<Exclude<keyof StoreSettings, 'ipamApiVersion'>, string>>;

/** A setting that has no place beside a record elsewhere. */
export interface ElsewhereSetting {
  readonly option: keyof StoreFields;
  /** Value that is the same as to leave it out; absent: nothing and the empty text. */
  readonly usual?: number | false;
  readonly message: (field: string, url: string) => string;
}

const keptThere = (field: string, url: string): string =>
  `${field}: has no effect here, since ${url} keeps the record; give it to the operator that keeps it`;

/**
 * Settings that have no place beside a record elsewhere: one process only may read the stream, keep which events were done and end what
 * other clusters hold, other clusters are served where the record is, and how long and how readable it is kept is decided there.
 * Start, synth and the Helm chart all read this list.
 */
export const ELSEWHERE = [
  {
    option: 'cleanupEventsUrl',
    message: (field: string, url: string): string =>
      `${field}: there is no record here with ${url}; give it to the operator that keeps the record`,
  },
  {
    option: 'ipamApiBindAddress',
    message: (field: string, url: string): string =>
      `${field}: there is no store here to serve; give other clusters ${url} as well`,
  },
  { option: 'historyDays', usual: OPTIONS.historyDays.default, message: keptThere },
  { option: 'historyRowsPerNamespace', usual: OPTIONS.historyRowsPerNamespace.default, message: keptThere },
  { option: 'recoverableSecrets', usual: OPTIONS.recoverableSecrets.default, message: keptThere },
] as const satisfies readonly ElsewhereSetting[];

/**
 * Says that a setting belongs to a record of zones, which the store objects does not have.
 *
 * @param field - name of the setting
 * @returns one sentence
 */
export function withoutRecordMessage(field: string): string {
  return `${field}: has no effect with the store objects, which keeps no record of zones; leave it out, or take another store`;
}

/**
 * Says that version 3 has to know its caller.
 *
 * @param token - name of the setting with the token
 * @param certificate - name of the setting with the client certificate
 * @returns one sentence
 */
export function loginMessage(token: string, certificate: string): string {
  return `the store remote with version 3 of the IPAM-API needs ${token} or ${certificate}, and neither is set`;
}

/**
 * Finds what stands against a store: more processes than it has owners, or no way to reach it.
 *
 * @param settings - what was set; an empty text is "not set"
 * @param fields - names for the messages
 * @returns every problem at once, `settings/invalid`
 */
export function storeProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  return [...problemsOfStore(settings, fields), ...remoteOnlyProblems(settings, fields)];
}

/** Settings of the store remote alone. */
const REMOTE_ONLY = ['ipamApiUrl', 'ipamApiTokenFile', 'ipamApiLoginCertPath'] as const;

// An operator that was meant to keep its claims elsewhere must not begin a record of its own.
function remoteOnlyProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  const { store } = settings;
  if (store === 'remote') return [];
  return REMOTE_ONLY.filter((option) => settings[option] !== '').map((option) =>
    invalidField(fields[option], `has no effect with the store ${store}; leave it out, or set the store remote`),
  );
}

function problemsOfStore(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  switch (settings.store) {
    case 'sqlite':
      return replicaProblem(settings, fields, 'is not possible with the SQLite store, whose file has one owner');
    case 'memory':
      return replicaProblem(settings, fields, 'is not possible with the store memory, which ends with its process');
    case 'postgres':
      return settings.postgresDsnFile === '' ? [missing('postgres', fields.postgresDsnFile)] : [];
    case 'remote':
      return remoteProblems(settings, fields);
    case 'objects':
      return withoutRecordProblems(settings, fields);
  }
}

function replicaProblem({ replicas }: StoreSettings, fields: StoreFields, why: string): readonly Refusal[] {
  if (replicas === 1) return [];
  const value = String(replicas);
  const message = `${fields.replicas}: ${value} ${why}; leave it at 1`;
  return [{ code: 'settings/invalid', field: fields.replicas, message, value, suggestion: '1' }];
}

function missing(store: string, field: string): Refusal {
  return invalid(field, `the store ${store} needs ${field}, which is not set`);
}

function remoteProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  const elsewhere = elsewhereProblems(settings, fields);
  if (settings.ipamApiUrl === '') return [missing('remote', fields.ipamApiUrl), ...elsewhere];
  const wrong = urlProblem(settings.ipamApiUrl);
  return [
    ...(wrong === undefined ? [] : [invalid(fields.ipamApiUrl, `${fields.ipamApiUrl}: ${wrong}`)]),
    ...loginProblems(settings, fields),
    ...elsewhere,
  ];
}

function loginProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  const { ipamApiVersion, ipamApiTokenFile, ipamApiLoginCertPath } = settings;
  if (ipamApiVersion === '2') return ipamApiTokenFile === '' ? [] : [uselessToken(fields.ipamApiTokenFile)];
  if (ipamApiTokenFile !== '' || ipamApiLoginCertPath !== '') return [];
  return [invalid(fields.ipamApiTokenFile, loginMessage(fields.ipamApiTokenFile, fields.ipamApiLoginCertPath))];
}

function elsewhereProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  return ELSEWHERE.filter((each) => isGiven(settings, each)).map(({ option, message }) =>
    invalid(fields[option], message(fields[option], fields.ipamApiUrl)),
  );
}

// What needs a record of zones here or elsewhere: objects hold what IPGroups and networks give.
function withoutRecordProblems(settings: StoreSettings, fields: StoreFields): readonly Refusal[] {
  return ELSEWHERE.filter((each) => isGiven(settings, each)).map(({ option }) =>
    invalid(fields[option], withoutRecordMessage(fields[option])),
  );
}

const isGiven = (settings: StoreSettings, { option, usual }: ElsewhereSetting): boolean =>
  settings[option] !== undefined && settings[option] !== '' && settings[option] !== usual;

const uselessToken = (field: string): Refusal =>
  invalidField(
    field,
    'version 2 of the IPAM-API knows no login, so a token has no use; leave it out, or speak version 3',
  );

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
