import { IPAM } from '../../../contract/group';
import type { ServiceView } from '../../../contract/service';
import type { BindTerms } from '../../../ports/address-book';
import type { Cluster } from '../../../ports/cluster';
import { collectWishes } from '../../../rules/wishes';
import { readClaimSecret } from './default-secret';
import { termsOf } from './service-terms';

const TERM_KEYS = [IPAM.secret, IPAM.retentionPeriodDays, IPAM.denyExternalCleanup] as const;

/**
 * Reads under which terms an object has its addresses after an UPDATE, for readers that take the admitted object for stored.
 *
 * @param cluster - where the Secret is
 * @param service - the final object
 * @param live - the object before
 * @returns the terms; undefined when they are as before, or the Secret is gone
 */
export async function changedTerms(
  cluster: Pick<Cluster, 'secret' | 'ensureSecret'>,
  service: ServiceView,
  live: ServiceView,
): Promise<Omit<BindTerms, 'writtenKeys'> | undefined> {
  if (TERM_KEYS.every((key) => service.annotations[key] === live.annotations[key])) return undefined;
  const { namespace } = service;
  const review = { operation: 'UPDATE', namespace, service, stored: live, live } as const;
  const { secret: name, options, sharing } = termsOf(review, collectWishes(service), { addresses: [] });
  const secret = await readClaimSecret(cluster, namespace, name);
  return secret.ok ? { secret: secret.value, options, sharing } : undefined;
}
