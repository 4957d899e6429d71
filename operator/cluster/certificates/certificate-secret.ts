import { isMap, textOf, type JsonMap } from '../../contract/loose-json';
import type { CertificatePair } from '../../ports/certificates';

/** Keys of the Secret. Those of the serving pair are what type `kubernetes.io/tls` demands, so either type can hold it. */
const KEYS = {
  serving: 'tls.crt',
  servingKey: 'tls.key',
  authority: 'ca.crt',
  authorityKey: 'ca.key',
  next: 'next-ca.crt',
  nextKey: 'next-ca.key',
  nextTrustedSince: 'next-ca-trusted-since',
  previous: 'previous-ca.crt',
  previousSince: 'previous-ca-since',
} as const;
/** Clocks of two replicas differ by less; an instant later than this is none that a replica wrote. */
const SKEW_MS = 3_600_000;

/** Content of the Secret: all that is needed to go on where another replica, or a crash, left off. */
export interface KeptCertificates {
  /** The CA that issues. */
  readonly authority: CertificatePair;
  readonly serving: CertificatePair;
  /** The CA that will issue; callers learn to trust it first. */
  readonly next?: {
    readonly authority: CertificatePair;
    /** Since when every webhook configuration was seen to trust it. */
    readonly trustedSinceMs?: number;
  };
  /** The CA that issued before: replicas that have not looked yet still serve under it. */
  readonly previous?: { readonly certificate: string; readonly sinceMs?: number };
}

/**
 * Reads the data of the Secret; nothing in it is proved yet.
 *
 * @param secret - the Secret as the API server gave it
 * @param nowMs - milliseconds since 1970
 * @returns what it holds; missing texts are empty, instants that cannot be are missing
 */
export function keptIn(secret: JsonMap, nowMs: number): KeptCertificates {
  const data = isMap(secret['data']) ? secret['data'] : {};
  const text = (key: string): string => Buffer.from(textOf(data[key]), 'base64').toString('utf8');
  const pair = (certificate: string, key: string): CertificatePair => ({
    certificate: text(certificate),
    key: text(key),
  });
  const since = (key: string): number | undefined => instant(text(key), nowMs);
  const trustedSinceMs = since(KEYS.nextTrustedSince);
  const sinceMs = since(KEYS.previousSince);
  return {
    authority: pair(KEYS.authority, KEYS.authorityKey),
    serving: pair(KEYS.serving, KEYS.servingKey),
    ...(KEYS.next in data
      ? {
          next: {
            authority: pair(KEYS.next, KEYS.nextKey),
            ...(trustedSinceMs === undefined ? {} : { trustedSinceMs }),
          },
        }
      : {}),
    ...(KEYS.previous in data
      ? { previous: { certificate: text(KEYS.previous), ...(sinceMs === undefined ? {} : { sinceMs }) } }
      : {}),
  };
}

function instant(text: string, nowMs: number): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms > nowMs + SKEW_MS ? undefined : ms;
}

/**
 * Puts certificates into a Secret.
 *
 * @param secret - the Secret as it was read; its other fields and keys stay
 * @param kept - what it holds from now on
 * @returns the whole Secret, to be written under the `resourceVersion` it came with
 */
export function secretWith(secret: JsonMap, kept: KeptCertificates): JsonMap {
  const ours = new Set<string>(Object.values(KEYS));
  const old = isMap(secret['data']) ? Object.entries(secret['data']) : [];
  const encoded = Object.entries(texts(kept)).map(
    ([key, text]) => [key, Buffer.from(text).toString('base64')] as const,
  );
  return { ...secret, data: Object.fromEntries([...old.filter(([key]) => !ours.has(key)), ...encoded]) };
}

function texts({ authority, serving, next, previous }: KeptCertificates): Readonly<Record<string, string>> {
  const time = (key: string, ms: number | undefined) => (ms === undefined ? {} : { [key]: new Date(ms).toISOString() });
  return {
    [KEYS.serving]: serving.certificate,
    [KEYS.servingKey]: serving.key,
    [KEYS.authority]: authority.certificate,
    [KEYS.authorityKey]: authority.key,
    ...(next === undefined ? {} : { [KEYS.next]: next.authority.certificate, [KEYS.nextKey]: next.authority.key }),
    ...time(KEYS.nextTrustedSince, next?.trustedSinceMs),
    ...(previous === undefined ? {} : { [KEYS.previous]: previous.certificate }),
    ...time(KEYS.previousSince, previous?.sinceMs),
  };
}

/**
 * Writes the CAs that callers must trust, the oldest first, so that the text stays the same when the next CA takes over.
 *
 * @param kept - what the Secret holds
 * @returns PEM of one or two CAs
 */
export function bundleOf({ authority, next, previous }: KeptCertificates): string {
  const all = [previous?.certificate, authority.certificate, next?.authority.certificate];
  return all.flatMap((pem) => (pem === undefined ? [] : [`${pem.trim()}\n`])).join('');
}
