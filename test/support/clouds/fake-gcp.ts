import { createVerify, generateKeyPairSync } from 'node:crypto';
import { CloudServer, json, type Answer, type CloudFault, type SeenRequest } from './cloud-server';

interface FakeGcpInstance {
  readonly name: string;
  readonly address: string;
  fingerprint: number;
  ranges: { readonly ipCidrRange: string; readonly subnetworkRangeName?: string }[];
  status: string;
}

const PROJECT = 'projects/p1';
const ZONE = `${PROJECT}/zones/europe-west1-b`;
const LINK = 'https://www.googleapis.com/compute/v1/';
/** The one subnet of the stand-in. */
const GCP_SUBNET = `${PROJECT}/regions/europe-west1/subnetworks/nodes`;

/** `spec.providerID` of a node whose machine is of the stand-in. */
export const gcpNode = (name: string) => ({ name, providerId: `gce://p1/europe-west1-b/${name}` });

const refusal = (status: number, reason: string): Answer =>
  json(status, { error: { code: status, message: reason, errors: [{ reason, message: reason }] } });

/** Documents of Google that tell each fault. */
export const GCP_FAULTS = {
  /**
   * Too many calls: status 403, reason `rateLimitExceeded`.
   * https://cloud.google.com/compute/docs/api/how-tos/api-requests-responses#handling_api_errors
   */
  throttled:
    (path: string): CloudFault =>
    ({ url }) =>
      url.pathname.includes(path) ? refusal(403, 'rateLimitExceeded') : undefined,
} as const;

/**
 * Compute Engine, its metadata server and the token server as their REST references describe them, as far as egress addresses need them:
 * aggregated lists with `pageToken`, fingerprints of interfaces, operations of a zone, tokens for a signed assertion, an exchanged token, and the
 * metadata server.
 */
export class FakeGcp extends CloudServer {
  readonly instances = new Map<string, FakeGcpInstance>();
  readonly addresses: { readonly name: string; readonly address: string; readonly addressType: string }[] = [];
  readonly rules: { readonly name: string; readonly IPAddress: string; readonly loadBalancingScheme: string }[] = [];
  /** Tokens of ServiceAccounts that the exchange takes. */
  readonly identities = new Set<string>();
  readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  pageSize = 500;
  looks = 1;
  /** Code with which the next operation ends. */
  failing: string | undefined;
  afterRead: (instance: FakeGcpInstance) => void = () => undefined;
  logins: string[] = [];
  writes = 0;
  readonly #operations = new Map<string, { looks: number; readonly end: () => string | undefined }>();

  add(name: string, address: string, ranges: FakeGcpInstance['ranges'] = []): FakeGcpInstance {
    const made = { name, address, fingerprint: 1, ranges, status: 'RUNNING' };
    this.instances.set(name, made);
    return made;
  }

  /** The key of a service account that the token server knows. */
  get serviceAccount(): string {
    const key = this.keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
    return JSON.stringify({ type: 'service_account', client_email: 'ipam@p1.example', private_key: key });
  }

  protected answer(request: SeenRequest): Answer {
    const { pathname } = request.url;
    if (!pathname.startsWith('/compute/v1/')) return this.#login(request);
    if (!/^Bearer token-/u.test(request.headers.authorization ?? '')) return refusal(401, 'authError');
    const path = pathname.slice('/compute/v1/'.length);
    return this.#compute(request, path);
  }

  #compute(request: SeenRequest, path: string): Answer {
    const [, what] = /\/aggregated\/([a-zA-Z]+)$/u.exec(path) ?? [];
    if (what !== undefined) return this.#list(request, what);
    if (path === GCP_SUBNET) return json(200, { name: 'nodes', ipCidrRange: '10.2.0.0/24' });
    const [, operation] = /\/operations\/([^/]+)$/u.exec(path) ?? [];
    if (operation !== undefined) return this.#operation(operation);
    const [, name = ''] = /\/instances\/([^/]+)/u.exec(path) ?? [];
    return this.#instance(request, name);
  }

  #instance(request: SeenRequest, name: string): Answer {
    const found = this.instances.get(name);
    if (found === undefined) return refusal(404, 'notFound');
    if (request.method === 'PATCH') return this.#patch(request, found);
    const answer = json(200, bodyOf(found));
    this.afterRead(found);
    return answer;
  }

  #patch({ url, body: text }: SeenRequest, instance: FakeGcpInstance): Answer {
    const body = JSON.parse(text) as {
      readonly fingerprint: string;
      readonly aliasIpRanges: FakeGcpInstance['ranges'];
    };
    if (url.searchParams.get('networkInterface') !== 'nic0') return refusal(400, 'invalid');
    if (body.fingerprint !== printOf(instance)) return refusal(412, 'conditionNotMet');
    this.writes += 1;
    const name = `operation-${String(this.#operations.size + 1)}`;
    const failing = this.failing ?? this.#whyNot(instance, body.aliasIpRanges);
    this.failing = undefined;
    const end = (): string | undefined => {
      if (failing !== undefined) return failing;
      instance.ranges = body.aliasIpRanges;
      instance.fingerprint += 1;
      return undefined;
    };
    this.#operations.set(name, { looks: this.looks, end });
    return json(200, { name, status: 'RUNNING' });
  }

  #whyNot(instance: FakeGcpInstance, ranges: FakeGcpInstance['ranges']): string | undefined {
    const others = [...this.instances.values()].filter((each) => each !== instance);
    const taken = others.flatMap((each) => [
      `${each.address}/32`,
      ...each.ranges.map(({ ipCidrRange }) => ipCidrRange),
    ]);
    return ranges.some(({ ipCidrRange }) => taken.includes(ipCidrRange)) ? 'IP_IN_USE_BY_ANOTHER_RESOURCE' : undefined;
  }

  #operation(name: string): Answer {
    const found = this.#operations.get(name);
    if (found === undefined) return refusal(404, 'notFound');
    if (found.looks-- > 0) return json(200, { name, status: 'RUNNING' });
    const code = found.end();
    const error = code === undefined ? {} : { error: { errors: [{ code, message: 'the operation failed' }] } };
    return json(200, { name, status: 'DONE', ...error });
  }

  #list({ url }: SeenRequest, what: string): Answer {
    const all: readonly unknown[] =
      what === 'instances'
        ? [...this.instances.values()].map(bodyOf)
        : what === 'addresses'
          ? this.addresses
          : this.rules;
    const from = Number(url.searchParams.get('pageToken') ?? 0);
    const isLast = from + this.pageSize >= all.length;
    return json(200, {
      items: {
        'zones/europe-west1-b': { [what]: all.slice(from, from + this.pageSize) },
        'zones/europe-west1-c': { warning: { code: 'NO_RESULTS_ON_PAGE' } },
      },
      ...(isLast ? {} : { nextPageToken: String(from + this.pageSize) }),
    });
  }

  #login(request: SeenRequest): Answer {
    const how = this.#loginBy(request);
    if (how === undefined)
      return json(400, { error: 'invalid_grant', error_description: `not valid: ${request.body}` });
    this.logins.push(how);
    const token = `token-${String(this.logins.length)}`;
    return json(200, { access_token: token, accessToken: token, expires_in: 3599, token_type: 'Bearer' });
  }

  #loginBy({ url, headers, body }: SeenRequest): string | undefined {
    const params = new URLSearchParams(body);
    if (url.pathname.startsWith('/computeMetadata/'))
      return headers['metadata-flavor'] === 'Google' ? 'metadata' : undefined;
    if (url.pathname.endsWith(':generateAccessToken')) return `as ${url.pathname}`;
    if (url.pathname === '/v1/token')
      return this.identities.has(params.get('subject_token') ?? '') ? 'identity' : undefined;
    const [head, claims, signature = ''] = (params.get('assertion') ?? '').split('.');
    const isSigned = createVerify('RSA-SHA256')
      .update(`${String(head)}.${String(claims)}`)
      .verify(this.keys.publicKey, signature, 'base64url');
    return isSigned ? 'key' : undefined;
  }
}

const printOf = ({ fingerprint }: FakeGcpInstance): string => `print-${String(fingerprint)}`;

const bodyOf = (instance: FakeGcpInstance) => ({
  name: instance.name,
  status: instance.status,
  selfLink: `${LINK}${ZONE}/instances/${instance.name}`,
  networkInterfaces: [
    { name: 'nic1', networkIP: '10.9.0.1', fingerprint: 'other' },
    {
      name: 'nic0',
      networkIP: instance.address,
      subnetwork: `${LINK}${GCP_SUBNET}`,
      fingerprint: printOf(instance),
      aliasIpRanges: instance.ranges,
    },
  ],
});
