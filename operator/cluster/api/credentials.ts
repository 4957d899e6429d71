import { readFile } from 'node:fs/promises';
import type { Agent, OutgoingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

import { textOf } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import { SERVICE_ACCOUNT_FOLDER, type Environment } from './service-account';

/** Certificates and keys for a TLS connection to the API server. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly passphrase?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Login that one request carries. Secret: never logged, never part of an error. */
export interface Login {
  readonly headers: OutgoingHttpHeaders;
  /** The same object as long as nothing in it changed, so that connections can be kept. */
  readonly tls: TlsMaterial;
  /** Stands in for our own agent where a proxy is in the way. */
  readonly agent?: Agent;
}

/** Login of the operator at the API server, and where that is. */
export interface Credentials {
  readonly server: URL;
  /**
   * Reads what the next request carries.
   *
   * @throws IpamError `cluster/unavailable` when a file or a plugin gives nothing
   */
  login(): Promise<Login>;
  /** Forgets a login that the API server did not take (401), so that the next one is read anew. */
  refused(login: Login): void;
}

/** Longest time that a rotated token or certificate goes unnoticed; the kubelet rotates them minutes before they end. */
const FRESH_MS = 60_000;

/**
 * Keeps a login for a minute, and the connections' material as long as it is the same.
 *
 * @param clock - whose minute
 * @param read - reads files or calls a plugin
 * @returns the two functions of {@link Credentials}
 */
export function keptLogin(clock: Clock, read: () => Promise<Login>): Pick<Credentials, 'login' | 'refused'> {
  let kept: Login | undefined;
  let tls: TlsMaterial = {};
  let readMs = 0;
  let reading: Promise<Login> | undefined;
  const renew = async (): Promise<Login> => {
    try {
      const next = await read();
      tls = isDeepStrictEqual(tls, next.tls) ? tls : next.tls;
      kept = { ...next, tls };
      readMs = clock.nowMs();
      return kept;
    } finally {
      reading = undefined;
    }
  };
  return {
    login: () => {
      if (kept !== undefined && Math.abs(clock.nowMs() - readMs) < FRESH_MS) return Promise.resolve(kept);
      // one read for all that wait: a plugin may open a browser or ask a remote server
      reading ??= renew();
      return reading;
    },
    refused: (login) => {
      if (login === kept) kept = undefined;
    },
  };
}

/** Files of the ServiceAccount of the Pod, and the server to call. */
export interface InClusterOptions {
  readonly environment: Environment;
  readonly folder?: string;
  readonly clock: Clock;
}

/**
 * Uses the ServiceAccount of the Pod. Token and CA are read again each minute, since the kubelet rotates them.
 *
 * @param options - variables of the Pod, and where the ServiceAccount is mounted
 * @returns where the API server is, and what each request to it carries
 * @throws IpamError `settings/invalid` when there is no token, or the variables make no address
 */
export async function inClusterCredentials(options: InClusterOptions): Promise<Credentials> {
  const { environment, folder = SERVICE_ACCOUNT_FOLDER, clock } = options;
  const read = async (): Promise<Login> => {
    try {
      const [token, ca] = await Promise.all([
        readFile(`${folder}/token`, 'utf8'),
        readFile(`${folder}/ca.crt`, 'utf8'),
      ]);
      return { headers: { authorization: `Bearer ${token.trim()}` }, tls: { ca } };
    } catch (thrown) {
      throw new IpamError(
        'cluster/unavailable',
        `the ServiceAccount in "${folder}" cannot be read (${codeOf(thrown)})`,
      );
    }
  };
  const { login, refused } = keptLogin(clock, read);
  try {
    await login();
  } catch {
    throw new IpamError(
      'settings/invalid',
      `no kubeconfig is given and "${folder}" holds no token and CA of a ServiceAccount; run in a Pod, or name a kubeconfig`,
    );
  }
  return { server: inClusterServer(environment), login, refused };
}

function inClusterServer(environment: Environment): URL {
  // an empty variable counts as not set
  const host = environment['KUBERNETES_SERVICE_HOST'] || 'kubernetes.default.svc';
  const port = environment['KUBERNETES_SERVICE_PORT'] || '443';
  const text = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (URL.canParse(text)) return new URL(text);
  throw new IpamError(
    'settings/invalid',
    `KUBERNETES_SERVICE_HOST "${host}" and KUBERNETES_SERVICE_PORT "${port}" make no address of an API server; give a host and a port, or neither`,
  );
}

/**
 * Names a failure of the machine without its text, which may quote what was read.
 *
 * @param thrown - whatever was caught
 * @returns a code such as `ENOENT`, or the name of the error's class
 */
export function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown';
  const { code, name } = thrown as { readonly code?: unknown; readonly name?: unknown };
  return textOf(code) || textOf(name) || 'unknown';
}
