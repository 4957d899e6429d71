import { IpamError } from '../../errors/ipam-error';
import type { ApiAnswer } from './api-client';

/** The part of an answer that says no. */
export type ApiRefusal = ApiAnswer & { readonly ok: false };

/** Longest text of the API server that is passed on; it may quote whole objects. */
const MAX_TEXT = 300;

/**
 * Makes an error of a refusal that no caller can do anything about: missing rights, a quota, a webhook of somebody else.
 *
 * @param what - what was tried, for example `read Service "shop/web"`
 * @param refusal - what the API server said
 * @returns the error; to be tried again, since such causes go away without a restart
 */
export function unavailable(what: string, refusal: ApiRefusal): IpamError {
  return new IpamError(
    'cluster/unavailable',
    `the API server refused to ${what}: ${refusal.message.slice(0, MAX_TEXT)}`,
  );
}

/**
 * Makes an error of a refusal whose text could quote a secret, so that only its kind is passed on.
 *
 * @param what - what was tried
 * @param refusal - what the API server said
 * @returns the error; to be tried again
 */
export function unavailableWithoutText(what: string, { status, reason }: ApiRefusal): IpamError {
  const kind = reason === '' ? `status ${status}` : `${reason} (status ${status})`;
  return new IpamError('cluster/unavailable', `the API server refused to ${what}: ${kind}`);
}
