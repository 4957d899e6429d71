import type { Address } from '../../../addressing/address';
import type { JsonMap } from '../../../contract/loose-json';
import { ADDRESS_ALLOCATED } from '../../../contract/paas';
import { SERVICE } from '../../../contract/service-identity';
import { IpamError } from '../../../errors/ipam-error';
import type { VipCondition } from '../../../rules/vips/say';
import { conditionTime } from '../../../runtime/condition-time';
import type { Decided, VipsContext } from './context';
import { afterWrite, type Written } from '../../../errors/after-write';
import { isOldFinalizer, type StoredCondition, type VipService } from './vip-service';

/** Content of the status of a Service. */
export interface VipStatus {
  readonly ingress: readonly Address[];
  readonly condition: VipCondition;
}

/**
 * Writes ingress and condition in one apply, over the version that was decided on; nothing where both say the same already.
 *
 * @param context - of the controller
 * @param decided - the Service
 * @param status - what it is to say
 * @returns what it came to
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function writeStatus(
  { parts, written: writes }: Pick<VipsContext, 'parts' | 'written'>,
  { stored }: Pick<Decided<never>, 'stored'>,
  { ingress, condition }: VipStatus,
): Promise<Written> {
  const { condition: before, key, resourceVersion } = stored;
  const isSaid = before?.status === condition.status && isSame(before, condition);
  if (isSaid && isShown(stored, ingress)) return 'written';
  const now = conditionTime(parts.clock.nowMs());
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
  const status: JsonMap = {
    ...(ingress.length === 0 ? {} : { loadBalancer: { ingress: ingress.map((each) => ({ ip: each.toString() })) } }),
    conditions: [{ type: ADDRESS_ALLOCATED, ...condition, lastTransitionTime }],
  };
  const write = parts.serviceWriter.applyStatus(key, status, { resourceVersion });
  const written = afterWrite(await writes.during(write, { key, resourceVersion, addresses: ingress }));
  if (written === 'written' && !isSaid) await tellNews({ parts }, stored, condition);
  return written;
}

const isSame = (a: Pick<StoredCondition, 'reason' | 'message'>, b: VipCondition): boolean =>
  a.reason === b.reason && a.message === b.message;

function isShown({ shown, isHostNameShown }: VipService, ingress: readonly Address[]): boolean {
  return !isHostNameShown && shown.length === ingress.length && shown.every((each, at) => ingress[at]?.equals(each));
}

// To be served is no news for a Service that never waited.
async function tellNews(
  { parts }: Pick<VipsContext, 'parts'>,
  { key, condition: before }: VipService,
  { status, reason, message }: VipCondition,
): Promise<void> {
  if (status === 'True' && before?.status !== 'False') return;
  const { namespace, name } = key;
  if (status === 'False') {
    parts.meter.count('vip_refusals_total', { reason });
    parts.logger.warn('service waits', { namespace, name, reason, problem: message });
  }
  const type = status === 'True' ? 'Normal' : 'Warning';
  await parts.events.record({ ...SERVICE, ...key }, { type, reason, message });
}

/**
 * Takes the finalizers of the older operator off a Service, and leaves others. A version that others changed meanwhile is read again.
 *
 * @param context - of the controller
 * @param stored - the Service
 * @throws IpamError where the cluster does not answer, or others write the Service all the time
 */
export async function takeFinalizersOff(
  { parts }: Pick<VipsContext, 'parts'>,
  { key, view }: Pick<VipService, 'key' | 'view'>,
): Promise<void> {
  for (let left = TRIES; left > 0; left--) {
    const metadata = (await parts.cluster.service(view.namespace, view.name))?.['metadata'] as JsonMap | undefined;
    const finalizers = ((metadata?.['finalizers'] ?? []) as readonly unknown[]).map(String);
    if (metadata?.['uid'] !== key.uid || !finalizers.some(isOldFinalizer)) return;
    const rest = finalizers.filter((each) => !isOldFinalizer(each));
    const resourceVersion = String(metadata['resourceVersion']);
    const patch = { metadata: { finalizers: rest } };
    if (afterWrite(await parts.serviceWriter.patchStatus(key, patch, { resourceVersion })) !== 'changed') return;
  }
  throw new IpamError('store/conflict', `Service "${view.namespace}/${view.name}" is written by others all the time`);
}

const TRIES = 5;
