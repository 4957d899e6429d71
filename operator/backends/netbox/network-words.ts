import { textOf } from '../../contract/loose-json';
import { NEVER_CONNECTED, UNTRUSTED } from '../../errors/network-faults';

/** Meaning of a failed connection. */
export interface NetworkFault {
  /** Part of a sentence that begins with NetBox. */
  readonly words: string;
  /** The request never left this process, so NetBox did nothing. */
  readonly neverSent: boolean;
}

/** The connection that was wanted. */
export interface Connection {
  readonly host: string;
  /** CA certificates of its own were set. */
  readonly hasOwnCa: boolean;
}

const NOT_VALID_NOW = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/u;

/**
 * Says why there was no connection, in words that name the setting to mend.
 *
 * @param thrown - as Node.js raised it
 * @param connection - what it was to be
 * @returns words and whether anything was sent
 */
export function networkFault(thrown: unknown, connection: Connection): NetworkFault {
  const code = textOf((thrown as NodeJS.ErrnoException).code) || 'broken';
  const handshake = handshakeWords(code, connection);
  if (handshake !== undefined) return { words: `${handshake} (${code})`, neverSent: true };
  return { words: `cannot be reached (${code})`, neverSent: NEVER_CONNECTED.has(code) };
}

// Undefined: TLS is not what failed.
function handshakeWords(code: string, { host, hasOwnCa }: Connection): string | undefined {
  if (UNTRUSTED.test(code)) {
    return hasOwnCa
      ? 'shows a certificate that no CA certificate of --netbox-ca-file vouches for'
      : 'shows a certificate of a CA that Node.js does not know, and --netbox-ca-file is not set';
  }
  if (NOT_VALID_NOW.test(code)) return 'shows a certificate that is not valid now';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `shows a certificate that is not for "${host}", the host of --netbox-url`;
  return code === 'EPROTO' ? 'does not speak TLS where --netbox-url says' : undefined;
}
