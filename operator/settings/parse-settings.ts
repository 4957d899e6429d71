import type { Refusal } from '../errors/outcome';
import { allowedValues, defaultText } from './allowed-values';
import { doorProblems, hasWebhooks } from './door-settings';
import { nearest } from './nearest';
import type { Option } from './option';
import { OPTIONS, WHY_ADMIT_NEEDS_CLAIMS, type OptionName, type Settings } from './options';
import { parseValue, type SettingValue } from './parse-value';
import { NETBOX_FLAGS, netboxProblems } from './netbox-settings';
import { SIGNAL_FLAGS, signalProblems } from './signal-settings';
import { CLUSTER_API_FLAGS, clusterApiProblems } from './cluster-api-options';
import { egressProblems } from './egress-options';
import { NETWORKS_FLAGS, networksProblems } from './networks-options';
import { VIPS_FLAGS, vipsProblems } from './vips-settings';
import { storeProblems, type StoreFields } from './store-settings';

/** Arguments and environment of the process. */
export interface SettingsInput {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** All settings, or everything that is wrong with them. */
export type ParsedSettings =
  { readonly ok: true; readonly value: Settings } | { readonly ok: false; readonly problems: readonly Refusal[] };

const NAMES = Object.keys(OPTIONS) as OptionName[];
const STORE_FIELDS: StoreFields = {
  store: OPTIONS.store.flag,
  replicas: OPTIONS.replicas.flag,
  postgresDsnFile: OPTIONS.postgresDsnFile.flag,
  ipamApiUrl: OPTIONS.ipamApiUrl.flag,
  ipamApiTokenFile: OPTIONS.ipamApiTokenFile.flag,
  ipamApiLoginCertPath: OPTIONS.ipamApiLoginCertPath.flag,
  ipamApiBindAddress: OPTIONS.ipamApiBindAddress.flag,
  cleanupEventsUrl: OPTIONS.cleanupEventsUrl.flag,
  historyDays: OPTIONS.historyDays.flag,
  historyRowsPerNamespace: OPTIONS.historyRowsPerNamespace.flag,
  recoverableSecrets: OPTIONS.recoverableSecrets.flag,
};
const OPTION_OF_FLAG: ReadonlyMap<string, OptionName> = new Map(NAMES.map((name) => [OPTIONS[name].flag, name]));

/** Where a text came from, for messages. */
interface Given {
  readonly text: string;
  readonly source: string;
}

/**
 * Reads flags and environment into settings; a flag wins over its variable, and an empty variable counts as not set.
 *
 * @param input - arguments after the program's name, and the environment
 * @returns deep-frozen settings, or every problem at once (`settings/invalid`), each with the flag or variable at fault
 */
export function parseSettings(input: SettingsInput): ParsedSettings {
  const { given, problems } = readArguments(input.argv);
  const values: Partial<Record<OptionName, SettingValue>> = {};
  for (const name of NAMES) {
    // Unknown IPAM_* variables are no error: Kubernetes adds some for every Service named ipam-… in the namespace.
    const option: Option = OPTIONS[name];
    const found = given.get(name) ??
      fromEnvironment(option, input.env) ?? { text: defaultText(option), source: 'default' };
    const parsed = parseValue(option, found.text);
    if (parsed === undefined) problems.push(notAllowed(option, found));
    else values[name] = parsed.value;
  }
  // Complete here: a missing value has added a problem.
  const settings = values as Settings;
  if (problems.length === 0) problems.push(...contradictions(settings, (name) => given.has(name)));
  return problems.length === 0 ? { ok: true, value: Object.freeze(settings) } : { ok: false, problems };
}

function fromEnvironment(option: Option, env: SettingsInput['env']): Given | undefined {
  const text = env[option.env];
  return text === undefined || text === '' ? undefined : { text, source: option.env };
}

function readArguments(argv: readonly string[]): { given: Map<OptionName, Given>; problems: Refusal[] } {
  const given = new Map<OptionName, Given>();
  const problems: Refusal[] = [];
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const equals = argument.indexOf('=');
    const flag = equals < 0 ? argument : argument.slice(0, equals);
    const name = OPTION_OF_FLAG.get(flag);
    if (name === undefined) {
      problems.push(unknownArgument(flag));
      continue;
    }
    const text = equals < 0 ? nextText(OPTIONS[name], rest) : argument.slice(equals + 1);
    if (text === undefined) problems.push(problem(flag, `${flag} needs a value; give ${allowedValues(OPTIONS[name])}`));
    else if (given.has(name)) problems.push(problem(flag, `${flag} is given more than once; give it once`));
    else given.set(name, { text, source: flag });
  }
  return { given, problems };
}

// A switch needs no value, and takes the next argument only where it is one: there are no other words.
function nextText(option: Option, rest: string[]): string | undefined {
  if (option.type === 'switch') return rest[0] === 'true' || rest[0] === 'false' ? rest.shift() : 'true';
  return rest[0] === undefined || rest[0].startsWith('--') ? undefined : rest.shift();
}

function problem(field: string, message: string, details: Partial<Refusal> = {}): Refusal {
  return { code: 'settings/invalid', field, message, ...details };
}

// The part after "=" is not repeated: it may be a secret that was given by mistake.
function unknownArgument(flag: string): Refusal {
  if (!flag.startsWith('-')) {
    return problem('arguments', 'the operator takes options only, no other words; see --help for the list');
  }
  const suggestion = nearest(flag, [...OPTION_OF_FLAG.keys()]);
  if (suggestion === undefined) return problem(flag, `option ${flag} is not known; see --help for the list`);
  return problem(flag, `option ${flag} is not known; did you mean ${suggestion}?`, { suggestion });
}

function notAllowed(option: Option, { text, source }: Given): Refusal {
  const message = `value "${text}" of ${source} is not allowed; give ${allowedValues(option)}`;
  const suggestion = defaultText(option);
  return problem(source, message, suggestion === '' ? { value: text } : { value: text, suggestion });
}

function contradictions(settings: Settings, byFlag: (name: OptionName) => boolean): readonly Refusal[] {
  const found: Refusal[] = [
    ...storeProblems(settings, STORE_FIELDS),
    ...aloneProblems(settings),
    ...zonePoolProblems(settings),
    ...netboxProblems(settings, NETBOX_FLAGS),
    ...signalProblems(settings, SIGNAL_FLAGS),
    ...vipsProblems(settings, VIPS_FLAGS),
    ...clusterApiProblems(settings, CLUSTER_API_FLAGS),
    ...networksProblems(settings, NETWORKS_FLAGS),
    ...egressProblems(settings),
  ];
  if (byFlag('clusterFamilies') && !settings.standalone) {
    found.push(
      problem('--cluster-families', '--cluster-families describes a simulated cluster; give it with --standalone only'),
    );
  }
  for (const [name, value] of [
    ['--webhook-cert-name', settings.webhookCertName],
    ['--webhook-cert-key', settings.webhookCertKey],
  ] as const) {
    if (value === '' || value.includes('/')) {
      found.push(
        problem(name, `value "${value}" of ${name} is not a file name; the folder belongs in --webhook-cert-path`, {
          value,
        }),
      );
    }
  }
  return found;
}

function aloneProblems(settings: Settings): readonly Refusal[] {
  const { ipamApiBindAddress, selfSignedSecret, metricsBindAddress, metricsCertPath } = settings;
  const flags = { services: OPTIONS.services.flag, ipamApi: OPTIONS.ipamApiBindAddress.flag };
  const doors = doorProblems({ ...settings, ipamApi: ipamApiBindAddress !== undefined }, flags);
  const servesMetrics = metricsBindAddress !== undefined && metricsCertPath === '';
  if (hasWebhooks(settings) || servesMetrics || selfSignedSecret === '') return doors;
  const { flag } = OPTIONS.selfSignedSecret;
  const instead = OPTIONS.ipamApiCertPath.flag;
  const users = `the webhooks, of which there are none with ${flags.services}=false and without ${OPTIONS.egress.flag}, and for ${OPTIONS.metricsBindAddress.flag} without ${OPTIONS.metricsCertPath.flag}`;
  const message = `${flag}: its CA is for ${users}; give ${instead}`;
  return [...doors, problem(flag, message)];
}

function zonePoolProblems({ standalone, whenUnavailable, zonePools }: Settings): readonly Refusal[] {
  // without a cluster there is no MetalLB, and so no pool to take an address from
  if (standalone || whenUnavailable !== 'admit' || zonePools === 'claims') return [];
  return [
    problem(
      OPTIONS.whenUnavailable.flag,
      `${OPTIONS.whenUnavailable.flag}=admit needs ${OPTIONS.zonePools.flag}=claims, since ${WHY_ADMIT_NEEDS_CLAIMS}; set it, or leave deny`,
      { value: 'admit', suggestion: 'deny' },
    ),
  ];
}
