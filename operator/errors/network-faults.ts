/** Codes of Node.js and OpenSSL for a certificate that no trusted CA vouches for. */
export const UNTRUSTED = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_(SIGNATURE|UNTRUSTED|CHAIN))/u;

/** Codes of Node.js for connections that never came about, so the other side has not seen the call. */
export const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
