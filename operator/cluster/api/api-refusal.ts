import { mapOf, textOf } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import { TOO_LARGE } from './api-attempt';
import type { ApiAnswer } from './api-client';

/** The part of an answer that says no. */
export type ApiRefusal = ApiAnswer & { readonly ok: false };

/** Statuses by which a rule of the cluster answers: schema (400, 422), RBAC, a quota or an admission webhook (403), size (413). */
const RULES: readonly number[] = [400, 403, TOO_LARGE, 422];

/**
 * Tells whether a rule of the cluster refuses a write, so that the same write is refused again.
 *
 * @param refusal - what the API server said
 * @returns true for a rule; a conflict (409) is none
 */
export function isRuled({ status }: Pick<ApiRefusal, 'status'>): boolean {
  return RULES.includes(status);
}

/** Longest text of the API server that is passed on; it may quote whole objects. */
const MAX_TEXT = 300;

/**
 * Makes an error of a refusal that no caller can do anything about: missing rights, a quota, a webhook of another system.
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
 * Names a refusal by its kind alone, so that no text of the API server, which could quote a secret, is passed on.
 *
 * @param refusal - what the API server said
 * @returns its reason and status; of a write into a namespace that is not there: which one, and what to do
 */
export function kindOfRefusal({ status, reason, body }: ApiRefusal): string {
  const { kind, name } = mapOf(body['details']);
  if (status === 404 && kind === 'namespaces')
    return `namespace "${textOf(name)}" does not exist; create it, or name the one of the operator by --namespace`;
  return reason === '' ? `status ${status}` : `${reason} (status ${status})`;
}

/**
 * Makes an error of a refusal whose text could quote a secret, so that only its kind is passed on.
 *
 * @param what - what was tried
 * @param refusal - what the API server said
 * @returns the error; to be tried again
 */
export function unavailableWithoutText(what: string, refusal: ApiRefusal): IpamError {
  return new IpamError('cluster/unavailable', `the API server refused to ${what}: ${kindOfRefusal(refusal)}`);
}
