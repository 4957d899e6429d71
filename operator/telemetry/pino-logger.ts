import { pino, type Logger as PinoLogger } from 'pino';
import type { Clock } from '../ports/clock';
import type { LogFields, Logger } from '../ports/logger';

/** Least severe level that is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What {@link createLogger} needs. */
export interface LoggerOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Where lines go; standard output by default, written synchronously so that a crash loses none. */
  readonly destination?: { write(line: string): void };
  /** Gets each line too, after it was written; must not throw. */
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
  ...['bound', 'released', 'swept', 'count', 'connections', 'attempt', 'result', 'failures', 'waitMs', 'ms', 'why'],
  ...['call', 'resource', 'object', 'queue', 'configuration', 'lease', 'leader', 'identity'],
]);

/** Longest text of one field; a longer one is cut. */
const MAX_FIELD_CHARACTERS = 2_048;

/**
 * Makes the logger of the process: one JSON object in one line for each event, with `timestamp` (ISO 8601, UTC), `level` and
 * `message`.
 *
 * @param options - level, clock, destination
 * @returns the logger; safe to share; fields outside the list of allowed names are left out and named in `dropped`
 */
export function createLogger(options: LoggerOptions): Logger {
  const first = options.destination ?? pino.destination({ fd: 1, sync: true });
  const { also } = options;
  const stream = also === undefined ? first : both(first, also);
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

function both(first: { write(line: string): unknown }, also: (line: string) => void): { write(line: string): void } {
  return {
    write: (line) => {
      first.write(line);
      also(line);
    },
  };
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
