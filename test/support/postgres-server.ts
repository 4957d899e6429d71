import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { freePort } from './free-ports';

const USER = 'ipam';
const PASSWORD = 'p@ss/w0rd';
const DEBIAN_FOLDER = '/usr/lib/postgresql';

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Finds a program of PostgreSQL; Debian keeps those of the server out of the PATH. */
function postgresProgram(name: string): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')),
  ];
  const found = folders.map((folder) => join(folder, name)).find(isProgram);
  if (found !== undefined) return found;
  throw new RangeError(`no program "${name}" of PostgreSQL is on this machine; install it: apt-get install postgresql`);
}

/** PostgreSQL refuses to run as root, so root lends it the user that owns nothing. */
function servant(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (userInfo().uid !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody']).toString());
  return { uid: id('-u'), gid: id('-g') };
}

/** How a server of a test differs from the default one. */
export interface PostgresServerOptions {
  /** Lines for postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Files of its data folder that it alone may read, such as its private key. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * A PostgreSQL server of its own in a temporary folder, on the loopback alone, with passwords. It does not wait for the disk,
 * which survives the kill of a process but no power cut; `settings` can say otherwise.
 */
export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  readonly #as = servant();
  #process: ChildProcess | undefined;
  #databases = 0;

  private constructor(port: number) {
    this.port = port;
    this.folder = mkdtempSync(join(tmpdir(), 'ipam-postgres-'));
  }

  /** Makes the folder and starts the server. */
  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort());
    server.#initialize(options);
    await server.run();
    return server;
  }

  /**
   * Starts a standby of another server, which waits for it before it answers a commit from then on. What is answered
   * survives the loss of either of them.
   */
  static async standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    const standby = new PostgresServer(await freePort());
    standby.#openFolder();
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', USER];
    execFileSync(
      postgresProgram('pg_basebackup'),
      ['-D', standby.data, ...from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
      { ...standby.#as, stdio: 'pipe', cwd: standby.folder, env: { PATH: process.env['PATH'], PGPASSWORD: PASSWORD } },
    );
    await standby.run();
    await primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.sql('SELECT pg_reload_conf()');
    return standby;
  }

  /**
   * Waits until a standby shows everything that is stored now: a commit waits for its disk alone, and a client that comes before it has
   * replayed that finds no database.
   */
  async shownBy(standby: PostgresServer): Promise<void> {
    const [stored] = await this.sql('SELECT pg_current_wal_flush_lsn()::text AS lsn');
    const shown = `SELECT pg_last_wal_replay_lsn() >= '${String(stored?.['lsn'])}'::pg_lsn AS shown`;
    while ((await standby.sql(shown))[0]?.['shown'] !== true) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Makes a standby a server that takes changes; ends when it does. */
  async promote(): Promise<void> {
    await this.sql('SELECT pg_promote()');
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** Connection string of a database. */
  dsn(database = 'postgres', query = 'sslmode=disable'): string {
    return `postgresql://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/${database}?${query}`;
  }

  /** A new, empty database; its connection string. */
  newDatabase(): Promise<string> {
    return this.#make("TEMPLATE template0 ENCODING 'UTF8'");
  }

  /** A copy of a database that nothing is connected to; its connection string. */
  copyOf(dsn: string): Promise<string> {
    return this.#make(`TEMPLATE ${new URL(dsn).pathname.slice(1)}`);
  }

  async #make(how: string): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.sql(`CREATE DATABASE ${name} ${how}`);
    return this.dsn(name);
  }

  /** Runs a statement as the owner of everything. */
  async sql(text: string, dsn = this.dsn()): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: dsn });
    await client.connect();
    try {
      const { rows } = (await client.query(text)) as { rows: Record<string, unknown>[] };
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Starts the server on its folder, after {@link end}; ends when it accepts connections. */
  async run(): Promise<void> {
    const arguments_ = ['-D', this.data, '-p', String(this.port), '-k', this.folder];
    const child = spawn(postgresProgram('postgres'), arguments_, { ...this.#as, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    const lines = createInterface({ input: child.stderr });
    const log: string[] = [];
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        log.push(line);
        if (/database system is ready to accept (?:read-only )?connections/u.test(line)) resolve();
      });
      child.once('exit', () => {
        reject(new Error(`PostgreSQL did not start: ${log.slice(-5).join(' | ')}`));
      });
    });
  }

  /** Ends the server: orderly ("SIGINT" cuts off its clients), or at once and without a checkpoint ("SIGQUIT"). */
  async end(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    const dead = once(child, 'exit');
    child.kill(signal);
    await dead;
  }

  /** Ends the server and removes its folder. */
  async remove(): Promise<void> {
    await this.end('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #openFolder(): void {
    const { uid, gid } = this.#as;
    chmodSync(this.folder, 0o755);
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid);
  }

  #initialize({ settings = {}, files = {} }: PostgresServerOptions): void {
    const { uid, gid } = this.#as;
    this.#openFolder();
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    const options = [
      '-U',
      USER,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ];
    execFileSync(postgresProgram('initdb'), ['-D', this.data, ...options], {
      ...this.#as,
      stdio: 'pipe',
      cwd: this.folder,
    });
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(this.data, name), text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(join(this.data, name), uid, gid);
    }
    const all = {
      listen_addresses: "'127.0.0.1'",
      shared_buffers: '32MB',
      fsync: 'off',
      full_page_writes: 'off',
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(join(this.data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  }
}

let shared: Promise<PostgresServer> | undefined;

/** One server for all tests of a file, started when it is first needed; {@link removeSharedPostgres} ends it. */
export function sharedPostgres(): Promise<PostgresServer> {
  return (shared ??= PostgresServer.start());
}

/** For `afterAll`. */
export async function removeSharedPostgres(): Promise<void> {
  await (await shared)?.remove();
}
