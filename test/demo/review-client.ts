import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { applyPatch, type Operation } from 'fast-json-patch';
import type { Manifest } from './synthesized';

/** A Service as far as it is sent. */
export type ServiceManifest = Omit<Manifest, 'file' | 'data'>;

interface Review {
  readonly response: {
    readonly allowed: boolean;
    readonly patch?: string;
    readonly status?: { readonly message: string };
  };
}

/** Sends Services to the webhooks as the API server does: mutate, apply the patch, validate. */
export class ReviewClient {
  readonly #port: number;
  readonly #agent: Agent;

  constructor({ port, authorityFile }: { readonly port: number; readonly authorityFile: string }) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(authorityFile) });
  }

  /** Creates one Service; returns a table row for each address: Service, zone, family, address, milliseconds. */
  async admit(manifest: ServiceManifest): Promise<string[][]> {
    const { apiVersion, kind, metadata, spec = {} } = manifest;
    const namespace = metadata.namespace ?? 'default';
    const object = { apiVersion, kind, metadata: { ...metadata, namespace }, spec };
    const begin = performance.now();
    const mutated = await this.#send('/mutate--v1-service', object);
    const patch = JSON.parse(Buffer.from(mutated.response.patch ?? 'W10=', 'base64').toString()) as Operation[];
    const { newDocument } = applyPatch(structuredClone(object), patch);
    const stored = { ...newDocument, metadata: { ...newDocument.metadata, uid: metadata.uid ?? randomUUID() } };
    await this.#send('/validate--v1-service', stored);
    const milliseconds = (performance.now() - begin).toFixed(1);
    const name = `${namespace}/${manifest.metadata.name}`;
    const annotations = stored.metadata.annotations ?? {};
    const addresses = (annotations['metallb.io/loadBalancerIPs'] ?? '').split(',');
    const zone = annotations['metallb.io/address-pool'] ?? '';
    return addresses.map((address) => [name, zone, address.includes(':') ? 'ipv6' : 'ipv4', address, milliseconds]);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends one review of a Service and returns the answer, allowed or not. */
  async review(path: string, request: Readonly<Record<string, unknown>>): Promise<Review> {
    const kind = { group: '', version: 'v1', kind: 'Service' };
    const resource = { group: '', version: 'v1', resource: 'services' };
    const asked = { uid: randomUUID(), kind, resource, dryRun: false, ...request };
    const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked };
    return JSON.parse(await this.#post(path, body)) as Review;
  }

  async #send(path: string, object: ServiceManifest): Promise<Review> {
    const { name, namespace = '' } = object.metadata;
    const answer = await this.review(path, { operation: 'CREATE', name, namespace, object, oldObject: null });
    const { allowed, status } = answer.response;
    if (!allowed)
      throw new RangeError(`Service ${namespace}/${name} was refused: ${status?.message ?? 'no reason given'}`);
    return answer;
  }

  #post(path: string, body: unknown): Promise<string> {
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const call = request(
        { agent: this.#agent, host: '127.0.0.1', port: this.#port, path, method: 'POST', headers },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () => {
            resolve(Buffer.concat(parts).toString());
          });
        },
      );
      call.on('error', reject);
      call.end(text);
    });
  }
}
