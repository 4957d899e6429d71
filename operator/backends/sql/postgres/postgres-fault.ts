import { IpamError } from '../../../errors/ipam-error';
import type { PostgresAddress } from './postgres-dsn';

/** Meaning of a failed statement for its caller. */
export interface PostgresFault {
  /** The same statement may succeed later, perhaps on another connection. */
  readonly again: boolean;
  /** The server may have done it all the same. */
  readonly unknown: boolean;
  /** The server understood the statement and refuses what it asks for: a fault of the program, however often it is asked. */
  readonly forGood?: true;
  /** The fault in words, without any secret. */
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

/** Data that a column does not take, constraints that no rule of ours expects, tables and functions that are not there. */
const FOR_GOOD_CLASSES = new Set(['22', '23', '42']);

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

// What class 22 says quotes the value that it does not take, which may be a hash or worse.
function refusal({ code = '', message = '' }: Thrown): string {
  const told = code.startsWith('22') || message === '' ? '' : `: ${message}`;
  return `it refuses a statement of this program (SQLSTATE ${code})${told}`;
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
  if (FOR_GOOD_CLASSES.has(code.slice(0, 2)))
    return { again: false, unknown: false, forGood: true, words: refusal(error) };
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
 * @returns `store/unavailable`; or `internal`, which gives no caller a time to ask again, where repeating cannot help
 */
export function storeError(at: PostgresAddress, fault: PostgresFault, patienceMs?: number): IpamError {
  const tried = patienceMs === undefined ? '' : ` (tried for ${Math.round(patienceMs / 1000)} s)`;
  const unknown = fault.unknown ? '; whether the change was stored is not known, so ask for it again' : '';
  const server = `${at.host}:${at.port}/${at.database}`;
  return new IpamError(
    fault.forGood === true ? 'internal' : 'store/unavailable',
    `the PostgreSQL store "${server}" failed: ${fault.words}${tried}${unknown}`,
  );
}
