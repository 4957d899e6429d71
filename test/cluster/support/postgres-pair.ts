import { PostgresServer } from '../../support/postgres-server';
import { auditPostgres } from '../../support/postgres-audit';
import { TcpProxy } from '../../support/tcp-proxy';

/** How long a cluster of databases takes to see that its primary is gone. */
const NOTICE_MS = 1_500;

/** One claim of a Service, as the database has it. */
export interface StoredClaim {
  readonly address: string;
  readonly service: string;
  /** Null until it is bound. */
  readonly uid: string | null;
  readonly state: string;
}

/** A database with a synchronous standby, both behind one port: what a Service in front of them is in a cluster. */
export class PostgresPair {
  /** Connection string, the same before and after a fail-over. */
  readonly dsn: string;
  readonly #door: TcpProxy;
  readonly #servers: readonly [PostgresServer, PostgresServer];
  readonly #direct: string;
  #serving: PostgresServer;

  private constructor(servers: readonly [PostgresServer, PostgresServer], door: TcpProxy, direct: string) {
    this.#servers = servers;
    this.#serving = servers[0];
    this.#door = door;
    this.#direct = direct;
    this.dsn = this.#through(door.port);
  }

  static async start(): Promise<PostgresPair> {
    const primary = await PostgresServer.start();
    const standby = await PostgresServer.standbyOf(primary);
    return new PostgresPair([primary, standby], await TcpProxy.start(primary.port), await primary.newDatabase());
  }

  /** Ends the primary as a lost machine does, and moves the port to the standby once that was noticed. */
  async failOver(): Promise<void> {
    const [primary, standby] = this.#servers;
    await primary.shownBy(standby);
    await primary.end('SIGQUIT');
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    await standby.promote();
    this.#door.moveTo(standby.port);
    this.#serving = standby;
  }

  sql(text: string): ReturnType<PostgresServer['sql']> {
    return this.#serving.sql(text, this.#through(this.#serving.port));
  }

  /** Who holds what in a zone, lowest address first. */
  async claims(zone: string): Promise<readonly StoredClaim[]> {
    const rows = await this
      .sql(`SELECT host(a.address) AS address, h.service_name AS service, h.service_uid AS uid, h.state
      FROM ipam.address a JOIN ipam.holder h ON h.address_id = a.id AND h.ended_at IS NULL
      WHERE a.ended_at IS NULL AND a.zone = '${zone}' ORDER BY a.address`);
    return rows as unknown as readonly StoredClaim[];
  }

  /** Lists faults between the tables. */
  faults(): Promise<readonly string[]> {
    return auditPostgres(this.#serving, this.#through(this.#serving.port));
  }

  async remove(): Promise<void> {
    await this.#door.close();
    await Promise.all(this.#servers.map((server) => server.remove()));
  }

  #through(port: number): string {
    return this.#direct.replace(`:${this.#servers[0].port}/`, `:${port}/`);
  }
}
