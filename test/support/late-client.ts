import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import type { JsonMap } from '../../operator/contract/loose-json';

/** A connection whose watches tell everything a while after it happened, as those of a busy API server do. */
export class LateClient implements ApiClient {
  readonly #server: ApiClient;
  readonly #lateMs: number;

  constructor(server: ApiClient, lateMs: number) {
    this.#server = server;
    this.#lateMs = lateMs;
  }

  request(request: ApiRequest): Promise<ApiAnswer> {
    return this.#server.request(request);
  }

  async stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    const answer = await this.#server.stream(request);
    return Symbol.asyncIterator in answer ? this.#late(answer) : answer;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  // what comes together is late together
  async *#late(events: AsyncIterable<JsonMap>): AsyncGenerator<JsonMap> {
    const waiting: Promise<IteratorResult<JsonMap>>[] = [];
    const all = events[Symbol.asyncIterator]();
    const late = async (): Promise<IteratorResult<JsonMap>> => {
      const next = await all.next();
      if (next.done !== true) waiting.push(late());
      await new Promise((resolve) => setTimeout(resolve, this.#lateMs));
      return next;
    };
    waiting.push(late());
    for (let next = await waiting.shift(); next !== undefined && next.done !== true; next = await waiting.shift())
      yield next.value;
  }
}
