import { SERVICE } from '../../../contract/service-identity';
import type { Decided, Ended, Leave, VipsContext } from './context';
import { afterWrite } from '../../../errors/after-write';
import { takeFinalizersOff } from './status';
import { giveBackAll } from './take';

/**
 * Carries out a decision that gives nothing: the status is cleared first, then the record, so that no address is free while a Service
 * of this door shows it.
 *
 * @param context - of the controller
 * @param decided - the Service, read without a cache where something ends
 * @returns whether it is done
 * @throws IpamError of record or cluster
 */
export async function leave(context: VipsContext, { decision, stored, facts }: Decided<Leave>): Promise<Ended> {
  const { parts, waiting } = context;
  const { key, resourceVersion } = stored;
  if (decision.isIngressCleared) {
    // the older operator's field manager may own the entry as well, so an apply without it would leave it
    const patch = { status: { loadBalancer: null } };
    const cleared = afterWrite(await parts.serviceWriter.patchStatus(key, patch, { resourceVersion }));
    if (cleared === 'changed') return 'again';
  }
  if (decision.isConditionCleared && afterWrite(await parts.serviceWriter.applyStatus(key, undefined)) === 'changed')
    return 'again';
  if (decision.areFinalizersCleared) await takeFinalizersOff(context, stored);
  await giveBackAll(context, facts, decision.release);
  await warn(context, { decision, stored });
  waiting.leave(key.uid, false);
  return 'done';
}

/** Warnings that were told, by the UID of the Service; the same one is told once. */
const MOST_TOLD = 10_000;

async function warn(
  { parts, warned }: VipsContext,
  { decision: { warning }, stored: { key } }: Pick<Decided<Leave>, 'decision' | 'stored'>,
): Promise<void> {
  if (warning === undefined) {
    warned.delete(key.uid);
    return;
  }
  const { reason, message } = warning;
  if (warned.get(key.uid)?.message === message) return;
  const [oldest] = warned.size >= MOST_TOLD ? warned.keys() : [];
  if (oldest !== undefined) warned.delete(oldest);
  warned.set(key.uid, { key, message });
  const { namespace, name } = key;
  parts.logger.warn('service shows what this operator did not give', { namespace, name, reason, problem: message });
  await parts.events.record({ ...SERVICE, ...key }, { type: 'Warning', reason, message });
}
