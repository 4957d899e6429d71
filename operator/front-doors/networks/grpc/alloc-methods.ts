import {
  ALLOCATION_SERVICE,
  type AllocClaim,
  type AllocListRequest,
  type AllocListResponse,
  type AllocName,
  type AllocRequest,
  type AllocResponse,
  type AllocWatchResponse,
} from '../../../contract/networks/alloc/messages';
import { accept, type Outcome } from '../../../errors/outcome';
import { readClientName } from '../../../rules/networks';
import type { Callers, CallVerb } from './callers';

/** Decisions about what clients are given. */
interface AllocCalls {
  /** Tells why nothing is decided now. */
  ready(): Outcome<void>;
  allocate(message: AllocRequest): Promise<Outcome<AllocResponse>>;
  deallocate(named: AllocName): Promise<Outcome<Partial<AllocResponse>>>;
}

/** Views of what clients were given. */
interface AllocClaims {
  get(named: AllocName): Outcome<AllocClaim>;
  list(request: AllocListRequest): Outcome<AllocListResponse>;
  /** Tells what is there at once, then each change; returns the function that ends it. */
  watch(named: AllocName, tell: (message: AllocWatchResponse) => void): () => void;
}

/** Parts of the gRPC API. */
export interface AllocParts {
  readonly calls: AllocCalls;
  readonly claims: AllocClaims;
  readonly callers: Callers;
}

/** One call, as the server hands it over. */
interface Call<Q> {
  readonly request: Q;
  metadata(key: string): string | undefined;
  /** Address of the other end. */
  readonly peer: string;
  readonly signal: AbortSignal;
}

/** Takes the messages of a watch. */
interface Stream {
  send(message: AllocWatchResponse): void;
}

// Names are judged first, since the API server is asked with the namespace.
async function allowed(
  { calls, callers }: AllocParts,
  call: Call<Pick<AllocName, 'namespace'>>,
  verb: CallVerb,
): Promise<Outcome<void>> {
  const named = readClientName({ namespace: call.request.namespace, name: 'any' });
  if (!named.ok) return named;
  const { peer, request } = call;
  const wanted = { verb, namespace: request.namespace, peer };
  const judged = await callers.judge(call.metadata('authorization'), wanted);
  return judged.ok ? calls.ready() : judged;
}

/**
 * Makes the handlers of the service `alloc.Allocation`.
 *
 * @param parts - decisions, views and rights
 * @returns a handler for each method, beside its path and messages
 */
export function allocHandlers(parts: AllocParts) {
  const { calls, claims } = parts;
  const guarded =
    <Q extends Pick<AllocName, 'namespace'>, S>(
      verb: CallVerb,
      handle: (request: Q) => Outcome<S> | Promise<Outcome<S>>,
    ) =>
    async (call: Call<Q>): Promise<Outcome<S>> => {
      const may = await allowed(parts, call, verb);
      return may.ok ? handle(call.request) : may;
    };
  return {
    Allocation: { of: ALLOCATION_SERVICE.Allocation, handle: guarded('create', calls.allocate.bind(calls)) },
    DeAllocation: { of: ALLOCATION_SERVICE.DeAllocation, handle: guarded('delete', calls.deallocate.bind(calls)) },
    Get: { of: ALLOCATION_SERVICE.Get, handle: guarded('get', claims.get.bind(claims)) },
    List: { of: ALLOCATION_SERVICE.List, handle: guarded('list', claims.list.bind(claims)) },
    Watch: {
      of: ALLOCATION_SERVICE.Watch,
      handle: async (call: Call<AllocName>, stream: Stream): Promise<Outcome<void>> => {
        const may = await allowed(parts, call, 'watch');
        return may.ok ? watch(parts, call, stream) : may;
      },
    },
  };
}

async function watch(
  { claims }: AllocParts,
  { request, signal }: Call<AllocName>,
  stream: Stream,
): Promise<Outcome<void>> {
  if (signal.aborted) return accept(undefined);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  const stop = claims.watch(request, (message) => {
    stream.send(message);
  });
  await ended;
  stop();
  return accept(undefined);
}
