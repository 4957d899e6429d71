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

/** What {@link BodyBudget} needs to know of its server. */
export interface BodyBudgetOptions extends Pick<Tools, 'clock' | 'meter'> {
  /** Bytes of each budget. */
  readonly mostBytes: number;
  /** Name of the server in metrics. */
  readonly listener: string;
}

/** A body in flight: from its first byte to the answer of its request. */
interface Body {
  bytes: number;
  readonly sinceMs: number;
  /** Gives the body up; absent once it is here. */
  cut?: () => void;
}

/**
 * Bounds the bytes of bodies in flight on one server, so that large bodies fill neither the memory nor the place of others.
 * Small bodies and large ones have a budget each, of the same size: however many large ones come, a usual request is read.
 * What is beyond the budget gets 503 with `retry-after`, at which the API server asks again within the time-out of its webhook.
 */
export class BodyBudget {
  readonly #clock: Clock;
  readonly #meter: BodyBudgetOptions['meter'];
  readonly #labels: { readonly listener: string };
  readonly #most: number;
  readonly #bodies = new Map<FastifyRequest, Body>();
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
    // hooks with callbacks: a promise for each of them would cost every request some turns of the microtask queue
    // eslint-disable-next-line max-params -- fastify tells a hook with a callback by its four parameters
    app.addHook('preParsing', (request, _reply, payload, done) => {
      done(null, this.#isLarge(request) ? this.#counted(request, payload) : payload);
    });
    app.addHook('preValidation', (request, _reply, done) => {
      this.#arrived(request, done);
    });
    // eslint-disable-next-line max-params -- as above
    app.addHook('onSend', (request, _reply, _payload, done) => {
      this.#leave(request);
      done();
    });
  }

  #measure(): void {
    this.#meter.set('request_body_bytes', this.#small + this.#large, this.#labels);
  }

  #isLarge({ headers }: FastifyRequest): boolean {
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BYTES;
  }

  #counted(request: FastifyRequest, payload: RequestPayload): Transform {
    const counter = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.#bodies.get(request) === body) this.#grow(body, chunk.length);
        done(null, chunk);
      },
    });
    const body: Body = {
      bytes: 0,
      sinceMs: this.#clock.nowMs(),
      cut: () => counter.destroy(tooBusy()),
    };
    this.#bodies.set(request, body);
    payload.on('error', (error: Error) => counter.destroy(error));
    return payload.pipe(counter);
  }

  #grow(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.#large += bytes;
    this.#measure();
    if (this.#large > this.#most) this.#makeRoom(body);
  }

  // The slowest sender gives way, so that no caller keeps the budget by sending its body drop by drop.
  #makeRoom(body: Body): void {
    const slowBeforeMs = this.#clock.nowMs() - SLOW_MS;
    const [slowest] = [...this.#bodies.values()].filter(
      ({ cut, sinceMs }) => cut !== undefined && sinceMs < slowBeforeMs,
    );
    (slowest ?? body).cut?.();
  }

  #arrived(request: FastifyRequest, done: (error?: Error) => void): void {
    const large = this.#bodies.get(request);
    if (large !== undefined) {
      delete large.cut;
      done();
      return;
    }
    const bytes = Number(request.headers['content-length'] ?? 0);
    if (this.#small + bytes > this.#most) {
      done(tooBusy());
      return;
    }
    this.#small += bytes;
    this.#bodies.set(request, { bytes, sinceMs: 0 });
    this.#measure();
    done();
  }

  #leave(request: FastifyRequest): void {
    const body = this.#bodies.get(request);
    if (body === undefined) return;
    this.#bodies.delete(request);
    if (this.#isLarge(request)) this.#large -= body.bytes;
    else this.#small -= body.bytes;
    this.#measure();
  }
}

function tooBusy(): IpamError {
  const message = 'the bodies of other requests fill the memory that is set aside for them; try again in a moment';
  return new IpamError('api/busy', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
