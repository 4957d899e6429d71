import { createHash } from 'node:crypto';

/** Terms of sharing, as Services and callers of an IPAM-API have them. */
interface Terms {
  readonly key: string;
  readonly ports: readonly string[];
  readonly trafficPolicy: 'Cluster' | 'Local';
  readonly selector: string;
}

/** Longest sharing key and longest selector that are stored as they are; of longer ones a digest is. */
export const LONGEST_TERM = 200;
/** Most ports of a Service that shares; one with more shares its address with no other. */
export const MOST_SHARED_PORTS = 500;
/** Beginning of a digest. A text that begins so is never stored as it is, so none is equal to the digest of another. */
const DIGEST = 'sha256:';
/** Terms without a key, which share with no other. */
export const NEVER_SHARES: Terms = { key: '', ports: [], trafficPolicy: 'Cluster', selector: '' };
/** In place of the ports of a Service that has too many to be compared. */
const EVERY_PORT = '*';
/** Terms of a Service that has a key and too many ports: it shares with no other, and that is the reason. */
const TOO_MANY_PORTS: Terms = { ...NEVER_SHARES, ports: [EVERY_PORT] };

/**
 * Tells whether terms share with no other because the Service has more ports than are compared.
 *
 * @param terms - bounded ones
 * @returns true where it has a sharing key that cannot have an effect
 */
export function hasTooManyPorts({ key, ports }: Pick<Terms, 'key' | 'ports'>): boolean {
  return key === '' && ports.includes(EVERY_PORT);
}

/**
 * Bounds what is stored of the terms of sharing: a tenant writes them at will, and they are only ever compared. Terms without a key
 * share with no other, whatever else they say, so nothing of that is stored.
 *
 * @param terms - as the Service or a caller has them
 * @returns equal terms for equal ones, of bounded length; bounded ones stay as they are
 */
export function boundedTerms(terms: Terms): Terms {
  const { key, ports, trafficPolicy, selector } = terms;
  if (hasTooManyPorts(terms) || (key !== '' && ports.length > MOST_SHARED_PORTS)) return TOO_MANY_PORTS;
  if (key === '') return NEVER_SHARES;
  return { key: boundedText(key), ports, trafficPolicy, selector: boundedText(selector) };
}

/**
 * Bounds the terms of a request.
 *
 * @param request - with or without terms
 * @returns the request with terms of bounded length
 */
export function withBoundedTerms<R extends { readonly sharing?: Terms }>(request: R): R {
  return request.sharing === undefined ? request : { ...request, sharing: boundedTerms(request.sharing) };
}

function boundedText(text: string): string {
  if (isDigest(text) || (text.length <= LONGEST_TERM && !text.startsWith(DIGEST))) return text;
  return DIGEST + createHash('sha256').update(text).digest('hex');
}

// Bounded terms are bounded again on their way: by the door, and by the ledger that a remote door calls.
const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/u.test(text);
