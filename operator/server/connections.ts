import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../ports/clock';

/** A connection without a request for this long is closed when its time is over; a shorter pause may hide a request on its way. */
export const QUIET_MS = 5_000;

interface Connection {
  readonly generation: number;
  requests: number;
  quietSinceMs: number;
  /** Bytes received when the last answer went out; more bytes mean that a request has begun. */
  bytesAtRest: number;
}

/**
 * Open connections of one server, so that old ones can be given up without losing a request: the next answer on each carries
 * `connection: close`, and only those that stay quiet are closed from our side.
 *
 * Belongs to one server from before it listens; `close()` ends the timer.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #open = new Map<Socket, Connection>();
  #generation = 0;
  #stopTimer: (() => void) | undefined;

  /**
   * Begins to follow the connections of a server.
   *
   * @param app - instance that does not listen yet
   * @param options - clock, and whether the server speaks TLS
   */
  constructor(app: FastifyInstance, options: { readonly clock: Clock; readonly tls: boolean }) {
    this.#clock = options.clock;
    app.server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#follow(socket);
    });
    app.addHook('onRequest', (request, _reply, done) => {
      const connection = this.#open.get(request.raw.socket);
      if (connection !== undefined) connection.requests++;
      done();
    });
    // hooks with callbacks: a promise for each of them would cost every request some turns of the microtask queue
    // eslint-disable-next-line max-params -- fastify tells a hook with a callback by its four parameters
    app.addHook('onSend', (request, reply, _payload, done) => {
      const connection = this.#open.get(request.raw.socket);
      if (connection !== undefined && connection.generation < this.#generation) reply.header('connection', 'close');
      done();
    });
    app.addHook('onResponse', (request, _reply, done) => {
      this.#rest(request.raw.socket);
      done();
    });
  }

  /**
   * Counts what is open.
   *
   * @returns number of open connections
   */
  get count(): number {
    return this.#open.size;
  }

  /** Gives up every connection that is open now, after its running requests; connections opened later stay. */
  retire(): void {
    this.#generation++;
    this.#closeQuiet();
  }

  /** Ends the timer of {@link retire}. Connections stay as they are. */
  close(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #follow(socket: Socket): void {
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

  #rest(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests--;
    connection.quietSinceMs = this.#clock.nowMs();
    connection.bytesAtRest = socket.bytesRead;
  }

  #closeQuiet(): void {
    this.close();
    const quietBefore = this.#clock.nowMs() - QUIET_MS;
    let left = 0;
    for (const [socket, connection] of this.#open) {
      if (connection.generation === this.#generation) continue;
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
