import { createDecipheriv } from 'node:crypto';
import { isMap } from '../../contract/loose-json';
import { accept, refuse, type Outcome } from '../../errors/outcome';

/** Turns a stored secret of the original into its plain text; undefined where the key is not the one it was written with. */
export type Decrypt = (stored: string) => string | undefined;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/u;
const KEY_BITS: Readonly<Record<number, number>> = { 16: 128, 24: 192, 32: 256 };
const IV_BYTES = 16;

/**
 * Reads the key file of the original: JSON with `enc_key` (16, 24 or 32 ASCII characters) and `enc_iv` (16), which it used
 * with AES in counter mode for every secret alike.
 *
 * @param text - content of the file
 * @returns what decrypts into any text, or `settings/invalid` without a piece of the key
 */
export function openOldSecrets(text: string): Outcome<Decrypt> {
  const file = parsed(text);
  const key = bytesOf(file?.['enc_key']);
  const iv = bytesOf(file?.['enc_iv']);
  const bits = KEY_BITS[key?.length ?? 0];
  if (key === undefined || bits === undefined)
    return refuse('settings/invalid', 'the key file has no "enc_key" of 16, 24 or 32 ASCII characters');
  if (iv?.length !== IV_BYTES)
    return refuse('settings/invalid', `the key file has no "enc_iv" of ${IV_BYTES} ASCII characters`);
  return accept((stored) => {
    if (!BASE64.test(stored)) return undefined;
    const decipher = createDecipheriv(`aes-${bits}-ctr`, key, iv);
    const plain = Buffer.concat([decipher.update(Buffer.from(stored, 'base64')), decipher.final()]);
    return textOf(plain);
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(value: unknown): Buffer | undefined {
  return typeof value === 'string' && /^[\u0020-\u007e]+$/u.test(value) ? Buffer.from(value, 'ascii') : undefined;
}

/**
 * Tells whether a decrypted secret looks as if a person had written it. The mode has no integrity, and random bytes of a wrong
 * key hardly ever do, which is the one sign there is. A right secret may look otherwise: the original took any text.
 *
 * @param text - plain text of a secret
 * @returns true without control characters, but for tabs and ends of lines
 */
export function looksWritten(text: string): boolean {
  return !/[^\P{Cc}\t\n\r]/u.test(text);
}

function textOf(plain: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    return undefined;
  }
}
