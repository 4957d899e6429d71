import type { PostgresFault } from './postgres-fault';

/** Values of settings of a session, as the server shows them: times in milliseconds. */
export type SessionSettings = Readonly<Record<string, string>>;

/** Limits of a session. */
interface SessionLimits {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

/** Reads the settings of a session back, as arrays of name and value. */
export const READ_SETTINGS = 'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)';

/**
 * Lists what a session of the store needs, whatever the defaults of database and user are: an answered claim is on the disk, each
 * statement sees what was committed, and nothing waits for ever.
 *
 * @param limits - of its statements
 * @returns value of each setting
 */
export function sessionSettings({ statementTimeoutMs, lockTimeoutMs }: SessionLimits): SessionSettings {
  return {
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: String(lockTimeoutMs),
    idle_in_transaction_session_timeout: '10000',
    synchronous_commit: 'on',
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
    jit: 'off',
  };
}

/**
 * Writes settings as the startup parameter `options`.
 *
 * @param settings - value of each
 * @returns its text
 */
export function startupOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', String.raw`\ `)}`)
    .join(' ');
}

/** Settings that only make statements faster; a difference is no reason to refuse. */
const HARMLESS: readonly string[] = ['jit'];
/** Values that promise more than what was asked for. */
const STRONGER: Readonly<Record<string, readonly string[]>> = { synchronous_commit: ['remote_apply'] };

/**
 * Compares the settings of a new session with what it was asked for. A connection pooler may leave the startup parameter `options`
 * out, and then an answered claim may be lost with the server, and a statement may wait for ever.
 *
 * @param asked - value of each setting
 * @param rows - name and value of each, as {@link READ_SETTINGS} answers
 * @returns the fault; undefined where every setting is as it has to be
 */
export function sessionFault(asked: SessionSettings, rows: readonly (readonly unknown[])[]): PostgresFault | undefined {
  const found = new Map(rows.map(([name, value]) => [String(name), String(value)]));
  const different = Object.entries(asked).flatMap(([name, value]) => {
    const has = found.get(name) ?? 'missing';
    const isFine = has === value || HARMLESS.includes(name) || STRONGER[name]?.includes(has) === true;
    return isFine ? [] : [`${name} is ${has} and not ${value}`];
  });
  if (different.length === 0) return undefined;
  const words = `it does not take the settings of a session (${different.join(', ')}); a connection pooler such as PgBouncer drops the startup parameter "options": connect to the server itself, or set them for the user by ALTER ROLE … SET`;
  return { again: false, unknown: false, words };
}

/** Part of what poolers say that do not know the startup parameter `options`. */
const REFUSED_PARAMETER = 'unsupported startup parameter';

/**
 * Names the pooler where one refuses the start of a session.
 *
 * @param fault - of a connection that was not made
 * @returns the fault in words of the operator, or as it was
 */
export function withPoolerNamed(fault: PostgresFault): PostgresFault {
  if (!fault.words.includes(REFUSED_PARAMETER)) return fault;
  const words = `a connection pooler such as PgBouncer stands before it and refuses the startup parameter "options" (${fault.words}); connect to the server itself, or let the pooler ignore "options" and set the settings for the user by ALTER ROLE … SET`;
  return { again: false, unknown: false, words };
}
