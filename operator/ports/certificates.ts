import type { Outcome } from '../errors/outcome';

/** A certificate chain and its private key, both PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** Where a server's certificate comes from. Safe to share between servers; after `close()` nothing changes any more. */
export interface CertificateSource {
  /** The last good pair. */
  current(): CertificatePair;
  /** Calls `listener` after each change; returns the function that stops it. */
  onChange(listener: (pair: CertificatePair) => void): () => void;
  /** Tells why callers would refuse the pair now, or undefined; for readiness. */
  problem(): string | undefined;
  /** Ends watches and timers. Idempotent. */
  close(): void;
}

/** When a certificate is valid, in milliseconds since 1970. */
export interface CertificateTimes {
  readonly beginsMs: number;
  readonly endsMs: number;
}

/** Names and times of a serving certificate. */
export interface ServingFacts extends CertificateTimes {
  /** DNS names and addresses for which it was made. */
  readonly names: readonly string[];
  /** Those of the names asked for that it lacks. */
  readonly missing: readonly string[];
}

/** Makes and reads X.509 certificates. No refusal quotes a key. */
export interface Certificates {
  /** Makes a CA of ten years. */
  makeAuthority(nowMs: number): Promise<CertificatePair>;
  /**
   * Issues a serving certificate of 90 days, also for the names by which the machine calls itself.
   *
   * @throws IpamError `certificate/invalid` when the CA cannot sign
   */
  issue(
    authority: CertificatePair,
    request: { readonly names: readonly string[]; readonly nowMs: number },
  ): Promise<CertificatePair>;
  /** Proves that a certificate is a CA and, where a key is given, that the key is its own. */
  readAuthority(authority: { readonly certificate: string; readonly key?: string }): Outcome<CertificateTimes>;
  /** Proves that a pair can serve and that the CA issued it. */
  readServing(
    pair: CertificatePair,
    request: { readonly authority: string; readonly names: readonly string[] },
  ): Outcome<ServingFacts>;
  /** Tells whether a good pair is out of its time: a sentence for readiness, or undefined. */
  datesProblem(pair: CertificatePair, nowMs: number): string | undefined;
}
