import {
  Metadata,
  status as STATUS,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { REFUSAL_CODE_KEY } from '../../contract/networks/alloc/messages';
import { grpcStatus } from '../../errors/grpc-status';
import { isIpamError } from '../../errors/ipam-error';
import { refuse, type Outcome, type Refusal } from '../../errors/outcome';
import { faultFields } from '../../errors/trace';
import type { Tools } from '../../ports/tools';
import type { GrpcCall, StreamMethod, UnaryMethod } from './grpc-methods';

/** Limits of the calls of one server. */
export interface CallLimits {
  /** Calls that are decided at once, without streams. */
  readonly mostCalls: number;
  readonly mostStreams: number;
  /** Streams about health, which need no token. */
  readonly mostHealthStreams: number;
  /** The same of one peer. */
  readonly mostHealthStreamsOfPeer: number;
  /** Time after which a call is answered whether it is decided or not. */
  readonly deadlineMs: number;
  /** Time after which a stream ends, so that its client shows its token again. */
  readonly streamMs: number;
  /** Messages that a client of a stream has not read yet. */
  readonly mostUnread: number;
}

const LIMITS: CallLimits = {
  mostCalls: 600,
  mostStreams: 200,
  mostHealthStreams: 100,
  mostHealthStreamsOfPeer: 10,
  deadlineMs: 60_000,
  streamMs: 600_000,
  mostUnread: 10_000,
};

/** Messages that a handler sends ahead of its client where it can wait. */
const MOST_AHEAD = 500;
const DRAINED = 'messages-read';

type Answered = UnaryMethod | StreamMethod;
type AnyCall = ServerUnaryCall<object, object> | ServerWritableStream<object, object>;

/** Runs calls within the limits of a server, and says how each one ended. */
export class CallRunner {
  readonly #tools: Tools;
  readonly #limits: CallLimits;
  readonly #running = { unary: 0, stream: 0, unaryApart: 0, streamApart: 0 };
  /** Streams about health by the address of their client. */
  readonly #ofPeer = new Map<string, number>();
  readonly #closed = new AbortController();

  /**
   * Starts without a call.
   *
   * @param tools - clock, logger, meter
   * @param limits - those that differ from the usual ones
   */
  constructor(tools: Tools, limits: Partial<CallLimits> = {}) {
    this.#tools = tools;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Ends every stream. */
  close(): void {
    this.#closed.abort();
  }

  /**
   * Runs a call that is answered once.
   *
   * @param method - with its handler
   * @param call - of the client
   * @param answer - takes the answer
   */
  runUnary(method: UnaryMethod, call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>): void {
    const ended = new AbortController();
    call.on('cancelled', () => {
      ended.abort();
    });
    const of = callOf(call, ended.signal);
    const handled = this.#limited(method, of, () => this.#inTime(method.handle(of)));
    void handled.then((outcome) => {
      ended.abort();
      this.#count(method, outcome);
      if (outcome.ok) answer(null, outcome.value);
      else answer(faultOf(outcome.refusal));
    });
  }

  /**
   * Runs a call that is answered with a stream.
   *
   * @param method - with its handler
   * @param call - of the client
   */
  runStream(method: StreamMethod, call: ServerWritableStream<object, object>): void {
    const ended = new AbortController();
    const end = (): void => {
      ended.abort();
    };
    call.on('cancelled', end);
    call.on('error', end);
    this.#closed.signal.addEventListener('abort', end, { signal: ended.signal });
    const cancelTimer = this.#tools.clock.after(this.#limits.streamMs, end);
    if (this.#closed.signal.aborted) end();
    let tooSlow: Outcome<never> | undefined;
    const { mostUnread } = this.#limits;
    const few = Math.min(MOST_AHEAD, mostUnread / 2);
    const stream = {
      send: (message: object): void => {
        if (ended.signal.aborted) return;
        call.write(message, () => {
          if (call.writableLength <= few) call.emit(DRAINED);
        });
        if (call.writableLength <= mostUnread) return;
        tooSlow = refuse('api/rate-limit', 'the client does not read what it watches; watch again');
        end();
      },
      drained: async (): Promise<void> => {
        if (ended.signal.aborted || call.writableLength <= few) return;
        await new Promise<void>((resolve) => {
          const done = (): void => {
            call.off(DRAINED, done);
            ended.signal.removeEventListener('abort', done);
            resolve();
          };
          call.on(DRAINED, done);
          ended.signal.addEventListener('abort', done);
        });
      },
    };
    const of = callOf(call, ended.signal);
    const handled = this.#limited(method, of, () => method.handle(of, stream));
    void handled.then((outcome) => {
      end();
      cancelTimer();
      const told = tooSlow ?? outcome;
      this.#count(method, told);
      if (told.ok) call.end();
      else call.emit('error', faultOf(told.refusal));
    });
  }

  async #limited<V>(method: Answered, { peer }: GrpcCall<object>, run: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
    const { kind, isApart } = method;
    const { mostCalls, mostStreams, mostHealthStreams, mostHealthStreamsOfPeer } = this.#limits;
    const sort = isApart ? (`${kind}Apart` as const) : kind;
    const most = { unary: mostCalls, stream: mostStreams, unaryApart: Infinity, streamApart: mostHealthStreams }[sort];
    if (this.#running[sort] >= most) {
      const code = kind === 'unary' ? 'api/busy' : 'api/streams-full';
      return refuse(code, `the server takes ${String(most)} of these calls at once; try again in a moment`);
    }
    const ofPeer = this.#ofPeer.get(peer) ?? 0;
    if (sort === 'streamApart' && ofPeer >= mostHealthStreamsOfPeer)
      return refuse('api/too-many-streams', `a client has at most ${String(mostHealthStreamsOfPeer)} of these at once`);
    this.#running[sort] += 1;
    if (sort === 'streamApart') this.#countPeer(peer, 1);
    try {
      return await run();
    } catch (thrown) {
      return this.#failed(method, thrown);
    } finally {
      this.#running[sort] -= 1;
      if (sort === 'streamApart') this.#countPeer(peer, -1);
    }
  }

  #countPeer(peer: string, by: 1 | -1): void {
    const count = (this.#ofPeer.get(peer) ?? 0) + by;
    if (count === 0) this.#ofPeer.delete(peer);
    else this.#ofPeer.set(peer, count);
  }

  async #inTime<V>(handled: Promise<Outcome<V>>): Promise<Outcome<V>> {
    const { deadlineMs } = this.#limits;
    let cancel = (): void => undefined;
    const late = new Promise<Outcome<never>>((resolve) => {
      cancel = this.#tools.clock.after(deadlineMs, () => {
        const message = `not decided within ${String(deadlineMs / 1000)} s; ask again, one name is given one thing`;
        resolve(refuse('api/timeout', message));
      });
    });
    try {
      return await Promise.race([handled, late]);
    } finally {
      cancel();
    }
  }

  // What is wrong inside of the program is told to its log alone.
  #failed(method: Answered, thrown: unknown): Outcome<never> {
    if (isIpamError(thrown) && thrown.code !== 'internal') return refuse(thrown.code, thrown.message);
    this.#tools.logger.error('a gRPC call failed', { method: method.name, ...faultFields(thrown) });
    return refuse('internal', 'a fault of the operator, which its log tells');
  }

  #count({ name }: Answered, outcome: Outcome<unknown>): void {
    const code = outcome.ok ? STATUS.OK : grpcStatus(outcome.refusal.code);
    this.#tools.meter.count('grpc_calls_total', { method: name, code: STATUS[code] ?? 'UNKNOWN' });
  }
}

function callOf(call: AnyCall, signal: AbortSignal): GrpcCall<object> {
  return {
    request: call.request,
    signal,
    // "10.0.0.1:4711" or "[2001:db8::1]:4711"
    peer: call.getPeer().replace(/:\d+$/u, ''),
    metadata: (key) => {
      const [first] = call.metadata.get(key);
      return typeof first === 'string' ? first : undefined;
    },
  };
}

// Details of a status are a header, and headers have a limit.
const MOST_CHARACTERS = 1000;

function faultOf({ code, message }: Refusal) {
  const metadata = new Metadata();
  metadata.set(REFUSAL_CODE_KEY, code);
  const details = message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message;
  return Object.assign(new RangeError(details), { code: grpcStatus(code), details, metadata });
}
