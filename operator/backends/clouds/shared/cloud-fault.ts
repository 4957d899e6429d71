import type { ErrorCode } from '../../../errors/catalogue';
import { IpamError, isIpamError } from '../../../errors/ipam-error';

/** How a call of a cloud failed. */
export type CloudFaultKind = 'unavailable' | 'throttled' | 'login' | 'refused' | 'in-use';

/** Code and text of a refusal, as the cloud wrote them. */
export interface ToldFault {
  readonly code: string;
  readonly message: string;
}

const CODES: Readonly<Record<CloudFaultKind, ErrorCode>> = {
  unavailable: 'cloud/unavailable',
  throttled: 'cloud/throttled',
  login: 'cloud/login',
  refused: 'cloud/refused',
  'in-use': 'cloud/in-use',
};

/** Longest text of a cloud in a message of ours. */
const MOST_TOLD = 300;

/**
 * Makes the error of a failed call.
 *
 * @param kind - how it failed
 * @param message - one sentence, without anything of a login
 * @param retryAfterSeconds - that the cloud asked to wait
 * @returns the error
 */
export function cloudFault(kind: CloudFaultKind, message: string, retryAfterSeconds?: number): IpamError {
  return new IpamError(CODES[kind], message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/**
 * Tells the outcome of a call for its metric.
 *
 * @param thrown - by the call
 * @returns one word
 */
export function faultKindOf(thrown: unknown): CloudFaultKind {
  const found = Object.entries(CODES).find(([, code]) => isIpamError(thrown, code));
  return (found?.[0] ?? 'unavailable') as CloudFaultKind;
}

/**
 * Writes what a cloud said about a refusal.
 *
 * @param told - as the cloud wrote it
 * @returns code and text on one line, shortened
 */
export function toldText({ code, message }: ToldFault): string {
  const text = message.replace(/\s+/gu, ' ').trim();
  if (text === '') return code;
  return `${code}: ${text.length > MOST_TOLD ? `${text.slice(0, MOST_TOLD)}…` : text}`;
}
