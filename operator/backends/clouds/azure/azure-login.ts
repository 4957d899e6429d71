import type { AzureEnvironment } from '../../../contract/egress-clouds';
import { jsonOf, mapOf, textOf } from '../../../contract/loose-json';
import type { Clock } from '../../../ports/clock';
import { cloudFault } from '../shared/cloud-fault';
import type { CloudHttp } from '../shared/cloud-http';
import type { CloudSecret } from '../shared/cloud-secret';
import { KeptToken, type TimedToken } from '../shared/kept-token';

/** Servers of one environment of Azure. */
export interface AzureServers {
  /** Of Microsoft Entra, which gives tokens. */
  readonly login: URL;
  /** Of the Resource Manager. */
  readonly manager: URL;
}

/**
 * Names the servers of an environment.
 *
 * @param environment - public, or of a government or country
 * @returns the two servers
 */
export const azureServers = (environment: AzureEnvironment): AzureServers => SERVERS[environment];

const servers = (login: string, manager: string): AzureServers => ({
  login: new URL(login),
  manager: new URL(manager),
});

const SERVERS: Readonly<Record<AzureEnvironment, AzureServers>> = {
  AzurePublicCloud: servers('https://login.microsoftonline.com', 'https://management.azure.com'),
  AzureUSGovernmentCloud: servers('https://login.microsoftonline.us', 'https://management.usgovcloudapi.net'),
  AzureChinaCloud: servers('https://login.partner.microsoftonline.cn', 'https://management.chinacloudapi.cn'),
};

/** Parts of {@link AzureLogin}. */
interface AzureLoginParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly http: CloudHttp;
  readonly secret: CloudSecret;
  readonly servers: AzureServers;
}

const TOKEN_FILE = 'azure_federated_token_file';

/** The login at Azure: an application with its secret, or with the token of the ServiceAccount (workload identity). */
export class AzureLogin {
  readonly #parts: AzureLoginParts;
  readonly #kept: KeptToken<string>;

  /**
   * Asks nothing yet.
   *
   * @param parts - Secret and servers
   */
  constructor(parts: AzureLoginParts) {
    this.#parts = parts;
    this.#kept = new KeptToken(parts.clock);
  }

  /**
   * Gives a token for the Resource Manager.
   *
   * @returns the bearer token
   * @throws IpamError `cloud/login`, or without an answer
   */
  async token(): Promise<string> {
    const { secret } = this.#parts;
    const file = await secret.find(TOKEN_FILE);
    const { azure_tenant_id: tenant, azure_client_id: client } = await secret.need(
      'azure_tenant_id',
      'azure_client_id',
    );
    if (file !== undefined) {
      return this.#kept.get(`${tenant} ${client} ${file}`, async () =>
        this.#ask(tenant, {
          client_id: client,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await secret.tokenIn(file),
        }),
      );
    }
    const { azure_client_secret: password } = await secret.need('azure_client_secret');
    return this.#kept.get(`${tenant} ${client} ${password}`, () =>
      this.#ask(tenant, { client_id: client, client_secret: password }),
    );
  }

  /** Forgets what was not taken. */
  forget(): void {
    this.#kept.forget();
    this.#parts.secret.forget();
  }

  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
  #ask(tenant: string, params: Readonly<Record<string, string>>): Promise<TimedToken<string>> {
    const { http, clock, servers } = this.#parts;
    const scope = `${servers.manager.origin}/.default`;
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope, ...params }).toString();
    const url = new URL(`/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, servers.login);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return http.call({ op: 'login', method: 'POST', url, headers, body }, ({ status, text }) => {
      const answer = mapOf(jsonOf(text));
      if (status >= 500) throw cloudFault('unavailable', `login: ${url.host} answered with status ${String(status)}`);
      const token = textOf(answer['access_token']);
      // the description quotes parts of the request
      if (status !== 200 || token === '')
        throw cloudFault('login', `login: ${url.host} gives no token (${textOf(answer['error']) || String(status)})`);
      return { token, endsAtMs: clock.nowMs() + 1000 * Number(answer['expires_in']) };
    });
  }
}
