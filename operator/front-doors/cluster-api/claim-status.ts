import { CLUSTER_API_KINDS, READY, type AddressClaimView } from '../../contract/cluster-api';
import type { JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import type { ClaimReason } from '../../rules/cluster-api/decide-claim';
import { conditionTime } from '../../runtime/condition-time';
import type { ClusterApiParts } from './door-parts';

/** Content of the status of a claim. */
export interface ClaimStatus {
  /** Name of its IPAddress; empty where it has none. */
  readonly addressRef: string;
  readonly status: 'True' | 'False';
  readonly reason: ClaimReason;
  readonly message: string;
}

/**
 * Writes the status of a claim; nothing where it says the same already.
 *
 * @param parts - writer, Events, clock
 * @param claim - as it was read
 * @param told - what the status is to say
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function writeClaimStatus(
  parts: ClusterApiParts,
  claim: AddressClaimView,
  told: ClaimStatus,
): Promise<void> {
  const { ready } = claim;
  const { addressRef, ...condition } = told;
  if (claim.addressRef === addressRef && isSaid(ready, condition)) return;
  const isSince = ready?.status === condition.status && ready.since !== '';
  const lastTransitionTime = isSince ? ready.since : conditionTime(parts.clock.nowMs());
  const status: JsonMap = {
    ...(addressRef === '' ? {} : { addressRef: { name: addressRef } }),
    conditions: [{ type: READY, ...condition, lastTransitionTime }],
  };
  const written = await parts.claimWriter.applyStatus(claim, status);
  if (!written.ok) {
    // the watch tells of what it is now
    if (written.refusal.code === 'claim/not-found') return;
    throw new IpamError(written.refusal.code, written.refusal.message);
  }
  if (!isSaid(ready, condition)) await tellNews(parts, claim, condition);
}

type Condition = Omit<ClaimStatus, 'addressRef'>;

const isSaid = (ready: AddressClaimView['ready'], { status, reason, message }: Condition): boolean =>
  ready?.status === status && ready.reason === reason && ready.message === message;

// To have an address is no news for a claim that never waited.
async function tellNews(
  { events, logger, version }: ClusterApiParts,
  { namespace, name, uid, ready }: AddressClaimView,
  { status, reason, message }: Condition,
): Promise<void> {
  if (status === 'True' && ready?.status !== 'False') return;
  if (status === 'False') logger.warn('address claim waits', { namespace, name, reason, problem: message });
  const { group, kind } = CLUSTER_API_KINDS.claim;
  const regarding = { apiVersion: `${group}/${version}`, kind, namespace, name, uid };
  await events.record(regarding, { type: status === 'True' ? 'Normal' : 'Warning', reason, message });
}
