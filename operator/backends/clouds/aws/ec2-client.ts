import { AwsV4Signer } from 'aws4fetch';
import { isIpamError } from '../../../errors/ipam-error';
import type { Clock } from '../../../ports/clock';
import { cloudFault, toldText, type CloudFaultKind } from '../shared/cloud-fault';
import type { CloudAnswer, CloudCall, CloudHttp } from '../shared/cloud-http';
import type { AwsLogin } from './aws-login';
import { Ec2Element, toldIn } from './ec2-xml';

/** Version of the API. */
const VERSION = '2016-11-15';
/** Most entries of a page. */
const DEFAULT_PAGE = 1000;
/** The same of actions that take less. */
const PAGES: Readonly<Record<string, number>> = { DescribeInstanceTypes: 100 };

/** Codes as https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html lists them. */
const KINDS: Readonly<Record<string, CloudFaultKind | 'gone'>> = {
  RequestLimitExceeded: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  AuthFailure: 'login',
  ExpiredToken: 'login',
  InvalidClientTokenId: 'login',
  RequestExpired: 'login',
  SignatureDoesNotMatch: 'login',
  UnrecognizedClientException: 'login',
  Unavailable: 'unavailable',
  ServiceUnavailable: 'unavailable',
  InternalError: 'unavailable',
  InternalFailure: 'unavailable',
  'InvalidIPAddress.InUse': 'in-use',
  ResourceAlreadyAssigned: 'in-use',
  'InvalidInstanceID.NotFound': 'gone',
  'InvalidNetworkInterfaceID.NotFound': 'gone',
};

/** Parameters of an action: lists are numbered from 1, as the Query protocol does. */
export type Ec2Params = Readonly<Record<string, string | readonly string[]>>;

/** Parts of {@link Ec2Client}. */
export interface Ec2ClientParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly http: CloudHttp;
  readonly login: AwsLogin;
  readonly url: URL;
  readonly region: string;
}

/** The Query API of EC2: signed calls (Signature Version 4), answers in XML. */
export class Ec2Client {
  readonly #parts: Ec2ClientParts;

  /**
   * Asks nothing yet.
   *
   * @param parts - where EC2 is, and the login
   */
  constructor(parts: Ec2ClientParts) {
    this.#parts = parts;
  }

  /**
   * Calls an action.
   *
   * @param op - as the metric names it
   * @param action - of the API
   * @param params - of the action
   * @returns the answer; undefined where the machine, or its interface, does not exist
   * @throws IpamError of the cloud
   */
  async ask(op: string, action: string, params: Ec2Params): Promise<Ec2Element | undefined> {
    const { http, login } = this.#parts;
    const call = await this.#signed(op, formOf({ Action: action, Version: VERSION, ...params }));
    try {
      return await http.call(call, (answer) => this.#judge(call, answer));
    } catch (thrown) {
      if (isIpamError(thrown, 'cloud/login')) login.forget();
      throw thrown;
    }
  }

  /**
   * Calls an action for every page of its answer.
   *
   * @param op - as the metric names it
   * @param action - of the API
   * @param params - without those of the page
   * @returns one answer for each
   * @throws IpamError of the cloud; a page that is missing fails the whole
   */
  async pages(op: string, action: string, params: Ec2Params): Promise<readonly Ec2Element[]> {
    const all: Ec2Element[] = [];
    const most = String(PAGES[action] ?? DEFAULT_PAGE);
    let next = '';
    do {
      const page: Ec2Params = next === '' ? { MaxResults: most } : { MaxResults: most, NextToken: next };
      const answer: Ec2Element | undefined = await this.ask(op, action, { ...params, ...page });
      if (answer === undefined) return all;
      all.push(answer);
      next = answer.text('nextToken');
    } while (next !== '');
    return all;
  }

  async #signed(op: string, body: string): Promise<CloudCall> {
    const { clock, login, url, region } = this.#parts;
    const signed = await new AwsV4Signer({
      ...(await login.keys()),
      method: 'POST',
      url: url.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body,
      service: 'ec2',
      region,
      datetime: new Date(clock.nowMs()).toISOString().replaceAll(/[:-]|\.\d{3}/gu, ''),
    }).sign();
    return { op, method: 'POST', url, headers: Object.fromEntries(signed.headers), body };
  }

  #judge(call: CloudCall, answer: CloudAnswer): Ec2Element | undefined {
    const root = Ec2Element.parse(answer.text);
    if (answer.status === 200) return root;
    const told = toldIn(root);
    const kind = KINDS[told.code] ?? (answer.status >= 500 ? 'unavailable' : 'refused');
    if (kind === 'gone') return undefined;
    if (kind === 'throttled') throw this.#parts.http.throttled(call, answer);
    // what is said about a login could quote a part of it
    const words = kind === 'login' ? { ...told, message: '' } : told;
    throw cloudFault(kind, `${call.op}: EC2 refuses (${toldText(words)})`);
  }
}

function formOf(params: Ec2Params): string {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (typeof value === 'string') form.append(key, value);
    else for (const [index, each] of value.entries()) form.append(`${key}.${String(index + 1)}`, each);
  }
  return form.toString();
}
