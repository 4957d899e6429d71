import { createSign } from 'node:crypto';
import { jsonOf, mapOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { Clock } from '../../../ports/clock';
import { cloudFault } from '../shared/cloud-fault';
import type { CloudAnswer, CloudHttp } from '../shared/cloud-http';
import type { CloudSecret } from '../shared/cloud-secret';
import { KeptToken, type TimedToken } from '../shared/kept-token';

/** Servers of Google. */
export interface GcpServers {
  readonly compute: URL;
  /** Gives tokens for the key of a service account. */
  readonly oauth: URL;
  /** Exchanges the token of another identity provider. */
  readonly sts: URL;
  /** Gives tokens of a service account to those who may act as it. */
  readonly iam: URL;
  /** Of the machine that the operator runs on. */
  readonly metadata: URL;
}

/** The servers that everything outside of tests uses. */
export const GCP_SERVERS: GcpServers = {
  compute: new URL('https://compute.googleapis.com'),
  oauth: new URL('https://oauth2.googleapis.com'),
  sts: new URL('https://sts.googleapis.com'),
  iam: new URL('https://iamcredentials.googleapis.com'),
  metadata: new URL('http://metadata.google.internal'),
};

/** Parts of {@link GcpLogin}. */
interface GcpLoginParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly http: CloudHttp;
  /** Absent: the metadata server gives tokens. */
  readonly secret: CloudSecret | undefined;
  readonly servers: GcpServers;
}

const SCOPE = 'https://www.googleapis.com/auth/compute';
const KEY = 'service_account.json';
const TOKEN_SECONDS = 3600;

/**
 * The login at Google Cloud: the key of a service account, or the description of an external identity (workload identity federation), in the
 * Secret under `service_account.json`; without a Secret what the metadata server gives.
 */
export class GcpLogin {
  readonly #parts: GcpLoginParts;
  readonly #kept: KeptToken<string>;

  /**
   * Asks nothing yet.
   *
   * @param parts - Secret and servers
   */
  constructor(parts: GcpLoginParts) {
    this.#parts = parts;
    this.#kept = new KeptToken(parts.clock);
  }

  /**
   * Gives a token.
   *
   * @returns the bearer token
   * @throws IpamError `cloud/login`, or without an answer
   */
  async token(): Promise<string> {
    const { secret } = this.#parts;
    if (secret === undefined) return this.#kept.get('metadata', () => this.#ofMachine());
    const { [KEY]: text } = await secret.need(KEY);
    const key = mapOf(jsonOf(text));
    switch (key['type']) {
      case 'service_account':
        return this.#kept.get(text, () => this.#ofServiceAccount(key));
      case 'external_account':
        return this.#kept.get(text, () => this.#ofIdentity(key, secret));
      default:
        throw cloudFault(
          'login',
          `"${KEY}" of the Secret of the cloud is neither a service_account nor an external_account`,
        );
    }
  }

  /** Forgets what was not taken. */
  forget(): void {
    this.#kept.forget();
    this.#parts.secret?.forget();
  }

  // https://cloud.google.com/compute/docs/metadata/overview
  #ofMachine(): Promise<TimedToken<string>> {
    const url = new URL('/computeMetadata/v1/instance/service-accounts/default/token', this.#parts.servers.metadata);
    const call = { op: 'login', method: 'GET', url, headers: { 'metadata-flavor': 'Google' } } as const;
    return this.#parts.http.call(call, (answer) => this.#tokenIn(answer, url));
  }

  // https://developers.google.com/identity/protocols/oauth2/service-account#httprest
  async #ofServiceAccount(key: JsonMap): Promise<TimedToken<string>> {
    const { clock, servers } = this.#parts;
    const url = new URL('/token', servers.oauth);
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    const claims = {
      iss: textOf(key['client_email']),
      scope: SCOPE,
      aud: 'https://oauth2.googleapis.com/token',
      iat: nowSeconds,
      exp: nowSeconds + TOKEN_SECONDS,
    };
    const assertion = signedBy(textOf(key['private_key']), claims);
    return this.#post(url, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  }

  // https://cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes
  async #ofIdentity(key: JsonMap, secret: CloudSecret): Promise<TimedToken<string>> {
    const { servers } = this.#parts;
    const file = textOf(mapOf(key['credential_source'])['file']);
    const federated = await this.#post(new URL('/v1/token', servers.sts), {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: textOf(key['audience']),
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: textOf(key['subject_token_type']),
      subject_token: await secret.tokenIn(file),
    });
    const account = /\/serviceAccounts\/(?<name>[^/:]+):/u.exec(textOf(key['service_account_impersonation_url']));
    const name = account?.groups?.['name'];
    return name === undefined ? federated : this.#actingAs(name, federated.token);
  }

  #actingAs(name: string, token: string): Promise<TimedToken<string>> {
    const { http, servers } = this.#parts;
    const url = new URL(`/v1/projects/-/serviceAccounts/${encodeURIComponent(name)}:generateAccessToken`, servers.iam);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const body = JSON.stringify({ scope: [SCOPE], lifetime: `${String(TOKEN_SECONDS)}s` });
    return http.call({ op: 'login', method: 'POST', url, headers, body }, (answer) => this.#tokenIn(answer, url));
  }

  #post(url: URL, params: Readonly<Record<string, string>>): Promise<TimedToken<string>> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(params).toString();
    return this.#parts.http.call({ op: 'login', method: 'POST', url, headers, body }, (answer) =>
      this.#tokenIn(answer, url),
    );
  }

  #tokenIn({ status, text }: CloudAnswer, url: URL): TimedToken<string> {
    if (status >= 500) throw cloudFault('unavailable', `login: ${url.host} answered with status ${String(status)}`);
    const answer = mapOf(jsonOf(text));
    const token = textOf(answer['access_token']) || textOf(answer['accessToken']);
    // what is said beside the code quotes parts of the request
    if (status !== 200 || token === '')
      throw cloudFault('login', `login: ${url.host} gives no token (${textOf(answer['error']) || String(status)})`);
    const seconds = Number(answer['expires_in'] ?? TOKEN_SECONDS);
    return { token, endsAtMs: this.#parts.clock.nowMs() + 1000 * seconds };
  }
}

function signedBy(key: string, claims: JsonMap): string {
  const part = (value: JsonMap): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
  } catch {
    // the error of Node.js could quote the key
    throw cloudFault('login', `"${KEY}" of the Secret of the cloud has no private key that can sign`);
  }
}
