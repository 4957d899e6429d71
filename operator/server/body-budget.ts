import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { IpamError } from '../errors/ipam-error';
import type { Clock } from '../ports/clock';
import type { Tools } from '../ports/tools';

/** Bytes of bodies in flight at most: three of the largest reviews. */
export const BODIES_BYTES = 24 * 1024 * 1024;
/** A body up to this size is counted once it is here, since a connection brings one at a time. */
const SMALL_BYTES = 64 * 1024;
/** A body that has been arriving for this long gives way to others. */
const SLOW_MS = 2_000;
const RETRY_AFTER_SECONDS = 1;

/** Options of a {@link BodyBudget}. */
export interface BodyBudgetOptions extends Pick<Tools, 'clock' | 'meter'> {
  /** Bytes of each budget. */
  readonly mostBytes: number;
  /** Name of the server in metrics. */
  readonly listener: string;
}

/** A large body in flight: from its first byte to the answer of its request. */
interface LargeBody {
  bytes: number;
  readonly sinceMs: number;
  readonly cut: () => void;
}

/** Where a request has its body in flight: a large one, or the bytes of a small one. */
const COUNTED = Symbol('counted body');

type CountedRequest = FastifyRequest & { [COUNTED]: LargeBody | number };

/**
 * Bounds the bytes of bodies in flight on one server, so that large bodies fill neither the memory nor the place of others.
 * Small bodies and large ones have a budget each, of the same size: however many large ones come, a usual request is read.
 * A request beyond the budget gets 503 with `retry-after`, at which the API server asks again within the time-out of its webhook.
 */
export class BodyBudget {
  readonly #clock: Clock;
  readonly #meter: BodyBudgetOptions['meter'];
  readonly #labels: { readonly listener: string };
  readonly #most: number;
  /** Large bodies that are still arriving, oldest first. */
  readonly #arriving = new Set<LargeBody>();
  #small = 0;
  #large = 0;

  /**
   * Counts nothing yet.
   *
   * @param options - clock, metrics, and the bytes of each budget
   */
  constructor(options: BodyBudgetOptions) {
    this.#clock = options.clock;
    this.#meter = options.meter;
    this.#labels = { listener: options.listener };
    this.#most = options.mostBytes;
  }

  /**
   * Begins to bound the bodies of a server.
   *
   * @param app - instance without routes so far
   */
  limit(app: FastifyInstance): void {
    this.#meter.follow('request_body_bytes', () => this.#small + this.#large, this.#labels);
    // on the request itself: a map of all requests would cost each of them several times as much
    app.decorateRequest(COUNTED, 0);
    // hooks with callbacks: a promise for each of them would cost every request some turns of the microtask queue
    // eslint-disable-next-line max-params -- fastify tells a hook with a callback by its four parameters
    app.addHook('preParsing', (request, _reply, payload, done) => {
      done(null, isLarge(request) ? this.#counted(request as CountedRequest, payload) : payload);
    });
    app.addHook('preValidation', (request, _reply, done) => {
      this.#arrived(request as CountedRequest, done);
    });
    // eslint-disable-next-line max-params -- as above
    app.addHook('onSend', (request, _reply, _payload, done) => {
      this.#leave(request as CountedRequest);
      done();
    });
  }

  #counted(request: CountedRequest, payload: RequestPayload): Transform {
    const counter = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (request[COUNTED] === body) this.#grow(body, chunk.length);
        done(null, chunk);
      },
    });
    const body: LargeBody = { bytes: 0, sinceMs: this.#clock.nowMs(), cut: () => counter.destroy(tooBusy()) };
    request[COUNTED] = body;
    this.#arriving.add(body);
    payload.on('error', (error: Error) => counter.destroy(error));
    return payload.pipe(counter);
  }

  #grow(body: LargeBody, bytes: number): void {
    body.bytes += bytes;
    this.#large += bytes;
    if (this.#large > this.#most) this.#makeRoom(body);
  }

  // The slowest sender gives way, so that no caller keeps the budget by sending its body drop by drop.
  #makeRoom(body: LargeBody): void {
    const slowBeforeMs = this.#clock.nowMs() - SLOW_MS;
    const slowest = [...this.#arriving].find(({ sinceMs }) => sinceMs < slowBeforeMs);
    (slowest ?? body).cut();
  }

  #arrived(request: CountedRequest, done: (error?: Error) => void): void {
    const counted = request[COUNTED];
    if (typeof counted !== 'number') {
      this.#arriving.delete(counted);
      done();
      return;
    }
    const bytes = Number(request.headers['content-length'] ?? 0);
    if (this.#small + bytes > this.#most) {
      done(tooBusy());
      return;
    }
    this.#small += bytes;
    request[COUNTED] = bytes;
    done();
  }

  #leave(request: CountedRequest): void {
    const counted = request[COUNTED];
    request[COUNTED] = 0;
    if (typeof counted === 'number') {
      this.#small -= counted;
      return;
    }
    this.#arriving.delete(counted);
    this.#large -= counted.bytes;
  }
}

function isLarge({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BYTES;
}

function tooBusy(): IpamError {
  const message = 'the bodies of other requests fill the memory that is set aside for them; try again in a moment';
  return new IpamError('api/busy', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
