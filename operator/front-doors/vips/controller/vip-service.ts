import { parseAddress, type Address } from '../../../addressing/address';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { ADDRESS_ALLOCATED, OLD_SERVICE_FINALIZERS } from '../../../contract/paas';
import { readService, type ServiceView } from '../../../contract/service';
import type { ObjectKey } from '../../../ports/object-feed';

/** Condition of this door as a Service has it. */
export interface StoredCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** A stored Service as this door reads it. */
export interface VipService {
  readonly view: ServiceView;
  readonly labels: Readonly<Record<string, string>>;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
  readonly createdMs: number;
  readonly shown: readonly Address[];
  readonly isHostNameShown: boolean;
  readonly finalizers: readonly string[];
  readonly hasOldFinalizer: boolean;
  readonly condition: StoredCondition | undefined;
}

/**
 * Tells whether a finalizer is one of the older operator.
 *
 * @param finalizer - of a Service
 * @returns true where it is to be taken off
 */
export function isOldFinalizer(finalizer: string): boolean {
  return OLD_SERVICE_FINALIZERS.some((each) => each === finalizer);
}

/**
 * Reads a stored Service.
 *
 * @param raw - core/v1
 * @returns what this door needs of it; undefined for what is no Service
 */
export function readVipService(raw: JsonMap | undefined): VipService | undefined {
  const view = readService(raw);
  if (view === undefined || raw === undefined) return undefined;
  const { labels, resourceVersion, creationTimestamp, finalizers } = metadataOf(raw);
  const texts = listOf(finalizers).map(textOf);
  const status = mapOf(raw['status']);
  const entries = listOf(mapOf(status['loadBalancer'])['ingress']).filter(isMap);
  const shown = entries.map((entry) => parseAddress(textOf(entry['ip'])));
  const createdMs = Date.parse(textOf(creationTimestamp));
  return {
    view,
    labels: mapOf(labels) as Readonly<Record<string, string>>,
    key: { namespace: view.namespace, name: view.name, uid: view.uid },
    resourceVersion: textOf(resourceVersion),
    createdMs: Number.isNaN(createdMs) ? 0 : createdMs,
    shown: shown.flatMap((parsed) => (parsed.ok ? [parsed.value] : [])),
    isHostNameShown: shown.some(({ ok }) => !ok),
    finalizers: texts,
    hasOldFinalizer: texts.some(isOldFinalizer),
    condition: conditionOf(status),
  };
}

function conditionOf(status: JsonMap): StoredCondition | undefined {
  const found = listOf(status['conditions']).find((each) => isMap(each) && each['type'] === ADDRESS_ALLOCATED);
  if (!isMap(found)) return undefined;
  const { status: value, reason, message, lastTransitionTime } = found;
  return {
    status: textOf(value),
    reason: textOf(reason),
    message: textOf(message),
    lastTransitionTime: textOf(lastTransitionTime),
  };
}
