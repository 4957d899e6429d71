import { catalogueRow } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';

/**
 * Tells of a refusal that time can cure: pool, store or cluster, not the wish. These are answered by `whenUnavailable`.
 *
 * @param refusal - what came back
 * @returns true when the same request may succeed later
 */
export function isUnavailable(refusal: Refusal): boolean {
  return catalogueRow(refusal.code).retry === 'backoff' || refusal.code.startsWith('store/');
}

/**
 * Tells of a refusal that the end of another object of the same owner cures, so that no policy of the administrator is asked.
 *
 * @param refusal - what came back
 * @returns true where the Service is to wait
 */
export function isTakenOver({ code }: Refusal): boolean {
  // a remote IPAM-API of version 2 knows a Service by its name only, so one without a name cannot do better than wait
  return code === 'address/in-use' || code === 'claim/nameless';
}
