import 'reflect-metadata'; // @peculiar/x509 needs it before it loads
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { SubjectAlternativeNameExtension, X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { IpamError } from '../errors/ipam-error';
import { accept, refuse, type Outcome } from '../errors/outcome';
import type { CertificatePair, Certificates, CertificateTimes, ServingFacts } from '../ports/certificates';
import { authorityFromPair, authorityToPair, issueServingPair, LOCAL_NAMES, makeAuthority } from './self-signed';
import { checkPair, datesProblem } from './serving-certificate';

/** Certificates as this machine makes and reads them: P-256 throughout. */
export const X509_CERTIFICATES: Certificates = {
  makeAuthority: async (nowMs) => authorityToPair(await makeAuthority(nowMs)),
  issue,
  readAuthority,
  readServing,
  datesProblem,
};

async function issue(
  pair: CertificatePair,
  request: { readonly names: readonly string[]; readonly nowMs: number },
): Promise<CertificatePair> {
  // The cause is left out: its text may say something of the key.
  const authority = await authorityFromPair(pair).catch(() => undefined);
  if (authority === undefined)
    throw new IpamError('certificate/invalid', 'the CA cannot sign: its key is not for P-256');
  return issueServingPair(authority, request);
}

function readAuthority(authority: { readonly certificate: string; readonly key?: string }): Outcome<CertificateTimes> {
  const certificate = parsed(authority.certificate);
  if (certificate === undefined) return refuse('certificate/invalid', 'the CA certificate is not complete PEM');
  if (!certificate.ca) return refuse('certificate/invalid', 'the CA certificate is not one of a CA');
  if (authority.key !== undefined) {
    const problem = keyProblem(certificate, authority.key);
    if (problem !== undefined) return refuse('certificate/invalid', problem);
  }
  return accept(timesOf(certificate));
}

function keyProblem(certificate: X509Certificate, text: string): string | undefined {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return 'the private key of the CA is not for P-256';
    return certificate.checkPrivateKey(key) ? undefined : 'the private key of the CA belongs to another certificate';
  } catch {
    return 'the private key of the CA is not complete PEM';
  }
}

function readServing(
  pair: CertificatePair,
  request: { readonly authority: string; readonly names: readonly string[] },
): Outcome<ServingFacts> {
  const leaf = checkPair(pair);
  if (!leaf.ok) return leaf;
  const authority = parsed(request.authority);
  if (authority === undefined || !leaf.value.checkIssued(authority) || !leaf.value.verify(authority.publicKey))
    return refuse('certificate/invalid', 'the serving certificate is not from our CA');
  const names = namesOf(pair.certificate);
  // Addresses have several spellings; what is missing by its spelling alone would be issued for again and again.
  const has = (name: string): boolean =>
    names.includes(name) || (isIP(name) !== 0 && isIP(leaf.value.checkIP(name) ?? '') !== 0);
  const missing = [...new Set([...request.names, ...LOCAL_NAMES])].filter((name) => !has(name));
  return accept({ ...timesOf(leaf.value), names, missing });
}

function namesOf(certificate: string): readonly string[] {
  const names = new ParsedCertificate(certificate).getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  return names.filter(({ type }) => type === 'dns' || type === 'ip').map(({ value }) => value);
}

function parsed(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate);
  } catch {
    return undefined;
  }
}

function timesOf(certificate: X509Certificate): CertificateTimes {
  return { beginsMs: certificate.validFromDate.getTime(), endsMs: certificate.validToDate.getTime() };
}
