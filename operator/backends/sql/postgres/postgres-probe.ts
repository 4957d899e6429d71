import type { Clock } from '../../../ports/clock';
import type { PostgresConnections } from './postgres-connections';
import { PostgresFailure } from './postgres-connections';
import type { PostgresFault } from './postgres-fault';
import { FRESH_WRITE_MS } from '../shared/fresh-write';

const STANDBY: PostgresFault = { again: true, unknown: false, words: 'it is a standby, which takes no changes' };

/** Tells whether the database takes what a claim writes. Safe for parallel calls. */
export class WriteProbe {
  readonly #connections: PostgresConnections;
  readonly #clock: Clock;
  #storedAtMs = -Infinity;

  /**
   * Asks nothing yet.
   *
   * @param connections - to the database
   * @param clock - tells how old the last write is
   */
  constructor(connections: PostgresConnections, clock: Clock) {
    this.#connections = connections;
    this.#clock = clock;
  }

  /** Notes that claims are on their way: until they are stored, nothing is proven. */
  begun(): void {
    this.#storedAtMs = -Infinity;
  }

  /** Notes that claims were stored. */
  stored(): void {
    this.#storedAtMs = this.#clock.nowMs();
  }

  /**
   * Tries what a claim writes, unless one was stored a moment ago.
   *
   * @throws {@link PostgresFailure}
   */
  async look(): Promise<void> {
    const [row] = await this.#connections.query({ text: 'SELECT pg_is_in_recovery()' });
    if (row?.[0] === true) throw new PostgresFailure(STANDBY);
    if (this.#clock.nowMs() - this.#storedAtMs < FRESH_WRITE_MS) return;
    await this.#connections.query({ text: 'SELECT ipam.probe()' });
    this.stored();
  }
}
