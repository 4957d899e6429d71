import { IpamError } from '../../errors/ipam-error';
import type { PostgresAddress } from './postgres-dsn';

/** What a failed statement means for its caller. */
export interface PostgresFault {
  /** The same statement may succeed later, perhaps on another connection. */
  readonly again: boolean;
  /** The server may have done it all the same. */
  readonly unknown: boolean;
  /** What happened, without any secret. */
  readonly words: string;
}

/** SQLSTATEs (PostgreSQL, appendix A) that a later try can overcome; 25006 is a standby before it is promoted. */
const AGAIN = new Set([
  '40001',
  '40P01',
  '55P03',
  '57014',
  '53300',
  '53400',
  '25006',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
]);
const AGAIN_CLASSES = new Set(['08', '53', '58']);
/** Refusals at connect that do not go away by themselves. */
const CONNECT_NEVER: Readonly<Record<string, string>> = {
  '28P01': 'refused the password; check the connection string',
  '28000': 'refused the login; check the user of the connection string and pg_hba.conf',
  '3D000': 'has no such database; create it or name another one',
  '42501': 'allows the user too little; make the user the owner of the database or of the schema "ipam"',
};

interface Thrown {
  readonly code?: string;
  readonly severity?: string;
  readonly message?: string;
  readonly errors?: readonly Thrown[];
}

function wordsOf(thrown: Thrown): string {
  // an AggregateError of a name with several addresses has no message of its own
  const first = thrown.errors?.[0] ?? thrown;
  const text = first.message ?? '';
  return text === '' ? (first.code ?? 'failed for an unknown reason') : text;
}

/**
 * Judges what the driver threw.
 *
 * @param thrown - by `pg`; answers of the server have a SQLSTATE and a severity, all else is about the connection
 * @param sent - whether the statement was on its way
 * @returns what to do about it
 */
export function faultOf(thrown: unknown, sent: boolean): PostgresFault {
  const error = thrown as Thrown;
  if (error.severity === undefined) return { again: true, unknown: sent, words: wordsOf(error) };
  const code = error.code ?? '';
  const never = CONNECT_NEVER[code];
  if (never !== undefined) return { again: false, unknown: false, words: never };
  const again = AGAIN.has(code) || AGAIN_CLASSES.has(code.slice(0, 2));
  // the end of a session may come after its commit was written, before we were told
  const ended = code.startsWith('57P') || code.startsWith('08');
  return { again, unknown: sent && ended, words: wordsOf(error) };
}

/**
 * Says it to the caller of the store.
 *
 * @param at - which server
 * @param fault - what happened
 * @param patienceMs - how long it was tried, where it was
 * @returns `store/unavailable`
 */
export function unavailable(at: PostgresAddress, fault: PostgresFault, patienceMs?: number): IpamError {
  const tried = patienceMs === undefined ? '' : ` (tried for ${Math.round(patienceMs / 1000)} s)`;
  const unknown = fault.unknown ? '; whether the change was stored is not known, so ask for it again' : '';
  const server = `${at.host}:${at.port}/${at.database}`;
  return new IpamError(
    'store/unavailable',
    `the PostgreSQL store "${server}" failed: ${fault.words}${tried}${unknown}`,
  );
}
