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
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import { readClientName } from '../../../rules/networks';
import type { Clock } from '../../../ports/clock';
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
  /** Tells what is there, then each change, until the signal. */
  watch(named: AllocName, stream: Stream, signal: AbortSignal): Promise<Outcome<void>>;
}

/** Parts of the gRPC API. */
export interface AllocParts {
  readonly calls: AllocCalls;
  readonly claims: AllocClaims;
  readonly callers: Callers;
  readonly clock: Clock;
}

/** Watches of one user at once, so that others have their share of those of the server. */
const MOST_WATCHES = 20;
/** Pause between two looks at the token of a watch and its right; an answer counts for as long. */
const JUDGE_AGAIN_MS = 10_000;

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
  /** Resolves once the client has read most of what was sent. */
  drained(): Promise<void>;
}

// Names are judged first, since the API server is asked with the namespace.
async function allowed(
  { calls, callers }: AllocParts,
  call: Call<Pick<AllocName, 'namespace'>>,
  verb: CallVerb,
): Promise<Outcome<string>> {
  const named = readClientName({ namespace: call.request.namespace, name: 'any' });
  if (!named.ok) return named;
  const { peer, request } = call;
  const wanted = { verb, namespace: request.namespace, peer };
  const judged = await callers.judge(call.metadata('authorization'), wanted);
  if (!judged.ok) return judged;
  const ready = calls.ready();
  return ready.ok ? judged : ready;
}

/**
 * Makes the handlers of the service `alloc.Allocation`.
 *
 * @param parts - decisions, views and rights
 * @returns a handler for each method, beside its path and messages
 */
export function allocHandlers(parts: AllocParts) {
  const { calls, claims } = parts;
  const open = new OpenWatches();
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
        return may.ok ? open.within(may.value, () => watch(parts, call, stream)) : may;
      },
    },
  };
}

/** Counts the open watches of each user. */
class OpenWatches {
  readonly #byUser = new Map<string, number>();

  async within(user: string, run: () => Promise<Outcome<void>>): Promise<Outcome<void>> {
    const open = this.#byUser.get(user) ?? 0;
    if (open >= MOST_WATCHES) {
      return refuse('api/too-many-streams', `the user has ${String(open)} watches, as many as it may; end one of them`);
    }
    this.#byUser.set(user, open + 1);
    try {
      return await run();
    } finally {
      const left = (this.#byUser.get(user) ?? 1) - 1;
      if (left === 0) this.#byUser.delete(user);
      else this.#byUser.set(user, left);
    }
  }
}

async function watch(parts: AllocParts, call: Call<AllocName>, stream: Stream): Promise<Outcome<void>> {
  if (call.signal.aborted) return accept(undefined);
  const refused = new AbortController();
  let refusal: Outcome<void> | undefined;
  const stop = judgeAgain(parts, call, (told) => {
    refusal = told;
    refused.abort();
  });
  const watched = await parts.claims.watch(call.request, stream, AbortSignal.any([call.signal, refused.signal]));
  stop();
  return refusal ?? watched;
}

// A token that ended, or a right that was taken away, ends the watch; an API server that cannot tell does not.
function judgeAgain(
  { callers, clock }: AllocParts,
  call: Call<AllocName>,
  onRefusal: (refusal: Outcome<never>) => void,
): () => void {
  let isOver = false;
  let cancel = (): void => undefined;
  const { namespace } = call.request;
  const judge = async (): Promise<void> => {
    const wanted = { verb: 'watch', namespace, peer: call.peer } as const;
    const judged = await callers.judge(call.metadata('authorization'), wanted).catch(() => accept(''));
    if (isOver) return;
    if (judged.ok || judged.refusal.code === 'api/busy') again();
    else onRefusal(judged);
  };
  const again = (): void => {
    cancel = clock.after(JUDGE_AGAIN_MS, () => void judge());
  };
  again();
  return () => {
    isOver = true;
    cancel();
  };
}
