import { isMap, jsonOf, listOf, mapOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { isIpamError } from '../../../errors/ipam-error';
import type { Clock } from '../../../ports/clock';
import { cloudFault, toldText, type CloudFaultKind } from '../shared/cloud-fault';
import type { CloudAnswer, CloudCall, CloudHttp } from '../shared/cloud-http';
import type { GcpLogin } from './gcp-login';

/** Most looks at an operation, with pauses that double: four minutes together. */
const MOST_LOOKS = 8;

/** Codes of operations, and reasons of refusals (https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-operations). */
const KINDS: Readonly<Record<string, CloudFaultKind>> = {
  rateLimitExceeded: 'throttled',
  userRateLimitExceeded: 'throttled',
  quotaExceeded: 'throttled',
  RATE_LIMIT_EXCEEDED: 'throttled',
  IP_IN_USE_BY_ANOTHER_RESOURCE: 'in-use',
  RESOURCE_IN_USE_BY_ANOTHER_RESOURCE: 'in-use',
  authError: 'login',
};

/** Parts of {@link ComputeClient}. */
export interface ComputeClientParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly http: CloudHttp;
  readonly login: GcpLogin;
  readonly compute: URL;
}

/** The REST API of Compute Engine: pages by `pageToken`, fingerprints, operations of a zone. */
export class ComputeClient {
  readonly #parts: ComputeClientParts;

  /**
   * Asks nothing yet.
   *
   * @param parts - server and login
   */
  constructor(parts: ComputeClientParts) {
    this.#parts = parts;
  }

  /**
   * Reads a resource.
   *
   * @param op - as the metric names it
   * @param path - below `/compute/v1/`
   * @returns undefined where it does not exist
   * @throws IpamError of the cloud
   */
  read(op: string, path: string): Promise<JsonMap | undefined> {
    return this.#ask({ op, method: 'GET', url: this.#urlOf(path, {}) }, (call, answer) =>
      answer.status === 404 ? undefined : this.#judged(call, answer),
    );
  }

  /**
   * Reads every page of a list over all zones and regions.
   *
   * @param op - as the metric names it
   * @param path - of an aggregated list
   * @param field - of each scope that has the entries
   * @returns the entries
   * @throws IpamError of the cloud; a page, or a scope, that is missing fails the whole
   */
  async aggregated(op: string, path: string, field: string): Promise<readonly JsonMap[]> {
    const all: JsonMap[] = [];
    let token = '';
    do {
      const url = this.#urlOf(path, { maxResults: '500', ...(token === '' ? {} : { pageToken: token }) });
      const page: JsonMap = await this.#ask({ op, method: 'GET', url }, (call, answer) => this.#judged(call, answer));
      if (listOf(page['unreachables']).length > 0)
        throw cloudFault(
          'unavailable',
          `${op}: Compute Engine does not reach ${listOf(page['unreachables']).join(', ')}`,
        );
      for (const scope of Object.values(mapOf(page['items']))) all.push(...listOf(mapOf(scope)[field]).filter(isMap));
      token = textOf(page['nextPageToken']);
    } while (token !== '');
    return all;
  }

  /**
   * Changes the network interface of an instance and waits until the operation has ended.
   *
   * @param op - as the metric names it
   * @param instance - path below `/compute/v1/`
   * @param change - what is written
   * @param change.name - for example `nic0`
   * @param change.body - with the fingerprint that it was decided on
   * @returns `changed` where something else wrote since
   * @throws IpamError of the cloud
   */
  async patchInterface(
    op: string,
    instance: string,
    { name, body }: { readonly name: string; readonly body: JsonMap },
  ): Promise<'done' | 'gone' | 'changed'> {
    const url = this.#urlOf(`${instance}/updateNetworkInterface`, { networkInterface: name });
    const call = { op, method: 'PATCH', url, headers: { 'content-type': 'application/json' } } as const;
    const begun = await this.#ask({ ...call, body: JSON.stringify(body) }, (sent, answer) => {
      if (answer.status === 404) return 'gone' as const;
      return answer.status === 412 ? ('changed' as const) : this.#judged(sent, answer);
    });
    if (typeof begun === 'string') return begun;
    await this.#follow(op, instance.replace(/\/instances\/.*$/u, ''), begun);
    return 'done';
  }

  // https://cloud.google.com/compute/docs/reference/rest/v1/zoneOperations
  async #follow(op: string, zone: string, begun: JsonMap): Promise<void> {
    let operation = begun;
    for (let looks = 0; operation['status'] !== 'DONE'; looks++) {
      if (looks === MOST_LOOKS) throw cloudFault('unavailable', `${op}: the operation of Compute Engine goes on still`);
      const path = `${zone}/operations/${encodeURIComponent(textOf(operation['name']))}`;
      if (looks > 0) await this.#parts.http.pause(1_000 * 2 ** looks);
      operation = (await this.read('operation', path)) ?? {};
    }
    const error = listOf(mapOf(operation['error'])['errors']).map(mapOf)[0];
    if (error === undefined) return;
    const told = { code: textOf(error['code']), message: textOf(error['message']) };
    throw cloudFault(KINDS[told.code] ?? 'refused', `${op}: Compute Engine refuses (${toldText(told)})`);
  }

  async #ask<V>(
    call: Omit<CloudCall, 'headers'> & Partial<Pick<CloudCall, 'headers'>>,
    judge: (call: CloudCall, answer: CloudAnswer) => V,
  ): Promise<V> {
    const { http, login } = this.#parts;
    const headers = { ...call.headers, accept: 'application/json', authorization: `Bearer ${await login.token()}` };
    const whole = { ...call, headers };
    try {
      return await http.call(whole, (answer) => judge(whole, answer));
    } catch (thrown) {
      if (isIpamError(thrown, 'cloud/login')) login.forget();
      throw thrown;
    }
  }

  #judged(call: CloudCall, answer: CloudAnswer): JsonMap {
    const body = mapOf(jsonOf(answer.text));
    if (answer.status < 300) return body;
    const error = mapOf(body['error']);
    const code = textOf(mapOf(listOf(error['errors'])[0])['reason']) || textOf(error['status']);
    const told = { code: code || `status ${String(answer.status)}`, message: textOf(error['message']) };
    if (KINDS[told.code] === 'throttled') throw this.#parts.http.throttled(call, answer);
    const byStatus = answer.status >= 500 ? 'unavailable' : 'refused';
    const kind = answer.status === 401 ? 'login' : (KINDS[told.code] ?? byStatus);
    const words = kind === 'login' ? { ...told, message: '' } : told;
    throw cloudFault(kind, `${call.op}: Compute Engine refuses (${toldText(words)})`);
  }

  #urlOf(path: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(`/compute/v1/${path}`, this.#parts.compute);
    url.search = new URLSearchParams(query).toString();
    return url;
  }
}
