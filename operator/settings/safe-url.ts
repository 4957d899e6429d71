const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Tells whether a token may be sent to a URL: it must not leave the machine in clear text.
 *
 * @param url - of the server that gets the token
 * @returns true for https://, and for http:// on this machine
 */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}
