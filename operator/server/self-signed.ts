import 'reflect-metadata'; // @peculiar/x509 needs it before it loads
import { randomBytes, webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  X509Certificate,
} from '@peculiar/x509';
import { DAY_MS } from '../contract/durations';
import type { CertificatePair, CertificateSource } from '../ports/certificates';
import type { Tools } from '../ports/tools';
import { datesProblem } from './serving-certificate';

/** Life of the CA; longer than any process. */
const AUTHORITY_DAYS = 3_650;
/** Life of a serving certificate. */
export const SERVING_DAYS = 90;
/** Days before its end at which a serving certificate is replaced. */
export const RENEW_BEFORE_DAYS = 30;
/** Clocks of callers may be behind ours. */
const BACKDATED_MS = 300_000;
const RENEWAL_CHECK_MS = 3_600_000;
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Names by which the machine itself calls. */
export const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'] as const;

/** A CA with its private key, in memory only. */
export interface CertificateAuthority {
  /** PEM, for callers to trust. */
  readonly certificate: string;
  readonly issuer: X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
}

/** Options of {@link openSelfSigned}. */
export interface SelfSignedOptions extends Tools {
  /** DNS names of the Service that callers use; `localhost`, `127.0.0.1` and `::1` are added. */
  readonly names: readonly string[];
  /** File for the CA certificate, which is the `caBundle` of webhook configurations; absent: nothing is written. The key is never written. */
  readonly authorityFile?: string;
}

/**
 * Makes a CA and a serving certificate, both P-256, and replaces the latter before it ends.
 *
 * @param options - names, tools, and a file for the CA certificate
 * @returns the source; the CA stays the same until `close()`
 */
export async function openSelfSigned(options: SelfSignedOptions): Promise<CertificateSource> {
  const { clock, logger, meter, names } = options;
  const authority = await makeAuthority(clock.nowMs());
  if (options.authorityFile !== undefined)
    await writeFile(options.authorityFile, authority.certificate, { mode: 0o644 });
  const listeners = new Set<(pair: CertificatePair) => void>();
  let pair = await issueServingPair(authority, { names, nowMs: clock.nowMs() });
  let renewAtMs = renewalMs(clock.nowMs());

  const renew = async (): Promise<void> => {
    pair = await issueServingPair(authority, { names, nowMs: clock.nowMs() });
    renewAtMs = renewalMs(clock.nowMs());
    meter.count('certificate_reloads_total', { result: 'renewed' });
    logger.info('own serving certificate renewed');
    for (const listener of [...listeners]) listener(pair);
  };
  // Looks again and again rather than once at the end: a machine that slept has timers that are late.
  const watch = (): void => {
    stop = clock.after(RENEWAL_CHECK_MS, watch);
    if (clock.nowMs() < renewAtMs) return;
    renew().catch(() => {
      logger.error('own serving certificate not renewed; the old one stays, next try in an hour');
    });
  };
  let stop = clock.after(RENEWAL_CHECK_MS, watch);

  return {
    current: () => pair,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    problem: () => datesProblem(pair, clock.nowMs()),
    close: () => {
      stop();
      listeners.clear();
    },
  };
}

function renewalMs(nowMs: number): number {
  return nowMs + (SERVING_DAYS - RENEW_BEFORE_DAYS) * DAY_MS;
}

/**
 * Makes a CA.
 *
 * @param nowMs - milliseconds since 1970
 * @returns the CA, valid ten years
 */
export async function makeAuthority(nowMs: number): Promise<CertificateAuthority> {
  const keys = await makeKeys();
  const issuer = await X509CertificateGenerator.createSelfSigned(
    {
      ...common(nowMs, AUTHORITY_DAYS),
      name: `CN=ipam-operator CA ${randomBytes(4).toString('hex')}`,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: issuer.toString('pem'), issuer, keys };
}

/**
 * Issues a serving certificate for the names and for the machine itself.
 *
 * @param authority - the signer
 * @param request - DNS names, and now in milliseconds since 1970
 * @returns chain and key, valid {@link SERVING_DAYS}
 */
export async function issueServingPair(
  authority: CertificateAuthority,
  request: { readonly names: readonly string[]; readonly nowMs: number },
): Promise<CertificatePair> {
  const keys = await makeKeys();
  const names = [...new Set([...request.names, ...LOCAL_NAMES])];
  const leaf = await X509CertificateGenerator.create(
    {
      ...common(request.nowMs, SERVING_DAYS),
      // No name in the subject: its length is limited, and callers read the alternative names only (RFC 6125).
      subject: 'CN=ipam-operator',
      issuer: authority.issuer.subject,
      publicKey: keys.publicKey,
      signingKey: authority.keys.privateKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIpText(value) ? 'ip' : 'dns', value }))),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(authority.keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: leaf.toString('pem'), key: await keyText(keys.privateKey) };
}

/**
 * Writes a CA as text, for where it outlives the process.
 *
 * @param authority - the CA
 * @returns its certificate and its private key
 */
export async function authorityToPair(authority: CertificateAuthority): Promise<CertificatePair> {
  return { certificate: authority.certificate, key: await keyText(authority.keys.privateKey) };
}

/**
 * Reads a CA that {@link authorityToPair} wrote.
 *
 * @param pair - its certificate and its private key
 * @returns the CA, able to sign
 */
export async function authorityFromPair(pair: CertificatePair): Promise<CertificateAuthority> {
  const issuer = new X509Certificate(pair.certificate);
  const [pkcs8] = PemConverter.decode(pair.key);
  const { rawData } = issuer.publicKey;
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey('pkcs8', pkcs8 ?? new ArrayBuffer(0), P256, false, ['sign']),
    webcrypto.subtle.importKey('spki', rawData, P256, true, ['verify']),
  ]);
  return { certificate: pair.certificate, issuer, keys: { privateKey, publicKey } };
}

async function keyText(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

function isIpText(name: string): boolean {
  return name.includes(':') || /^[0-9.]+$/.test(name);
}

async function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
}

function common(nowMs: number, days: number) {
  // First bit off: a serial number is positive. 16 bytes: at least 64 random bits (CA/Browser Forum baseline 7.1).
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return {
    serialNumber: serial.toString('hex'),
    notBefore: new Date(nowMs - BACKDATED_MS),
    notAfter: new Date(nowMs + days * DAY_MS),
    signingAlgorithm: P256,
  };
}
