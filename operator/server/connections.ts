import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../ports/clock';
import type { Tools } from '../ports/tools';

/** A connection without a request for this long is closed when its time is over; a shorter pause may hide a request on its way. */
export const QUIET_MS = 5_000;

/** Open connections of one server; each costs some 60 KiB with TLS. */
const MOST_CONNECTIONS = 1_000;

/** Options of {@link Connections}. */
export interface ConnectionsOptions extends Pick<Tools, 'clock' | 'meter'> {
  readonly tls: boolean;
  /** Open connections at most. */
  readonly most?: number;
}

interface Connection {
  readonly generation: number;
  requests: number;
  /** The last request, absent before the first one. */
  request?: IncomingMessage;
  quietSinceMs: number;
  /** Bytes received when the last answer went out; more bytes mean that a request has begun. */
  bytesAtRest: number;
}

/**
 * Open connections of one server, so that old ones can be given up without losing a request: the next answer on each carries
 * `connection: close`, and only those that stay quiet are closed from our side. Beyond the limit of connections a new one
 * takes the place of one that waits for nothing: first of those that never sent a request, then of those that rest, then of
 * those whose request is still arriving; where all others wait for an answer, the new one is cut.
 *
 * Belongs to one server from before it listens; `close()` ends the timer.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #meter: ConnectionsOptions['meter'];
  readonly #most: number;
  readonly #open = new Map<Socket, Connection>();
  #generation = 0;
  /** From {@link end} on those opened later are given up too. */
  #isEnding = false;
  #stopTimer: (() => void) | undefined;

  /**
   * Begins to follow the connections of a server.
   *
   * @param app - instance that does not listen yet
   * @param options - clock, metrics, limit, and whether the server speaks TLS
   */
  constructor(app: FastifyInstance, options: ConnectionsOptions) {
    this.#clock = options.clock;
    this.#meter = options.meter;
    this.#most = options.most ?? MOST_CONNECTIONS;
    app.server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#follow(socket);
    });
    app.addHook('onRequest', (request, _reply, done) => {
      const connection = this.#open.get(request.raw.socket);
      if (connection !== undefined) {
        connection.requests++;
        connection.request = request.raw;
      }
      done();
    });
    // hooks with callbacks: a promise for each of them would cost every request some turns of the microtask queue
    // eslint-disable-next-line max-params -- fastify tells a hook with a callback by its four parameters
    app.addHook('onSend', (request, reply, _payload, done) => {
      const connection = this.#open.get(request.raw.socket);
      if (connection !== undefined && this.#isRetired(connection)) reply.header('connection', 'close');
      done();
    });
    app.addHook('onResponse', (request, _reply, done) => {
      this.#rest(request.raw.socket);
      done();
    });
  }

  /** Gives up every connection that is open now, after its running requests; connections opened later stay. */
  retire(): void {
    this.#generation++;
    this.#closeQuiet();
  }

  /**
   * As {@link retire}, for connections opened later too: a caller that still finds us must not keep one in its pool, where a
   * request may meet the end of the server.
   */
  end(): void {
    this.#isEnding = true;
    this.retire();
  }

  /** Ends the timer of {@link retire} and {@link end}. Connections stay as they are. */
  close(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #follow(socket: Socket): void {
    if (this.#open.size >= this.#most) {
      const least = this.#dispensable() ?? socket;
      this.#meter.count('connections_cut_total', { reason: 'limit' });
      least.destroy();
      this.#open.delete(least);
      if (least === socket) return;
    }
    this.#open.set(socket, {
      generation: this.#generation,
      requests: 0,
      quietSinceMs: this.#clock.nowMs(),
      bytesAtRest: socket.bytesRead,
    });
    socket.once('close', () => {
      this.#open.delete(socket);
    });
  }

  // The one that is missed least, none where all wait for an answer.
  #dispensable(): Socket | undefined {
    let found: { readonly socket: Socket; readonly worth: number; readonly sinceMs: number } | undefined;
    for (const [socket, connection] of this.#open) {
      const worth = worthOf(connection);
      const { quietSinceMs: sinceMs } = connection;
      if (worth === undefined) continue;
      const isLess = found === undefined || worth < found.worth || (worth === found.worth && sinceMs < found.sinceMs);
      if (isLess) found = { socket, worth, sinceMs };
    }
    return found?.socket;
  }

  #rest(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests--;
    connection.quietSinceMs = this.#clock.nowMs();
    connection.bytesAtRest = socket.bytesRead;
  }

  #isRetired({ generation }: Connection): boolean {
    return this.#isEnding || generation < this.#generation;
  }

  #closeQuiet(): void {
    this.close();
    const quietBefore = this.#clock.nowMs() - QUIET_MS;
    let left = 0;
    for (const [socket, connection] of this.#open) {
      if (!this.#isRetired(connection)) continue;
      const quiet = connection.requests === 0 && connection.quietSinceMs <= quietBefore;
      if (quiet && connection.bytesAtRest === socket.bytesRead) socket.end();
      else left++;
    }
    if (left > 0)
      this.#stopTimer = this.#clock.after(QUIET_MS, () => {
        this.#closeQuiet();
      });
  }
}

// Undefined for a connection that waits for an answer.
function worthOf({ requests, request }: Connection): number | undefined {
  if (request === undefined) return 0;
  if (requests === 0) return 1;
  return request.complete ? undefined : 2;
}
