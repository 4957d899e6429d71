import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import { IpamError } from '../../operator/errors/ipam-error';

/** What goes wrong with a write: it never arrives, its answer is lost, another program was first, or the process ends behind it. */
export type Fault = 'unsent' | 'unanswered' | 'conflict' | 'death';

/** A connection of a process on which writes go wrong. */
export class FaultyClient implements ApiClient {
  readonly #client: ApiClient;
  #faults: Fault[] = [];
  #isDead = false;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Lets the next writes go wrong, each in its way. */
  break(...faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  /** True once the process has ended. */
  get isDead(): boolean {
    return this.#isDead;
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    if (this.#isDead) throw new IpamError('cluster/unavailable', 'the process is dead');
    const fault = request.method === 'GET' ? undefined : this.#faults.shift();
    if (fault === 'unsent') throw new IpamError('cluster/unavailable', 'not sent, by the test');
    if (fault === 'conflict') return { ok: false, status: 409, reason: 'Conflict', message: 'by the test', body: {} };
    const answer = await this.#client.request(request);
    if (fault === undefined) return answer;
    this.#isDead = fault === 'death';
    throw new IpamError('cluster/unavailable', 'the answer is lost, by the test');
  }

  stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    return this.#client.stream(request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
