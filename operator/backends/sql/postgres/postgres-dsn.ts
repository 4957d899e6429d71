import type { ConnectionOptions } from 'node:tls';
import { IpamError } from '../../../errors/ipam-error';

/** Where and how to connect, without what proves the identity. */
export interface PostgresAddress {
  /** Name or address of the server, or the folder of its Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
}

/** A connection string, taken apart. */
export interface PostgresDsn extends PostgresAddress {
  readonly user: string;
  readonly password: string | undefined;
  readonly applicationName: string;
  readonly tls: 'disable' | 'require' | 'verify-ca' | 'verify-full';
}

const DEFAULT_PORT = 5432;
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const KNOWN = new Set(['sslmode', 'host', 'application_name']);
const SHAPE = 'postgresql://<user>:<password>@<host>:5432/<database>?sslmode=verify-full';

function wrong(why: string): IpamError {
  return new IpamError('settings/invalid', `the connection string of PostgreSQL ${why}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // the broken text may be the password
    throw wrong('has a "%" that is not the start of an escape; write it as %25');
  }
}

function urlOf(text: string): URL {
  const trimmed = text.trim();
  if (trimmed === '') throw wrong(`is empty; give ${SHAPE}`);
  // never with a cause: the error of URL holds its input
  if (!URL.canParse(trimmed)) {
    throw wrong(`cannot be read; give ${SHAPE}, with special characters of the password as %XX`);
  }
  const url = new URL(trimmed);
  if (url.protocol !== 'postgresql:' && url.protocol !== 'postgres:')
    throw wrong(`is no URL of PostgreSQL; give ${SHAPE}`);
  return url;
}

function tlsMode(asked: string | null, host: string): PostgresDsn['tls'] {
  if (asked === null) return host.startsWith('/') ? 'disable' : 'verify-full';
  const mode = TLS_MODES.find((each) => each === asked);
  if (mode === undefined) throw wrong(`has an sslmode that is not one of ${TLS_MODES.join(', ')}`);
  return mode;
}

/**
 * Reads a connection string.
 *
 * @param text - a URL; blanks and line ends around it are left out
 * @returns its parts; without `sslmode` the server's certificate is verified, but for Unix sockets
 * @throws {@link IpamError} `settings/invalid`; the message never quotes any part of the text
 */
export function parseDsn(text: string): PostgresDsn {
  const url = urlOf(text);
  const query = url.searchParams;
  if ([...query.keys()].some((name) => !KNOWN.has(name))) {
    throw wrong(`has a parameter that is not one of ${[...KNOWN].join(', ')}; leave it out`);
  }
  const host = query.get('host') ?? decoded(url.hostname).replace(/^\[(.*)\]$/u, '$1');
  const user = decoded(url.username);
  const database = decoded(url.pathname.slice(1));
  for (const [name, value] of Object.entries({ host, user, database })) {
    if (value === '') throw wrong(`names no ${name}; give ${SHAPE}`);
  }
  return {
    host,
    user,
    database,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    password: url.password === '' ? undefined : decoded(url.password),
    applicationName: query.get('application_name') ?? 'cdk8s-ipam',
    tls: tlsMode(query.get('sslmode'), host),
  };
}

/**
 * Says how the server is verified.
 *
 * @param dsn - the connection string
 * @param ca - CA certificates in PEM; absent: those of Node.js
 * @returns options of TLS; false: without it
 */
export function tlsOptions({ tls }: PostgresDsn, ca: string | undefined): ConnectionOptions | false {
  if (tls === 'disable') return false;
  const trust = ca === undefined ? {} : { ca };
  // as libpq: "require" alone encrypts, and verifies nothing unless there is a CA
  if (tls === 'require' && ca === undefined) return { rejectUnauthorized: false };
  const chainOnly = tls === 'verify-full' ? {} : { checkServerIdentity: () => undefined };
  return { ...trust, ...chainOnly, rejectUnauthorized: true };
}
