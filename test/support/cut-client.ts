import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import type { JsonMap } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';

/** A connection whose watches end all at once, with an error event, and whose API server is away afterwards until it comes back. */
export class CutClient implements ApiClient {
  readonly #server: ApiClient;
  #isAway = false;
  #cut: () => void = () => undefined;
  #isCut = this.#next();
  /** Requests while it is away. */
  lists = 0;

  constructor(server: ApiClient) {
    this.#server = server;
  }

  #next(): Promise<'cut'> {
    return new Promise((resolve) => {
      this.#cut = () => {
        resolve('cut');
      };
    });
  }

  /** Ends every watch, and answers nothing from now on. */
  goAway(): void {
    this.#isAway = true;
    this.#cut();
  }

  /** Answers again. */
  comeBack(): void {
    this.#isAway = false;
    this.#isCut = this.#next();
  }

  request(request: ApiRequest): Promise<ApiAnswer> {
    if (!this.#isAway) return this.#server.request(request);
    this.lists += 1;
    return Promise.reject(new IpamError('cluster/unavailable', 'away, by the test'));
  }

  async stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    if (this.#isAway) throw new IpamError('cluster/unavailable', 'away, by the test');
    const answer = await this.#server.stream(request);
    return Symbol.asyncIterator in answer ? untilCut(answer, this.#isCut) : answer;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function* untilCut(events: AsyncIterable<JsonMap>, isCut: Promise<'cut'>): AsyncGenerator<JsonMap> {
  const all = events[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([all.next(), isCut]);
    if (next === 'cut') {
      yield { type: 'ERROR', object: { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' } };
      return;
    }
    if (next.done === true) return;
    yield next.value;
  }
}
