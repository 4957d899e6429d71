import { WEBHOOK_CONFIGURATIONS } from '../../operator/contract/webhook-configurations';
import { openSelfManaged } from '../../operator/cluster/certificates/admission-certs';
import type { CertificateSource } from '../../operator/ports/certificates';
import { X509_CERTIFICATES } from '../../operator/server/x509-certificates';
import { accepts, CertificateApi, type TestClient } from './certificate-api';
import { ManualClock } from './manual-clock';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

/** Names of the serving certificate, unless a test asks for others. */
export const SERVING_NAMES = ['ipam-webhook-service.ipam-system.svc'] as const;
export const CONFIGURATIONS = ['mutating', 'validating'] as const;

/** A clock that tells when every process waits for its next look. */
class AwaitedClock extends ManualClock {
  #armed: (() => void) | undefined;

  override after(ms: number, run: () => void): () => void {
    const cancel = super.after(ms, run);
    this.#armed?.();
    return cancel;
  }

  /** Moves time on, at most one look for each process, and waits until all have looked. */
  async pass(ms: number, processes: number): Promise<void> {
    this.advance(ms);
    while (this.waiting < processes)
      await new Promise<void>((resolve) => {
        this.#armed = resolve;
      });
  }
}

/** An API server with some replicas of the operator. */
export class Installation {
  readonly api = new CertificateApi();
  readonly clock = new AwaitedClock();
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  readonly sources = new Map<CertificateSource, TestClient>();
  /** Refusals of callers after some write or look. */
  readonly refused: string[] = [];

  constructor() {
    this.api.onWrite = () => {
      this.#check(`after write ${String(this.api.writes.length)}`);
    };
  }

  async start(
    options: { readonly names?: readonly string[]; readonly writes?: number; readonly withoutWebhooks?: true } = {},
  ): Promise<CertificateSource> {
    const client = this.api.client();
    client.writesLeft = options.writes ?? Infinity;
    const source = await openSelfManaged({
      client,
      configurations: options.withoutWebhooks === true ? [] : WEBHOOK_CONFIGURATIONS.services,
      namespace: 'ipam-system',
      secretName: 'ipam-self-signed',
      names: options.names ?? SERVING_NAMES,
      certificates: X509_CERTIFICATES,
      clock: this.clock,
      logger: this.logger,
      meter: this.meter,
    });
    this.sources.set(source, client);
    return source;
  }

  stop(source: CertificateSource): void {
    source.close();
    this.sources.delete(source);
  }

  stopAll(): void {
    for (const source of [...this.sources.keys()]) this.stop(source);
  }

  /** Lets time pass, with a look of each process after every step. */
  async pass(ms: number, stepMs = ms): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.clock.pass(stepMs, this.sources.size);
      this.#check(`at ${new Date(this.clock.nowMs()).toISOString()}`);
    }
  }

  results(): readonly (string | undefined)[] {
    return this.meter.of('certificate_reloads_total').map(({ labels }) => labels['result']);
  }

  // A configuration without bundle is one that was never trusted yet.
  #check(when: string): void {
    for (const source of this.sources.keys())
      for (const which of CONFIGURATIONS) {
        const bundle = this.api.bundle(which);
        if (bundle !== '' && !accepts(bundle, source.current().certificate)) this.refused.push(`${which} ${when}`);
      }
  }
}
