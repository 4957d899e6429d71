import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { conditionOf, isSameStatus, observed, statusIn, withTimes } from '../../contract/stored-status';
import { afterWrite, type Written } from '../../errors/after-write';
import type { VersionGuard } from '../../ports/object-writer';
import { conditionTime } from '../../runtime/condition-time';
import type { NetworksDoorParts, NetworksObjectKey } from './door-parts';
import { referenceOf, writerOf } from './objects';
import type { NetworksCondition } from '../../rules/networks';

/** An object that is worked on, as it was read. */
export interface WorkedObject {
  readonly key: NetworksObjectKey;
  readonly object: JsonMap;
  /** Mark from before the look, for what may have to wait. */
  readonly since: number;
  /** Version of an own write since it was read, such as the one with the finalizer. */
  readonly guard?: VersionGuard;
  /** Conditions that stand beside those of the result. */
  readonly beside?: readonly NetworksCondition[];
}

/** Content of a status. */
export interface ToldStatus {
  readonly conditions: readonly NetworksCondition[];
  readonly fields: JsonMap;
}

/**
 * Writes a status over the version that was decided on; nothing where it is stored already.
 *
 * @param parts - writers and Events
 * @param worked - the object
 * @param told - what it is to say
 * @returns what it came to
 * @throws IpamError where the cluster does not answer, or refuses the write
 */
export async function writeStatus(
  parts: NetworksDoorParts,
  { key, object, guard = versionOf(object), beside = [] }: Omit<WorkedObject, 'since'>,
  told: ToldStatus,
): Promise<Written> {
  const before = statusIn(object);
  const now = conditionTime(parts.clock.nowMs());
  const timed = withTimes(before, [...told.conditions, ...beside], now).map((each) => ({ kind: each.type, ...each }));
  const status = { ...observed(object), conditions: timed, ...told.fields };
  if (isSameStatus(before, status)) return 'written';
  const written = afterWrite(await writerOf(parts, key.of).applyStatus(key, status, guard));
  if (written === 'written') await tellNews(parts, { key, object }, told);
  return written;
}

function versionOf(object: JsonMap): VersionGuard {
  return { resourceVersion: textOf(metadataOf(object)['resourceVersion']) };
}

/**
 * Reads what the status of an object shows.
 *
 * @param object - as the API server has it
 * @returns its fields but the conditions and the generation
 */
export function shownFields(object: JsonMap): JsonMap {
  const { conditions: _conditions, observedGeneration: _generation, ...fields } = statusIn(object);
  return mapOf(fields);
}

// To be served is no news for an object that never waited.
async function tellNews(
  parts: NetworksDoorParts,
  { key, object }: Pick<WorkedObject, 'key' | 'object'>,
  { conditions, fields }: ToldStatus,
): Promise<void> {
  const now = conditions.find(({ type }) => type === 'Accepted');
  if (now === undefined || !isNews(conditionOf(statusIn(object), 'Accepted'), now)) return;
  const { of, namespace, name } = key;
  const { status, reason, message } = now;
  if (status === 'True') {
    await parts.events.record(referenceOf(key), { type: 'Normal', reason, message: textOf(fields['prefix']) });
    return;
  }
  parts.meter.count('network_refusals_total', { reason });
  parts.logger.warn('object of a network waits', { kind: of, namespace, name, reason, problem: message });
  await parts.events.record(referenceOf(key), { type: 'Warning', reason, message });
}

function isNews(before: JsonMap | undefined, now: NetworksCondition): boolean {
  const wasRefused = before?.['status'] === 'False';
  return now.status === 'True' ? wasRefused : !wasRefused || before['reason'] !== now.reason;
}
