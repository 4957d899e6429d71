import type { Clock } from '../../../ports/clock';
import { cloudFault, toldText } from '../shared/cloud-fault';
import type { CloudHttp } from '../shared/cloud-http';
import type { CloudSecret } from '../shared/cloud-secret';
import { KeptToken, type TimedToken } from '../shared/kept-token';
import { Ec2Element, toldIn } from './ec2-xml';

/** Keys that requests are signed with. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Parts of {@link AwsLogin}. */
interface AwsLoginParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly http: CloudHttp;
  readonly secret: CloudSecret;
  /** Of the Security Token Service. */
  readonly stsUrl: URL;
}

/** A role that the token of a ServiceAccount stands for. */
interface WebIdentity {
  readonly role: string;
  readonly tokenFile: string;
}

/** What users may write into the Secret, and OpenShift does for clusters with short-lived tokens. */
const ROLE = 'role_arn';
const TOKEN_FILE = 'web_identity_token_file';

/**
 * The login at AWS: static keys in the Secret, or a role with the token of the ServiceAccount (web identity), which STS gives keys of an hour for.
 */
export class AwsLogin {
  readonly #parts: AwsLoginParts;
  readonly #kept: KeptToken<AwsKeys>;

  /**
   * Asks nothing yet.
   *
   * @param parts - Secret and STS
   */
  constructor(parts: AwsLoginParts) {
    this.#parts = parts;
    this.#kept = new KeptToken(parts.clock);
  }

  /**
   * Gives keys.
   *
   * @returns static ones, or those of the role
   * @throws IpamError `cloud/login`, or without an answer of STS
   */
  async keys(): Promise<AwsKeys> {
    const { secret } = this.#parts;
    const identity = await this.#webIdentity();
    if (identity !== undefined)
      return this.#kept.get(`${identity.role} ${identity.tokenFile}`, () => this.#assume(identity));
    const found = await secret.need('aws_access_key_id', 'aws_secret_access_key');
    const sessionToken = await secret.find('aws_session_token');
    const keys = { accessKeyId: found.aws_access_key_id, secretAccessKey: found.aws_secret_access_key };
    return sessionToken === undefined ? keys : { ...keys, sessionToken };
  }

  /** Forgets what was not taken. */
  forget(): void {
    this.#kept.forget();
    this.#parts.secret.forget();
  }

  async #webIdentity(): Promise<WebIdentity | undefined> {
    const { secret } = this.#parts;
    const profile = profileIn((await secret.find('credentials')) ?? '');
    const role = (await secret.find(ROLE)) ?? profile.get(ROLE);
    if (role === undefined) return undefined;
    const tokenFile = (await secret.find(TOKEN_FILE)) ?? profile.get(TOKEN_FILE);
    if (tokenFile !== undefined) return { role, tokenFile };
    throw cloudFault('login', `the Secret of the cloud has "${ROLE}" but no key "${TOKEN_FILE}"`);
  }

  async #assume({ role, tokenFile }: WebIdentity): Promise<TimedToken<AwsKeys>> {
    const { http, stsUrl, secret } = this.#parts;
    const body = new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role,
      RoleSessionName: 'ipam-operator',
      WebIdentityToken: await secret.tokenIn(tokenFile),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const call = { op: 'login', method: 'POST', url: stsUrl, headers, body: body.toString() } as const;
    return http.call(call, ({ status, text }) => {
      const root = Ec2Element.parse(text);
      if (status === 200) return tokenIn(root);
      const told = toldIn(root);
      if (status >= 500) throw cloudFault('unavailable', `login: STS answered with status ${String(status)}`);
      throw cloudFault(
        'login',
        `login: STS does not give the role ${role} (${toldText({ code: told.code, message: '' })})`,
      );
    });
  }
}

function tokenIn(root: Ec2Element): TimedToken<AwsKeys> {
  const found = root.at('AssumeRoleWithWebIdentityResult', 'Credentials');
  return {
    token: {
      accessKeyId: found.text('AccessKeyId'),
      secretAccessKey: found.text('SecretAccessKey'),
      sessionToken: found.text('SessionToken'),
    },
    endsAtMs: Date.parse(found.text('Expiration')),
  };
}

// The file format of the command line of AWS; sections are not told apart, since the Secret has one.
function profileIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const [key = '', ...rest] = line.split('=');
    return rest.length === 0 ? [] : ([[key.trim(), rest.join('=').trim()]] as const);
  });
  return new Map(lines);
}
