import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IPAM_PREFIX } from '../../contract/group';
import type { ClaimOptions, Holder, HolderState, Owner, SharingTerms } from '../../ports/claims';

/** Annotation with what the port of claims knows of a claim beyond the fields of its kind. */
export const DETAILS_KEY = `${IPAM_PREFIX}claim`;

/** Content of the annotation. */
export interface ClaimDetails {
  /** Mark of the decision that wrote the object. */
  readonly decision: string;
  readonly takenAtMs: number;
  readonly holder: Pick<
    Holder,
    'id' | 'sinceMs' | 'options' | 'sharing' | 'writtenKeys' | 'purpose' | 'dataplanes' | 'isEnding'
  > & {
    readonly owner: Owner;
    readonly state: HolderState;
    readonly expiresAtMs?: number;
  };
  /** The object that uses the address beside its holder. */
  readonly user?: Pick<Holder, 'id' | 'sinceMs' | 'owner'>;
}

/** Facts of a holder that the annotation of a stored claim tells. */
export type HolderDetails = Partial<Omit<ClaimDetails['holder'], 'owner'>> & { readonly owner: Partial<Owner> };

/**
 * Writes the annotation.
 *
 * @param details - its content
 * @returns JSON
 */
export function detailsText(details: ClaimDetails): string {
  return JSON.stringify(details);
}

/**
 * Reads the annotation.
 *
 * @param object - a claim as it is stored
 * @returns as much of its content as is of the right shape; empty for a claim that others declared
 */
export function detailsOf(object: JsonMap): {
  readonly decision: string;
  readonly takenAtMs: number | undefined;
  readonly holder: HolderDetails;
  readonly user: HolderDetails | undefined;
} {
  const { decision, takenAtMs, holder, user } = parsed(textOf(mapOf(metadataOf(object)['annotations'])[DETAILS_KEY]));
  return {
    decision: textOf(decision),
    takenAtMs: numberOf(takenAtMs),
    holder: holderOf(mapOf(holder)),
    user: isMap(user) ? holderOf(user) : undefined,
  };
}

function holderOf(holder: JsonMap): HolderDetails {
  const { id, sinceMs, state, expiresAtMs, owner, options, sharing, writtenKeys, purpose, dataplanes, isEnding } =
    holder;
  return {
    ...present('id', textOf(id) === '' ? undefined : textOf(id)),
    ...present('sinceMs', numberOf(sinceMs)),
    ...present(
      'state',
      STATES.find((each) => each === state),
    ),
    ...present('expiresAtMs', numberOf(expiresAtMs)),
    ...present('options', optionsOf(options)),
    ...present('sharing', sharingOf(sharing)),
    ...present('writtenKeys', writtenKeys === undefined ? undefined : Object.freeze(textsOf(writtenKeys))),
    ...present('purpose', typeof purpose === 'string' ? purpose : undefined),
    ...present('dataplanes', dataplanes === undefined ? undefined : Object.freeze(textsOf(dataplanes))),
    ...present('isEnding', isEnding === true ? true : undefined),
    owner: ownerOf(mapOf(owner)),
  };
}

const STATES: readonly HolderState[] = ['reserved', 'bound', 'retained', 'contested'];

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const textsOf = (value: unknown): readonly string[] => listOf(value).filter((each) => typeof each === 'string');

/**
 * Makes a part of an object that is left out where there is no value.
 *
 * @param key - its name
 * @param value - its value, or undefined
 * @returns the part
 */
export function present<K extends string, V>(key: K, value: V | undefined): Partial<Readonly<Record<K, V>>> {
  return value === undefined ? {} : ({ [key]: value } as Readonly<Record<K, V>>);
}

function parsed(text: string): JsonMap {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : {};
  } catch {
    // edited by hand: the fields of the kind still name the holder of the space
    return {};
  }
}

function ownerOf({ cluster, apiVersion, kind, namespace, namespaceUid, name, uid }: JsonMap): Partial<Owner> {
  const all = { cluster, apiVersion, kind, namespace, namespaceUid, name, uid };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => typeof value === 'string'));
}

function optionsOf(value: unknown): ClaimOptions | undefined {
  if (!isMap(value)) return undefined;
  const { retentionPeriodDays, denyExternalCleanup } = value;
  return Object.freeze({
    retentionPeriodDays: numberOf(retentionPeriodDays) ?? 0,
    denyExternalCleanup: denyExternalCleanup === true,
  });
}

function sharingOf(value: unknown): SharingTerms | undefined {
  if (!isMap(value)) return undefined;
  const { key, ports, trafficPolicy, selector } = value;
  return Object.freeze({
    key: textOf(key),
    ports: Object.freeze(textsOf(ports)),
    trafficPolicy: trafficPolicy === 'Local' ? 'Local' : 'Cluster',
    selector: textOf(selector),
  });
}
