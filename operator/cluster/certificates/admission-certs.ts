import type { JsonMap } from '../../contract/loose-json';
import type { WebhookConfiguration } from '../../contract/webhook-configurations';
import { IpamError, isIpamError } from '../../errors/ipam-error';
import type { CertificatePair, Certificates, CertificateSource } from '../../ports/certificates';
import type { Tools } from '../../ports/tools';
import type { ApiAnswer, ApiClient } from '../api/api-client';
import { apiPath } from '../api/api-path';
import { putCaBundle, refusalText, trustedBy, type BundleSight } from './ca-bundle';
import { begin, planRotation, type RotationPlan } from './certificate-rotation';
import { bundleOf, keptIn, secretWith, type KeptCertificates } from './certificate-secret';

/** Time between two looks at Secret and webhook configurations: a bundle that was taken out is back within a minute. */
export const LOOK_MS = 30_000;
/** Looks at the Secret while other replicas change it, within one round. */
const ATTEMPTS = 5;

/** Options of {@link openSelfManaged}. */
export interface SelfManagedOptions extends Tools {
  readonly client: ApiClient;
  /** Namespace of the Secret. */
  readonly namespace: string;
  readonly secretName: string;
  /** DNS names of the Services that are called. */
  readonly names: readonly string[];
  /** Webhook configurations that are to trust the CA; empty where other callers alone are served. */
  readonly configurations: readonly WebhookConfiguration[];
  /** Makes and reads certificates. */
  readonly certificates: Certificates;
}

/**
 * Serves a certificate of our own CA, which all replicas share in a Secret, and keeps webhook configurations trusting it.
 * Whichever replica looks first makes, renews and rotates, under the `resourceVersion` of the Secret.
 *
 * @param options - client, Secret, names, tools
 * @returns the source, with a good pair; `close()` ends its timer and its calls
 * @throws IpamError `cluster/unavailable` when the API server gives no answer, `certificate/invalid` when it refuses the Secret
 */
export async function openSelfManaged(options: SelfManagedOptions): Promise<CertificateSource> {
  return SelfManagedCertificate.open(options);
}

class SelfManagedCertificate implements CertificateSource {
  readonly #options: SelfManagedOptions;
  readonly #abort = new AbortController();
  readonly #listeners = new Set<(pair: CertificatePair) => void>();
  /** Certificates that are served, with the CA that issued them. */
  #served: KeptCertificates;
  /** Bundles that the configurations trusted at the last look; empty before the first. */
  #sights: readonly BundleSight[] = [];
  #reported: string | undefined;
  #stopTimer: (() => void) | undefined;

  private constructor(options: SelfManagedOptions, kept: KeptCertificates) {
    this.#options = options;
    this.#served = kept;
  }

  static async open(options: SelfManagedOptions): Promise<SelfManagedCertificate> {
    const secret = await settledSecret(options, new AbortController().signal);
    const source = new SelfManagedCertificate(options, secret.kept);
    // Without trust we start all the same: the configurations are often applied after us.
    await source.#round(secret);
    return source;
  }

  current(): CertificatePair {
    return this.#served.serving;
  }

  onChange(listener: (pair: CertificatePair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  problem(): string | undefined {
    const { certificates, clock } = this.#options;
    return certificates.datesProblem(this.current(), clock.nowMs()) ?? this.#trustProblem();
  }

  close(): void {
    this.#abort.abort();
    this.#stopTimer?.();
    this.#listeners.clear();
  }

  get #closed(): boolean {
    return this.#abort.signal.aborted;
  }

  #trustProblem(): string | undefined {
    if (this.#sights.length === 0 && this.#options.configurations.length > 0)
      return 'it is not known whether the webhook configurations trust our CA';
    const distrusting = this.#sights.find((sight) => !trustedBy([sight], this.#served.authority.certificate));
    if (distrusting === undefined) return undefined;
    const { configuration, problem = 'it changed since' } = distrusting;
    return `webhook configuration "${configuration}" does not trust our CA: ${problem}`;
  }

  // One round after the other, so that none overtakes an earlier one.
  async #round(known?: SettledSecret): Promise<void> {
    try {
      await this.#look(known ?? (await settledSecret(this.#options, this.#abort.signal)));
    } catch (thrown) {
      if (!this.#closed) this.#report(thrown);
    }
    if (this.#closed) return;
    this.#stopTimer = this.#options.clock.after(LOOK_MS, () => {
      void this.#round();
    });
  }

  async #look(secret: SettledSecret): Promise<void> {
    const { client, logger, configurations } = this.#options;
    const { kept } = secret;
    const sights = await putCaBundle(client, bundleOf(kept), { configurations, signal: this.#abort.signal });
    if (this.#closed) return;
    for (const { configuration, written } of sights)
      if (written) logger.info('our CA was put into the webhook configuration', { configuration });
    this.#adopt(kept, sights);
    this.#sights = sights;
    const problem = sights.find((sight) => sight.problem !== undefined);
    if (problem === undefined) this.#reported = undefined;
    else this.#keptOld(`webhook configuration "${problem.configuration}": ${problem.problem ?? ''}`);
    await this.#markTrusted(secret, sights);
  }

  // After the trust, so that a pair of a CA made anew is not served while callers trust the old one alone.
  #adopt(kept: KeptCertificates, sights: readonly BundleSight[]): void {
    const { serving, authority } = this.#served;
    const same = serving.certificate === kept.serving.certificate && serving.key === kept.serving.key;
    const oldAlone = !trustedBy(sights, kept.authority.certificate) && trustedBy(sights, authority.certificate);
    if (oldAlone) return;
    this.#served = kept;
    if (same) return;
    const { logger, meter, namespace, secretName } = this.#options;
    meter.count('certificate_reloads_total', { result: 'loaded' });
    logger.info('serving certificate reloaded', { object: `${namespace}/${secretName}` });
    for (const listener of [...this.#listeners]) listener(kept.serving);
  }

  // The overlap begins when the trust was seen, not when the CA was made: in between, a write may have failed for days.
  async #markTrusted({ object, kept }: SettledSecret, sights: readonly BundleSight[]): Promise<void> {
    const { next } = kept;
    if (next === undefined || next.trustedSinceMs !== undefined) return;
    if (!trustedBy(sights, next.authority.certificate)) return;
    const trustedSinceMs = this.#options.clock.nowMs();
    const marked = secretWith(object, { ...kept, next: { ...next, trustedSinceMs } });
    // A refusal is left to the next round, which finds what is there then.
    await writeSecret(this.#options, marked, this.#abort.signal);
  }

  // An API server that does not answer is no fault of the certificates, so the alert leaves it out.
  #report(thrown: unknown): void {
    if (isIpamError(thrown, 'certificate/invalid')) this.#keptOld(thrown.message);
    else this.#keptOld(isIpamError(thrown) ? thrown.message : 'internal error', 'failed');
  }

  // Said once for each problem, counted each time, so that an alert stays on while the problem does.
  #keptOld(problem: string, result: 'kept_old' | 'failed' = 'kept_old'): void {
    const { logger, meter } = this.#options;
    meter.count('certificate_reloads_total', { result });
    if (problem !== this.#reported)
      logger.warn('own certificates not looked after; they stay as they are, next try in half a minute', { problem });
    this.#reported = problem;
  }
}

/** The Secret as the API server has it, with nothing left to do in it now. */
interface SettledSecret {
  readonly object: JsonMap;
  readonly kept: KeptCertificates;
}

async function settledSecret(options: SelfManagedOptions, signal: AbortSignal): Promise<SettledSecret> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const got = await readSecret(options, signal);
    const plan = await planFor(options, got);
    if (got !== undefined && plan.steps.length === 0) return { object: got, kept: plan.kept };
    const written = await writeSecret(options, secretWith(got ?? newSecret(options), plan.kept), signal);
    if (written !== undefined) {
      announce(options, plan);
      return { object: written, kept: plan.kept };
    }
  }
  throw new IpamError('cluster/unavailable', `${named(options)} is changed by others again and again`);
}

function planFor(
  { certificates, names, clock }: SelfManagedOptions,
  secret: JsonMap | undefined,
): Promise<RotationPlan> {
  const nowMs = clock.nowMs();
  const around = { certificates, names, nowMs };
  if (secret !== undefined) return planRotation(keptIn(secret, nowMs), around);
  return begin(around, { result: 'created', message: 'the operator made its own CA and serving certificate' });
}

async function readSecret(options: SelfManagedOptions, signal: AbortSignal): Promise<JsonMap | undefined> {
  const { namespace, secretName: name } = options;
  const path = apiPath({ apiVersion: 'v1', resource: 'secrets', namespace, name });
  const got = await options.client.request({ method: 'GET', path, signal });
  if (got.ok) return got.body;
  if (got.status === 404) return undefined;
  throw refused(options, 'read', got);
}

// Returns nothing when another process was faster: created it, changed it or deleted it.
async function writeSecret(
  options: SelfManagedOptions,
  secret: JsonMap,
  signal: AbortSignal,
): Promise<JsonMap | undefined> {
  const { client, namespace, secretName: name } = options;
  const at = { apiVersion: 'v1', resource: 'secrets', namespace };
  const isNew = secretVersion(secret) === undefined;
  const answer = await (isNew
    ? client.request({ method: 'POST', path: apiPath(at), body: secret, signal })
    : client.request({ method: 'PUT', path: apiPath({ ...at, name }), body: secret, signal }));
  if (answer.ok) return answer.body;
  if (answer.status === 409 || (!isNew && answer.status === 404)) return undefined;
  throw refused(options, 'written', answer);
}

function secretVersion(secret: JsonMap): unknown {
  return (secret['metadata'] as JsonMap | undefined)?.['resourceVersion'];
}

function newSecret({ namespace, secretName: name }: SelfManagedOptions): JsonMap {
  const labels = { 'app.kubernetes.io/name': 'ipam-operator', 'app.kubernetes.io/managed-by': 'ipam-operator' };
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace, labels } };
}

function announce(options: SelfManagedOptions, { steps }: RotationPlan): void {
  const { logger, meter, namespace, secretName } = options;
  const object = `${namespace}/${secretName}`;
  for (const { result, message, problem } of steps) {
    meter.count('certificate_reloads_total', { result });
    if (result === 'replaced') logger.warn(message, { object, problem });
    else logger.info(message, { object });
  }
}

function refused(options: SelfManagedOptions, verb: string, answer: ApiAnswer & { readonly ok: false }): IpamError {
  return new IpamError('certificate/invalid', `${named(options)} cannot be ${verb} (${refusalText(answer)})`);
}

function named({ namespace, secretName }: SelfManagedOptions): string {
  return `Secret "${namespace}/${secretName}"`;
}
