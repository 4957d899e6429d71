import type { Address } from '../../../addressing/address';
import { ADDRESS_READY, IPAM_PREFIX, METALLB } from '../../../contract/group';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { readService, type ServiceView } from '../../../contract/service';
import type { ServiceCondition } from '../../../ports/service-writer';
import { announcedAddresses } from '../../../contract/shown-addresses';

/** A stored Service as the controller sees it. */
export interface StoredObject {
  /** The very object of the feed, which is another one after each change. */
  readonly raw: JsonMap;
  readonly view: ServiceView;
  readonly resourceVersion: string;
  /** Addresses that its status shows. */
  readonly announced: readonly Address[];
  /** Our condition as it stands there. */
  readonly condition?: ServiceCondition;
}

/**
 * Reads a stored Service.
 *
 * @param raw - core/v1 as the API server has it
 * @returns the parts that decide; undefined for an object without metadata
 */
export function readStored(raw: JsonMap): StoredObject | undefined {
  const view = readService(raw);
  if (view === undefined) return undefined;
  const condition = ourCondition(raw);
  return {
    raw,
    view,
    resourceVersion: versionOf(raw),
    announced: announcedAddresses(raw),
    ...(condition === undefined ? {} : { condition }),
  };
}

/**
 * Reads the version of a stored object.
 *
 * @param raw - any object of the API server
 * @returns its `resourceVersion`, empty when it has none
 */
export function versionOf(raw: JsonMap): string {
  return textOf(metadataOf(raw)['resourceVersion']);
}

/**
 * Tells whether an object looks as if we ever had to do with it.
 *
 * @param object - a stored Service
 * @returns true when it has a key that we may have written, or our condition
 */
export function bearsTraces({ view, condition }: StoredObject): boolean {
  return condition !== undefined || bearsOurKeys(view);
}

/**
 * Tells whether an object has a key that we may have written.
 *
 * @param view - a stored Service
 * @returns true where it has one
 */
export function bearsOurKeys({ annotations }: Pick<ServiceView, 'annotations'>): boolean {
  const keys: readonly string[] = [METALLB.pool, METALLB.addresses];
  return Object.keys(annotations).some((key) => key.startsWith(IPAM_PREFIX) || keys.includes(key));
}

function ourCondition({ status }: JsonMap): ServiceCondition | undefined {
  const found = listOf(mapOf(status)['conditions'])
    .filter(isMap)
    .find((each) => each['type'] === ADDRESS_READY);
  if (found === undefined) return undefined;
  const word = textOf(found['status']);
  return {
    type: ADDRESS_READY,
    status: word === 'True' || word === 'False' ? word : 'Unknown',
    reason: textOf(found['reason']),
    message: textOf(found['message']),
    lastTransitionTime: textOf(found['lastTransitionTime']),
  };
}
