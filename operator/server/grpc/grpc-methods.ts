import type { MethodOf } from '../../contract/networks/alloc/messages';
import type { Outcome } from '../../errors/outcome';

/** One call, as its handler sees it. */
export interface GrpcCall<Q> {
  readonly request: Q;
  /** First value of a key of its metadata, lower case; undefined where there is none or bytes. */
  metadata(key: string): string | undefined;
  /** Address of the other end, without its port. */
  readonly peer: string;
  /** Ends with the call: answered, cancelled, or the server closes. */
  readonly signal: AbortSignal;
}

/** A method that answers once. */
export interface UnaryMethod {
  readonly kind: 'unary';
  /** Service and name in metrics, for example `Allocation`. */
  readonly name: string;
  readonly of: MethodOf<object, object>;
  readonly handle: (call: GrpcCall<object>) => Promise<Outcome<object>>;
  /** Beside the limits of the others, as questions about health are: streams have one of their own, and single answers none. */
  readonly isApart: boolean;
}

/** Takes the messages of a stream. */
export interface GrpcStream<S> {
  /** Sends a message; those that the client does not read yet are kept. */
  send(message: Partial<S>): void;
  /** Resolves at once where the client has read most messages; else once it has, or the call ended. */
  drained(): Promise<void>;
}

/** A method that answers with a stream until its client, its handler or the server ends it. */
export interface StreamMethod {
  readonly kind: 'stream';
  readonly name: string;
  readonly of: MethodOf<object, object>;
  /** Ends the stream once it resolves. */
  readonly handle: (call: GrpcCall<object>, stream: GrpcStream<object>) => Promise<Outcome<void>>;
  readonly isApart: boolean;
}

/** A method with its handler. */
export type GrpcMethod = UnaryMethod | StreamMethod;

/** How a method is served. */
interface MethodOptions {
  readonly isApart?: boolean;
}

/**
 * Makes a method that answers once.
 *
 * @param of - path and messages
 * @param handle - its handler
 * @param options - how it is served
 * @returns the method
 */
export function unary<Q extends object, S extends object>(
  of: MethodOf<Q, S>,
  handle: (call: GrpcCall<Q>) => Promise<Outcome<Partial<S>>>,
  { isApart = false }: MethodOptions = {},
): GrpcMethod {
  const untyped = { of, handle } as unknown as Pick<UnaryMethod, 'of' | 'handle'>;
  return { kind: 'unary', name: nameOf(of), ...untyped, isApart };
}

/**
 * Makes a method that answers with a stream.
 *
 * @param of - path and messages
 * @param handle - its handler
 * @param options - how it is served
 * @returns the method
 */
export function streaming<Q extends object, S extends object>(
  of: MethodOf<Q, S>,
  handle: (call: GrpcCall<Q>, stream: GrpcStream<S>) => Promise<Outcome<void>>,
  { isApart = false }: MethodOptions = {},
): GrpcMethod {
  const untyped = { of, handle } as unknown as Pick<StreamMethod, 'of' | 'handle'>;
  return { kind: 'stream', name: nameOf(of), ...untyped, isApart };
}

// `/alloc.Allocation/Get` is "Allocation.Get"
function nameOf({ path }: { readonly path: string }): string {
  const [, service = '', method = ''] = path.split('/');
  return `${service.split('.').at(-1) ?? ''}.${method}`;
}
