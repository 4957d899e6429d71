import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { accept, refuse, type Outcome } from '../errors/outcome';
import type { CertificatePair, CertificateSource } from '../ports/certificates';

export type { CertificatePair, CertificateSource };

/**
 * Proves that a pair can serve: both are PEM and belong together.
 *
 * @param pair - chain and key
 * @returns the leaf certificate, or refusal `certificate/invalid` that never quotes the key
 */
export function checkPair(pair: CertificatePair): Outcome<X509Certificate> {
  try {
    createSecureContext({ cert: pair.certificate, key: pair.key });
    return accept(new X509Certificate(pair.certificate));
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    const mismatch = code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
    return refuse(
      'certificate/invalid',
      mismatch ? 'the private key belongs to another certificate' : 'certificate or key is not complete PEM',
    );
  }
}

/**
 * Tells whether a certificate is out of its time.
 *
 * @param pair - a good pair
 * @param nowMs - milliseconds since 1970
 * @returns a sentence for readiness, or undefined
 */
export function datesProblem(pair: CertificatePair, nowMs: number): string | undefined {
  const leaf = new X509Certificate(pair.certificate);
  if (nowMs > leaf.validToDate.getTime()) return `the serving certificate ended at ${leaf.validToDate.toISOString()}`;
  if (nowMs < leaf.validFromDate.getTime())
    return `the serving certificate begins at ${leaf.validFromDate.toISOString()}`;
  return undefined;
}
