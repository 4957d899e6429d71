import { UNTRUSTED } from '../../errors/network-faults';

/** Refusals of a server that wants to know its client; the last ones are of TLS 1.2, which says no more. */
const LOGIN = /ALERT_CERTIFICATE_REQUIRED/u;
const BAD_LOGIN =
  /ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_(EXPIRED|REVOKED|UNKNOWN)|ACCESS_DENIED|HANDSHAKE_FAILURE)/u;

/**
 * Says why there is no connection, in words where the code alone would not tell what to mend.
 *
 * @param error - as Node.js raised it
 * @returns a part of a sentence, with the code
 */
export function networkReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return 'the connection broke';
  if (LOGIN.test(code)) return `the server asks for a client certificate, and none is set (${code})`;
  if (BAD_LOGIN.test(code)) return `the server does not take the client certificate (${code})`;
  if (UNTRUSTED.test(code)) return `the server's certificate is not of a CA that is trusted here (${code})`;
  return code;
}
