import { X509Certificate } from 'node:crypto';
import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import { WEBHOOK_NAMES } from '../../operator/contract/group';
import { isMap, listOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';

const PATHS = {
  secret: '/api/v1/namespaces/ipam-system/secrets/ipam-self-signed',
  secrets: '/api/v1/namespaces/ipam-system/secrets',
  mutating: `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${WEBHOOK_NAMES.mutatingConfiguration}`,
  validating: `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${WEBHOOK_NAMES.validatingConfiguration}`,
} as const;

interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

/** A webhook configuration as the manifests bring it: ours comes second, so that its index matters. */
export function webhookConfiguration(webhook: string): JsonMap {
  const service = { name: 'ipam-webhook-service', namespace: 'ipam-system', port: 443 };
  return {
    metadata: { annotations: { kept: 'yes' } },
    webhooks: [
      { name: 'other.example.org', clientConfig: { service, caBundle: 'b3RoZXI=' } },
      { name: webhook, clientConfig: { service }, failurePolicy: 'Fail' },
    ],
  };
}

/** The API server for one Secret and two webhook configurations, in memory. */
export class CertificateApi {
  readonly objects = new Map<string, JsonMap>([
    [PATHS.mutating, webhookConfiguration(WEBHOOK_NAMES.mutating)],
    [PATHS.validating, webhookConfiguration(WEBHOOK_NAMES.validating)],
  ]);
  /** Writes that were done, as `METHOD what`. */
  readonly writes: string[] = [];
  /** Called after each write. */
  onWrite: () => void = () => undefined;
  /** Answers instead of the server, where it returns something. */
  refuse: (request: ApiRequest) => ApiAnswer | undefined = () => undefined;
  #version = 0;

  /** A client of one process. */
  client(): TestClient {
    return new TestClient(this);
  }

  get secret(): JsonMap | undefined {
    return this.objects.get(PATHS.secret);
  }

  set secret(secret: JsonMap | undefined) {
    if (secret === undefined) this.objects.delete(PATHS.secret);
    else this.#store(PATHS.secret, secret);
  }

  /** Texts of the Secret by key. */
  get texts(): Readonly<Record<string, string>> {
    const data = this.secret?.['data'];
    return Object.fromEntries(
      Object.entries(isMap(data) ? data : {}).map(([key, value]) => [
        key,
        Buffer.from(textOf(value), 'base64').toString(),
      ]),
    );
  }

  /** Changes texts of the Secret behind the operator's back; undefined takes a key out. */
  damage(changes: Readonly<Record<string, string | undefined>>): void {
    const texts = Object.entries({ ...this.texts, ...changes });
    const data = texts.flatMap(([key, text]) =>
      text === undefined ? [] : [[key, Buffer.from(text).toString('base64')] as const],
    );
    this.secret = { ...this.secret, data: Object.fromEntries(data) };
  }

  /** Replaces a configuration, as an apply of manifests without `caBundle` would. */
  reapply(which: 'mutating' | 'validating'): void {
    this.objects.set(PATHS[which], webhookConfiguration(WEBHOOK_NAMES[which]));
  }

  remove(which: 'mutating' | 'validating'): void {
    this.objects.delete(PATHS[which]);
  }

  /** PEM that our webhook of a configuration trusts. */
  bundle(which: 'mutating' | 'validating'): string {
    const ours = listOf(this.objects.get(PATHS[which])?.['webhooks']).find(
      (each) => isMap(each) && each['name'] === WEBHOOK_NAMES[which],
    );
    const clientConfig = isMap(ours) ? ours['clientConfig'] : undefined;
    return Buffer.from(isMap(clientConfig) ? textOf(clientConfig['caBundle']) : '', 'base64').toString();
  }

  /** Answers one request. */
  answer(request: ApiRequest): ApiAnswer {
    const refused = this.refuse(request);
    if (refused !== undefined) return refused;
    if (request.method === 'GET') return this.#read(request.path);
    const answer = this.#write(request);
    if (answer.ok) {
      this.writes.push(`${request.method} ${request.path.split('/').at(-2) ?? ''}`);
      this.onWrite();
    }
    return answer;
  }

  #read(path: string): ApiAnswer {
    const body = this.objects.get(path);
    return body === undefined ? refusal(404, 'NotFound') : { ok: true, status: 200, body };
  }

  #write({ method, path, body }: ApiRequest): ApiAnswer {
    if (method === 'POST' && path === PATHS.secrets) {
      if (this.secret !== undefined) return refusal(409, 'AlreadyExists');
      return { ok: true, status: 201, body: this.#store(PATHS.secret, body as JsonMap) };
    }
    const old = this.objects.get(path);
    if (old === undefined) return refusal(404, 'NotFound');
    if (method === 'PUT') {
      if (versionOf(body as JsonMap) !== versionOf(old)) return refusal(409, 'Conflict');
      return { ok: true, status: 200, body: this.#store(path, body as JsonMap) };
    }
    const patched = applyPatch(old, body as readonly PatchOperation[]);
    if (patched === undefined) return refusal(422, 'Invalid');
    return { ok: true, status: 200, body: this.#store(path, patched) };
  }

  #store(path: string, object: JsonMap): JsonMap {
    const metadata = isMap(object['metadata']) ? object['metadata'] : {};
    const stored = { ...object, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
    this.objects.set(path, stored);
    return stored;
  }
}

/** The client of one process, which a test can cut off. */
export class TestClient implements ApiClient {
  /** Writes after which the process is dead; the last one arrives, its answer does not. */
  writesLeft = Infinity;
  cutOff = false;
  readonly #api: CertificateApi;

  constructor(api: CertificateApi) {
    this.#api = api;
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    await Promise.resolve(); // so that two processes take turns
    if (this.cutOff || this.writesLeft <= 0) throw new IpamError('cluster/unavailable', 'no answer');
    const answer = this.#api.answer(request);
    if (request.method !== 'GET' && answer.ok && --this.writesLeft === 0)
      throw new IpamError('cluster/unavailable', 'no answer');
    return answer;
  }

  stream(): Promise<never> {
    return Promise.reject(new IpamError('internal', 'nothing here is watched'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A refusal of the API server. */
export function refusal(status: number, reason: string): ApiAnswer & { readonly ok: false } {
  return { ok: false, status, reason, message: `the server says ${reason}`, body: {} };
}

/** Tells whether a caller that trusts a bundle accepts a certificate. */
export function accepts(bundle: string, certificate: string): boolean {
  const leaf = new X509Certificate(certificate);
  const authorities = bundle.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  return authorities
    .map((pem) => new X509Certificate(pem))
    .some((authority) => leaf.checkIssued(authority) && leaf.verify(authority.publicKey));
}

function versionOf(object: JsonMap): unknown {
  return isMap(object['metadata']) ? object['metadata']['resourceVersion'] : undefined;
}

// RFC 6902, as far as `test` and `add` on members of objects go.
function applyPatch(object: JsonMap, operations: readonly PatchOperation[]): JsonMap | undefined {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const { op, path, value } of operations) {
    const segments = path.slice(1).split('/');
    const member = segments.pop() ?? '';
    const parent = segments.reduce<Record<string, unknown>>(
      (at, segment) => at[segment] as Record<string, unknown>,
      copy,
    );
    if (op === 'test' && parent[member] !== value) return undefined;
    if (op === 'add') parent[member] = value;
  }
  return copy;
}
