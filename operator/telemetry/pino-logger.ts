import { pino, type Logger as PinoLogger } from 'pino';
import type { Clock } from '../ports/clock';
import type { LogFields, Logger } from '../ports/logger';
import { lineFile, type LineSink } from './line-file';

/** Least severe level that is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Where lines go; standard output by default, written synchronously so that a crash loses none. */
  readonly destination?: LineSink;
  /** Gets each line too, whether it could be written or not; must not throw. */
  readonly also?: (line: string) => void;
}

/**
 * Names of the fields that may be logged. A list of what is allowed, since a list of what is hidden misses the next
 * secret: a body, a header or an annotation map has no name here.
 */
const ALLOWED_FIELDS: ReadonlySet<string> = new Set([
  ...['address', 'addresses', 'family', 'network', 'prefix', 'zone', 'zones', 'pool', 'holder', 'reservation', 'state'],
  ...['cluster', 'kind', 'name', 'namespace', 'service', 'uid', 'operation', 'dryRun', 'verdict', 'warnings'],
  ...['code', 'reason', 'problem', 'problems', 'field', 'error', 'cause', 'trace', 'retryAfterSeconds', 'check'],
  ...['route', 'method', 'status', 'path', 'host', 'port', 'url', 'milliseconds', 'seconds'],
  ...[
    'file',
    'folder',
    'lastSeen',
    'notAfter',
    'serial',
    'subject',
    'version',
    'commit',
    'node',
    'signal',
    'settings',
    'store',
  ],
  ...[
    'bound',
    'released',
    'swept',
    'count',
    'from',
    'to',
    'connections',
    'attempt',
    'result',
    'failures',
    'waitMs',
    'ms',
    'why',
  ],
  ...['services', 'showing', 'restored', 'conflicts', 'missing', 'oldFinalizers', 'graceMs'],
  ...['restoredAddresses', 'conflictingServices', 'missingServices'],
  ...['call', 'resource', 'object', 'queue', 'configuration', 'lease', 'leader', 'identity'],
  ...['dataplane', 'egressIpam', 'remains', 'cloud', 'client', 'source'],
  ...['namespaces', 'instances', 'prefixes', 'allocations', 'entries', 'rebound'],
]);

/** Longest text of one field; a longer one is cut. */
const MAX_FIELD_CHARACTERS = 2_048;

/**
 * Makes the logger of the process: one JSON object in one line for each event, with `timestamp` (ISO 8601, UTC), `level` and
 * `message`.
 *
 * @param options - level, clock, destination
 * @returns the logger; safe to share; it never throws: lines that cannot be written are lost, and their number is told once one can be;
 *   fields outside the list of allowed names are left out and named in `dropped`
 */
export function createLogger(options: LoggerOptions): Logger {
  const { destination = lineFile(1), also } = options;
  let lost = 0;
  const stream: LineSink = {
    write: (line) => {
      const isWritten = couldWrite(destination, line);
      also?.(line);
      if (!isWritten) lost++;
      else if (lost > 0) {
        const count = lost;
        lost = 0;
        sink.warn({ count }, 'log lines could not be written and are lost');
      }
    },
  };
  const sink = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"timestamp":"${new Date(options.clock.nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return {
    debug: writer(sink, 'debug'),
    info: writer(sink, 'info'),
    warn: writer(sink, 'warn'),
    error: writer(sink, 'error'),
  };
}

// A disk that is full, or a pipe without a reader, must not fail the request that wanted to log.
function couldWrite(destination: LineSink, line: string): boolean {
  try {
    destination.write(line);
    return true;
  } catch {
    return false;
  }
}

function writer(sink: PinoLogger, level: LogLevel): (message: string, fields?: LogFields) => void {
  return (message, fields = {}) => {
    if (sink.isLevelEnabled(level)) sink[level](allowed(fields), message);
  };
}

function allowed(fields: LogFields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (!ALLOWED_FIELDS.has(name)) dropped.push(name);
    else kept[name] = typeof value === 'string' ? value.slice(0, MAX_FIELD_CHARACTERS) : value;
  }
  return dropped.length === 0 ? kept : { ...kept, dropped };
}
