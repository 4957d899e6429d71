import type { Refusal } from '../errors/outcome';
import { OPTIONS, type Settings } from './options';
import { isSafeUrl } from './safe-url';
import { invalid } from './refusals';

/** Settings that say where events come from and go to. */
type SignalSettings = Pick<
  Settings,
  'adminSocket' | 'cleanupEventsUrl' | 'cleanupEventsTokenFile' | 'splunkUrl' | 'splunkTokenFile'
>;

/** Names of these settings as their author knows them: flags at start, props at synth. */
export type SignalFields = Readonly<Record<keyof SignalSettings, string>>;

/** Names at start. */
export const SIGNAL_FLAGS: SignalFields = {
  adminSocket: OPTIONS.adminSocket.flag,
  cleanupEventsUrl: OPTIONS.cleanupEventsUrl.flag,
  cleanupEventsTokenFile: OPTIONS.cleanupEventsTokenFile.flag,
  splunkUrl: OPTIONS.splunkUrl.flag,
  splunkTokenFile: OPTIONS.splunkTokenFile.flag,
};

/** Longest path: the kernel takes 107 bytes, see unix(7), of which a longer name needs some while the socket is made. */
const MAX_SOCKET_PATH = 90;

/**
 * Finds what stands against clean-up events, the admin socket and Splunk.
 *
 * @param settings - what was set; an empty text is "not set"
 * @param fields - names for the messages
 * @returns every problem at once, `settings/invalid`
 */
export function signalProblems(settings: SignalSettings, fields: SignalFields): readonly Refusal[] {
  const { adminSocket, cleanupEventsUrl, cleanupEventsTokenFile, splunkUrl, splunkTokenFile } = settings;
  return [
    ...socketProblem(fields.adminSocket, adminSocket),
    ...urlProblem(fields.cleanupEventsUrl, cleanupEventsUrl),
    ...urlProblem(fields.splunkUrl, splunkUrl),
    ...alone(fields.cleanupEventsTokenFile, cleanupEventsTokenFile, {
      needs: fields.cleanupEventsUrl,
      given: cleanupEventsUrl,
    }),
    ...alone(fields.splunkUrl, splunkUrl, { needs: fields.splunkTokenFile, given: splunkTokenFile }),
    ...alone(fields.splunkTokenFile, splunkTokenFile, { needs: fields.splunkUrl, given: splunkUrl }),
  ];
}

function socketProblem(flag: string, path: string): readonly Refusal[] {
  // the rank of the settings has no Buffer: each escape of the URI text is one byte
  const bytes = encodeURIComponent(path).replaceAll(/%../g, 'x').length;
  if (path === '' || (path.startsWith('/') && bytes <= MAX_SOCKET_PATH)) return [];
  return [invalid(flag, `${flag}: "${path}" is not an absolute path of at most ${MAX_SOCKET_PATH} bytes`)];
}

// A URL with a login in it is never quoted.
function urlProblem(flag: string, text: string): readonly Refusal[] {
  if (text === '') return [];
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
  if (url !== undefined && isSafeUrl(url)) {
    if (url.username + url.password === '') return [];
    return [invalid(flag, `${flag}: a URL must not hold a login; give the token as a file`)];
  }
  const value = text.includes('@') ? 'the value' : `"${text}"`;
  return [invalid(flag, `${flag}: ${value} is not a URL with https://, nor with http:// on this very machine`)];
}

interface Needed {
  readonly needs: string;
  readonly given: string;
}

function alone(flag: string, value: string, { needs, given }: Needed): readonly Refusal[] {
  return value === '' || given !== '' ? [] : [invalid(flag, `${flag} needs ${needs}, which is not set`)];
}
