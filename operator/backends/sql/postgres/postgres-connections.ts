import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { IpamError } from '../../../errors/ipam-error';
import { parseDsn, tlsOptions, type PostgresAddress } from './postgres-dsn';
import { faultOf, type PostgresFault } from './postgres-fault';
import {
  READ_SETTINGS,
  sessionFault,
  sessionSettings,
  startupOptions,
  withPoolerNamed,
  type SessionSettings,
} from './postgres-session';

/** Where the database is and how long anything may take. */
export interface PostgresConnectionOptions {
  /** Connection string, or a function that reads it for each new connection, so that a new password needs no restart. */
  readonly dsn: string | (() => Promise<string>);
  /**
   * File with the CA certificates of the server, read for each new connection.
   *
   * @default - those of Node.js
   */
  readonly caFile?: string;
  /**
   * Longest time for a statement on the server, in milliseconds; the client waits half a second longer.
   *
   * @default 2500
   */
  readonly statementTimeoutMs?: number;
  /**
   * Longest wait for a lock of another writer, in milliseconds.
   *
   * @default 1000
   */
  readonly lockTimeoutMs?: number;
  /**
   * Longest time that the client waits for an answer, in milliseconds.
   *
   * @default - half a second longer than `statementTimeoutMs`
   */
  readonly answerTimeoutMs?: number;
}

/** One statement. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Rows as arrays, in the order of the columns. */
export type PostgresRows = readonly (readonly unknown[])[];

/** Thrown for whatever went wrong with a statement. */
export class PostgresFailure extends Error {
  readonly fault: PostgresFault;

  /**
   * Wraps a fault; never with a cause, since errors of the driver may quote values.
   *
   * @param fault - what it means
   */
  constructor(fault: PostgresFault) {
    super(fault.words);
    this.fault = fault;
  }
}

const CONNECT_TIMEOUT_MS = 2000;
const DEFAULT_STATEMENT_MS = 2500;
const DEFAULT_LOCK_MS = 1000;
const [INT8, INET] = [20, 869];
const parserOf = pg.types.getTypeParser as (oid: number, format?: string) => (text: string) => unknown;

// int8 as number: ours are times, counters and ids, all far below 2^53
const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    if (oid === INET) return String;
    return parserOf(oid, format);
  },
};

/**
 * A few connections to one database, opened when they are needed and dropped when they break. What they run is one
 * statement each, so a process that dies leaves no open transaction behind.
 *
 * Safe for parallel calls. After {@link end} every call throws `store/closed`.
 */
export class PostgresConnections {
  readonly #options: PostgresConnectionOptions;
  readonly #most: number;
  readonly #answerTimeoutMs: number;
  readonly #settings: SessionSettings;
  readonly #idle: pg.Client[] = [];
  readonly #line: (() => void)[] = [];
  #busy = 0;
  #ended = false;
  /** The server that was named last, for messages. */
  at: PostgresAddress = { host: '?', port: 0, database: '?' };

  /**
   * Opens nothing yet.
   *
   * @param options - the database
   * @param most - connections at the same time
   */
  constructor(options: PostgresConnectionOptions, most: number) {
    this.#options = options;
    this.#most = most;
    const { statementTimeoutMs = DEFAULT_STATEMENT_MS, lockTimeoutMs = DEFAULT_LOCK_MS } = options;
    this.#answerTimeoutMs = options.answerTimeoutMs ?? statementTimeoutMs + 500;
    this.#settings = sessionSettings({ statementTimeoutMs, lockTimeoutMs });
  }

  /**
   * Runs one statement.
   *
   * @param query - its text and values
   * @returns its rows
   * @throws {@link PostgresFailure}; {@link IpamError} `settings/invalid`, `store/closed`
   */
  query(query: PostgresQuery): Promise<PostgresRows> {
    return this.use((run) => run(query));
  }

  /**
   * Runs statements on one connection, which is dropped when one of them fails.
   *
   * @param work - gets a function that runs one statement
   * @returns what it returns
   * @throws {@link PostgresFailure}; {@link IpamError} `settings/invalid`, `store/closed`
   */
  async use<T>(work: (run: (query: PostgresQuery) => Promise<PostgresRows>) => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      const client = this.#idle.pop() ?? (await this.#connect());
      const done = await work((query) => this.#run(client, query)).catch((error: unknown) => {
        void client.end().catch(() => undefined);
        throw error;
      });
      this.#keep(client);
      return done;
    } finally {
      this.#busy--;
      this.#line.shift()?.();
    }
  }

  /** Closes every connection; what runs is cut off. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#idle.splice(0).map((client) => client.end().catch(() => undefined)));
  }

  async #turn(): Promise<void> {
    if (this.#ended) throw new IpamError('store/closed', 'the store was closed');
    this.#busy++;
    if (this.#busy > this.#most) await new Promise<void>((resolve) => this.#line.push(resolve));
  }

  #keep(client: pg.Client): void {
    if (this.#ended) void client.end().catch(() => undefined);
    else this.#idle.push(client);
  }

  async #run(client: pg.Client, { text, values = [] }: PostgresQuery): Promise<PostgresRows> {
    try {
      const { rows } = await client.query({ text, values: [...values], rowMode: 'array', types: TYPES });
      return rows;
    } catch (error) {
      throw new PostgresFailure(faultOf(error, true));
    }
  }

  async #connect(): Promise<pg.Client> {
    const { dsn: source, caFile } = this.#options;
    const dsn = parseDsn(typeof source === 'string' ? source : await readable(source()));
    this.at = dsn;
    const ca = caFile === undefined ? undefined : await readable(readFile(caFile, 'utf8'));
    const client = new pg.Client({
      host: dsn.host,
      port: dsn.port,
      user: dsn.user,
      database: dsn.database,
      // never from the environment or ~/.pgpass
      password: dsn.password ?? '',
      application_name: dsn.applicationName,
      ssl: tlsOptions(dsn, ca),
      ...this.#limits(),
    });
    // told by idle connections that break; those that are used fail in their statement
    const drop = (): void => {
      const index = this.#idle.indexOf(client);
      if (index >= 0) this.#idle.splice(index, 1);
    };
    client.on('error', drop);
    client.on('end', drop);
    try {
      await client.connect().catch((error: unknown) => {
        throw new PostgresFailure(withPoolerNamed(faultOf(error, false)));
      });
      await this.#checkSettings(client);
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  #limits(): pg.ClientConfig {
    return {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: this.#answerTimeoutMs,
      keepAlive: true,
      options: startupOptions(this.#settings),
    };
  }

  // A pooler on the way may have left them out.
  async #checkSettings(client: pg.Client): Promise<void> {
    const query = { text: READ_SETTINGS, values: [Object.keys(this.#settings)] };
    const rows = await this.#run(client, query).catch((error: unknown) => {
      // nothing was asked for yet
      throw error instanceof PostgresFailure ? new PostgresFailure({ ...error.fault, unknown: false }) : error;
    });
    const fault = sessionFault(this.#settings, rows);
    if (fault !== undefined) throw new PostgresFailure(fault);
  }
}

// A mounted Secret may be away for a moment while it is replaced.
async function readable(reading: Promise<string>): Promise<string> {
  return reading.catch((error: unknown) => {
    const { code = 'unknown reason', path = '' } = error as NodeJS.ErrnoException;
    throw new PostgresFailure({ again: true, unknown: false, words: `the file "${path}" cannot be read (${code})` });
  });
}
