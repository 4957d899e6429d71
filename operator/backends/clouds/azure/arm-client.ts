import { isMap, jsonOf, listOf, mapOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { isIpamError } from '../../../errors/ipam-error';
import type { Clock } from '../../../ports/clock';
import { cloudFault, toldText, type CloudFaultKind, type ToldFault } from '../shared/cloud-fault';
import type { CloudAnswer, CloudCall, CloudHttp } from '../shared/cloud-http';
import type { AzureLogin } from './azure-login';

/** Versions of the APIs, by provider. */
const VERSIONS = { 'Microsoft.Compute': '2024-07-01', 'Microsoft.Network': '2024-05-01' } as const;
/** Pause between two looks at an operation that does not say when. */
const POLL_MS = 5_000;
/** Longest time for which an operation is followed. */
const MOST_POLL_MS = 300_000;

const KINDS: Readonly<Record<number, CloudFaultKind>> = { 401: 'login', 408: 'unavailable', 409: 'unavailable' };
/** Codes as https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors lists them. */
const IN_USE = new Set(['PrivateIPAddressInUse', 'PrivateIPAddressIsAllocated']);

/** Result of a write; the others are no faults. */
export type ArmWritten = 'done' | 'gone' | 'changed';

/** Parts of {@link ArmClient}. */
export interface ArmClientParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly http: CloudHttp;
  readonly login: AzureLogin;
  readonly manager: URL;
}

/** The REST API of the Azure Resource Manager: pages by `nextLink`, ETags, operations that go on after the answer. */
export class ArmClient {
  readonly #parts: ArmClientParts;

  /**
   * Asks nothing yet.
   *
   * @param parts - server and login
   */
  constructor(parts: ArmClientParts) {
    this.#parts = parts;
  }

  /**
   * Reads a resource.
   *
   * @param op - as the metric names it
   * @param id - that begins with `/subscriptions/`
   * @param query - further parameters
   * @returns undefined where it does not exist
   * @throws IpamError of the cloud
   */
  read(op: string, id: string, query: Readonly<Record<string, string>> = {}): Promise<JsonMap | undefined> {
    return this.#ask({ op, method: 'GET', url: this.#urlOf(id, query) }, (answer) =>
      answer.status === 404 ? undefined : judged(op, answer),
    );
  }

  /**
   * Reads every page of a list.
   *
   * @param op - as the metric names it
   * @param id - that begins with `/subscriptions/`
   * @returns its entries; empty where the group of resources does not exist
   * @throws IpamError of the cloud; a page that is missing fails the whole
   */
  async list(op: string, id: string): Promise<readonly JsonMap[]> {
    const all: JsonMap[] = [];
    for (let url: URL | undefined = this.#urlOf(id, {}); url !== undefined;) {
      const page: JsonMap | undefined = await this.#ask({ op, method: 'GET', url }, (answer) =>
        answer.status === 404 ? undefined : judged(op, answer),
      );
      all.push(...listOf(page?.['value']).filter(isMap));
      url = this.#ownUrl(op, textOf(page?.['nextLink']));
    }
    return all;
  }

  /**
   * Writes a resource as a whole and waits until the operation has ended.
   *
   * @param op - as the metric names it
   * @param resource - as it was read, with what is to change; its ETag has to be the stored one
   * @returns `changed` where something else wrote since it was read
   * @throws IpamError of the cloud
   */
  async write(op: string, resource: JsonMap): Promise<ArmWritten> {
    const id = textOf(resource['id']);
    const headers = { 'content-type': 'application/json', 'if-match': textOf(resource['etag']) };
    const call = { op, method: 'PUT', url: this.#urlOf(id, {}), headers, body: JSON.stringify(resource) } as const;
    const answer = await this.#ask(call, (each) => {
      if (each.status === 404) return 'gone' as const;
      if (each.status === 412) return 'changed' as const;
      judged(op, each);
      return each;
    });
    if (typeof answer === 'string') return answer;
    await this.#follow(op, id, answer);
    return 'done';
  }

  // https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations
  async #follow(op: string, id: string, { headers, text }: CloudAnswer): Promise<void> {
    const { clock, http } = this.#parts;
    const status = this.#ownUrl(op, headers.get('azure-asyncoperation') ?? '');
    const endMs = clock.nowMs() + MOST_POLL_MS;
    // the body shows the resource; where an operation goes on, its own address tells how
    let state = status === undefined ? provisioningIn(mapOf(jsonOf(text))) || 'Succeeded' : '';
    let waitMs = pauseIn(headers);
    while (!isEnded(state)) {
      if (clock.nowMs() >= endMs) throw cloudFault('unavailable', `${op}: the operation of Azure goes on still`);
      await http.pause(waitMs);
      const looked = await this.#lookAt(op, status ?? this.#urlOf(id, {}));
      ({ waitMs } = looked);
      state = looked.state;
      if (looked.fault !== undefined) throw faultOf(op, 400, looked.fault);
    }
  }

  #lookAt(op: string, url: URL): Promise<Look> {
    return this.#ask({ op: 'operation', method: 'GET', url }, (answer) => {
      const body = judged(op, answer);
      const state = textOf(body['status']) || provisioningIn(body);
      const hasFailed = state === 'Failed' || state === 'Canceled';
      return { state, waitMs: pauseIn(answer.headers), ...(hasFailed ? { fault: toldIn(body, state) } : {}) };
    });
  }

  async #ask<V>(
    call: Omit<CloudCall, 'headers'> & Partial<Pick<CloudCall, 'headers'>>,
    judge: (answer: CloudAnswer) => V,
  ): Promise<V> {
    const { http, login } = this.#parts;
    const headers = { ...call.headers, accept: 'application/json', authorization: `Bearer ${await login.token()}` };
    try {
      return await http.call({ ...call, headers }, judge);
    } catch (thrown) {
      if (isIpamError(thrown, 'cloud/login')) login.forget();
      throw thrown;
    }
  }

  #urlOf(id: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(id, this.#parts.manager);
    const provider = /\/providers\/Microsoft\.Compute\//iu.test(id) ? 'Microsoft.Compute' : 'Microsoft.Network';
    url.search = new URLSearchParams({ 'api-version': VERSIONS[provider], ...query }).toString();
    return url;
  }

  // A link in an answer is followed to the same server alone, since the token goes with it.
  #ownUrl(op: string, text: string): URL | undefined {
    if (text === '') return undefined;
    const url = new URL(text);
    if (url.origin === this.#parts.manager.origin) return url;
    throw cloudFault('refused', `${op}: the Resource Manager links to another server, ${url.host}`);
  }
}

interface Look {
  readonly state: string;
  readonly waitMs: number;
  readonly fault?: ToldFault;
}

const provisioningIn = (body: JsonMap): string => textOf(mapOf(body['properties'])['provisioningState']);

const isEnded = (state: string): boolean => ['Succeeded', 'Failed', 'Canceled'].includes(state);

function pauseIn(headers: Headers): number {
  const asked = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(asked) ? 1000 * asked : POLL_MS;
}

function toldIn(body: JsonMap, otherwise: string): ToldFault {
  const error = mapOf(body['error']);
  return { code: textOf(error['code']) || otherwise, message: textOf(error['message']) };
}

function judged(op: string, { status, text }: CloudAnswer): JsonMap {
  const body = mapOf(jsonOf(text));
  if (status < 300) return body;
  throw faultOf(op, status, toldIn(body, `status ${String(status)}`));
}

function faultOf(op: string, status: number, told: ToldFault): Error {
  if (IN_USE.has(told.code)) return cloudFault('in-use', `${op}: Azure refuses (${toldText(told)})`);
  const kind = KINDS[status] ?? (status >= 500 ? 'unavailable' : 'refused');
  const words = kind === 'login' ? { ...told, message: '' } : told;
  return cloudFault(kind, `${op}: Azure refuses (${toldText(words)})`);
}
