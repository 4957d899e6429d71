import { readFileSync } from 'node:fs';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { OPTIONS } from '../../settings/options';
import { apiCaller, type ApiCaller } from './api-caller';

/** Longest path of a socket that the kernel takes, see unix(7); the operator itself takes shorter ones only. */
const MAX_SOCKET_BYTES = 107;

/** Options of the command line that say where the server is. */
export interface ConnectionOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly socket?: string;
  readonly timeout: number;
}

/**
 * Finds the server: the one that is named, else the operator's admin socket.
 *
 * @param options - of the command line
 * @param env - environment, which may name another socket
 * @returns the caller, or what is wrong with the options
 */
export function connect(options: ConnectionOptions, env: NodeJS.ProcessEnv): Outcome<ApiCaller> {
  const { server, socket } = options;
  if (server !== undefined)
    return socket === undefined
      ? atServer(server, options)
      : refuse('settings/invalid', 'give --server or --socket, not both');
  if (options.tokenFile !== undefined || options.caFile !== undefined)
    return refuse('settings/invalid', '--token-file and --ca-file belong to --server, which is not given');
  const { env: variable, default: standard } = OPTIONS.adminSocket;
  const named = env[variable] ?? '';
  const socketPath = socket ?? (named === '' ? standard : named);
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_BYTES) {
    const place = socket === undefined ? variable : '--socket';
    return refuse(
      'settings/invalid',
      `${place}: "${socketPath}" is no path of a socket; such a path has at most ${MAX_SOCKET_BYTES} bytes`,
    );
  }
  return accept(apiCaller({ url: new URL('http://localhost'), socketPath, timeoutMs: options.timeout * 1_000 }));
}

function atServer(server: string, { tokenFile, caFile, timeout }: ConnectionOptions): Outcome<ApiCaller> {
  const url = serverUrl(server);
  if (!url.ok) return url;
  const token = fileText(tokenFile, '--token-file');
  const ca = fileText(caFile, '--ca-file');
  if (!token.ok) return token;
  if (!ca.ok) return ca;
  return accept(
    apiCaller({
      url: url.value,
      timeoutMs: timeout * 1_000,
      ...(token.value === undefined ? {} : { token: token.value.trim() }),
      ...(ca.value === undefined ? {} : { ca: ca.value }),
    }),
  );
}

function serverUrl(text: string): Outcome<URL> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || url.username + url.password !== '')
    return refuse('settings/invalid', '--server is not a URL with https:// and without a login in it');
  if (/\/v[0-9]+\/*$/u.test(url.pathname))
    return refuse('settings/invalid', '--server ends with a version; leave it out, since only version 3 is spoken');
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !loopback)
    return refuse(
      'settings/invalid',
      '--server begins with http://, which is for this very machine only; use https://',
    );
  return accept(url);
}

/**
 * Reads a file of a login.
 *
 * @param path - the file; undefined where the option was left out
 * @param option - its name, for the message
 * @returns the text, undefined without a file; `settings/invalid` where it cannot be read
 */
export function fileText(path: string | undefined, option: string): Outcome<string | undefined> {
  if (path === undefined) return accept(undefined);
  try {
    return accept(readFileSync(path, 'utf8'));
  } catch (error) {
    return refuse('settings/invalid', `${option}: "${path}" cannot be read (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown reason';
}
