import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname, isAbsolute, resolve } from 'node:path';

import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { parseDocument } from 'yaml';

import { isMap, listOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import { codeOf, keptLogin, type Credentials, type Login, type TlsMaterial } from './credentials';

/** Which entry of which file. */
export interface KubeconfigOptions {
  readonly path: string;
  /** The file's current context by default. */
  readonly context?: string;
  readonly clock: Clock;
}

interface Loaded {
  readonly config: KubeConfig;
  readonly server: URL;
  readonly tokenFile: string | undefined;
  readonly proxied: boolean;
}

/**
 * Uses a kubeconfig: client certificates, tokens, token files, passwords and exec plugins. After a refused login the file is read
 * again, since other tools write new tokens into it.
 *
 * @param options - file and context
 * @returns where the API server is, and what each request to it carries
 * @throws IpamError `settings/invalid` when the file or its context cannot be used; never with text of the file
 */
export async function kubeconfigCredentials(options: KubeconfigOptions): Promise<Credentials> {
  let loaded: Loaded | undefined = await load(options);
  const { server } = loaded;
  const kept = keptLogin(options.clock, async () => {
    loaded ??= await load(options);
    return loginOf(loaded, options.path);
  });
  return {
    server,
    login: kept.login,
    refused: (login) => {
      loaded = undefined;
      kept.refused(login);
    },
  };
}

async function load(options: KubeconfigOptions): Promise<Loaded> {
  const { path } = options;
  const document = await readDocument(path);
  const name = options.context ?? textOf(document['current-context']);
  const context = entry(document, ['contexts', name, 'context']);
  if (context === undefined) throw invalid(path, `has no context "${name}"`);
  const cluster = entry(document, ['clusters', textOf(context['cluster']), 'cluster']);
  if (cluster === undefined) throw invalid(path, `has no cluster for context "${name}"`);
  const user = entry(document, ['users', textOf(context['user']), 'user']) ?? {};
  const server = serverOf(cluster, path);
  // The config module alone, and only where a kubeconfig is used: it costs a tenth of a second.
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify(reduced({ name, cluster, user, path, context })));
    config.makePathsAbsolute(dirname(resolve(path)));
  } catch (thrown) {
    throw invalid(path, `cannot be used (${codeOf(thrown)})`);
  }
  const tokenFile = textOf(user['token']) === '' ? textOf(user['tokenFile']) : '';
  return {
    config,
    server,
    tokenFile: tokenFile === '' ? undefined : resolve(dirname(path), tokenFile),
    proxied: textOf(cluster['proxy-url']) !== '',
  };
}

async function readDocument(path: string): Promise<JsonMap> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw invalid(path, `cannot be read (${codeOf(thrown)})`);
  }
  const document = parseDocument(text);
  const [problem] = document.errors;
  // The parser's own message quotes the line, which may be a token.
  if (problem !== undefined) throw invalid(path, `is no YAML (line ${problem.linePos?.[0].line ?? 1})`);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isMap(value)) throw invalid(path, 'is no YAML object');
  return value;
}

function entry(document: JsonMap, [list, name, member]: readonly [string, string, string]): JsonMap | undefined {
  const found = listOf(document[list]).find((item) => isMap(item) && item['name'] === name);
  const value = isMap(found) ? found[member] : undefined;
  return isMap(value) ? value : undefined;
}

function serverOf(cluster: JsonMap, path: string): URL {
  const text = textOf(cluster['server']);
  if (!/^https?:\/\//u.test(text) || !URL.canParse(text)) throw invalid(path, `names no server, but "${text}"`);
  return new URL(text);
}

/** The parts of a kubeconfig that are in use. */
interface UsedParts {
  readonly name: string;
  readonly context: JsonMap;
  readonly cluster: JsonMap;
  readonly user: JsonMap;
  readonly path: string;
}

// What is not in use cannot fail; and a token file is read by us, since the library does not know the key `tokenFile`.
function reduced({ name, context, cluster, user, path }: UsedParts): JsonMap {
  const { tokenFile: _tokenFile, exec, ...plainUser } = user;
  const plainServer = textOf(cluster['server']).startsWith('http:');
  return {
    'current-context': name,
    contexts: [{ name, context: { ...context, cluster: name, user: name } }],
    // The library wants this for a server without TLS, where it means nothing.
    clusters: [{ name, cluster: plainServer ? { ...cluster, 'insecure-skip-tls-verify': true } : cluster }],
    users: [{ name, user: isMap(exec) ? { ...plainUser, exec: completeExec(exec, path) } : plainUser }],
  };
}

// kubectl resolves the command from the kubeconfig's folder and tells the plugin what it may do; the library does neither.
function completeExec(exec: JsonMap, path: string): JsonMap {
  const command = textOf(exec['command']);
  const info = { kind: 'ExecCredential', apiVersion: textOf(exec['apiVersion']), spec: { interactive: false } };
  return {
    ...exec,
    command: command.includes('/') && !isAbsolute(command) ? resolve(dirname(path), command) : command,
    env: [{ name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }, ...listOf(exec['env'])],
  };
}

async function loginOf({ config, tokenFile, proxied }: Loaded, path: string): Promise<Login> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
    const headers = headersOf(options);
    if (options.auth) headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    if (tokenFile !== undefined) headers['authorization'] = `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`;
    const agent = proxied && typeof options.agent === 'object' ? options.agent : undefined;
    return { headers, tls: tlsOf(options), ...(agent === undefined ? {} : { agent }) };
  } catch (thrown) {
    const exec = config.getCurrentUser()?.exec as { readonly command?: string } | undefined;
    const source = exec === undefined ? 'a file that it names' : `its exec plugin "${exec.command ?? ''}"`;
    throw new IpamError(
      'cluster/unavailable',
      `kubeconfig "${path}" gives no login: ${source} failed (${codeOf(thrown)})`,
    );
  }
}

function headersOf({ headers }: RequestOptions): Record<string, string> {
  // the library sets single texts only, under names of any case
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function tlsOf(options: RequestOptions): TlsMaterial {
  const { ca, cert, key, passphrase, servername, rejectUnauthorized } = options;
  const all = { ca, cert, key, passphrase, servername, rejectUnauthorized };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function invalid(path: string, what: string): IpamError {
  return new IpamError(
    'settings/invalid',
    `kubeconfig "${path}" ${what}; name a kubeconfig and a context that kubectl takes`,
  );
}
