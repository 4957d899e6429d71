import { parseAddress } from '../../addressing/address';
import { hostPrefix, parsePrefix, type Prefix } from '../../addressing/prefix';
import { blockOf, spaceText } from '../../addressing/space-text';
import { EGRESS_DATAPLANE_GONE } from '../../contract/egress';
import { ADDRESS_CLAIM, addressClaimProblems, type AddressClaimSpec } from '../../contract/kinds/address-claim';
import { claimName } from '../../contract/kinds/claim-name';
import { MAX_NAME_LENGTH } from '../../contract/vocabulary';
import { isMap, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { AddressRecord, Holder, HolderState, Owner, Place } from '../../ports/claims';
import type { ClaimCodec, ClaimDraft, ClaimWriting } from './claim-codec';
import { DETAILS_KEY, detailsOf, detailsText, present, type ClaimDetails, type HolderDetails } from './claim-details';
import { versionOf } from './claim-version';
import { readEntry, writeEntry } from './entry-codec';

const API_VERSION = `${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}`;
/** The kind wants an end of each state but `bound`; this one stands for none. */
const NO_END = '9999-12-31T23:59:59Z';

/**
 * Reads and writes AddressClaims.
 *
 * @param door - front door whose claims are written; those of every door are read
 * @returns reads and writes of this door
 */
export function addressClaimCodec(door: AddressClaimSpec['door']): ClaimCodec {
  return {
    maxHolders: 1,
    nameOf,
    read,
    write: (draft, writing) => write(door, draft, writing),
    decisionOf: (object) => detailsOf(object).decision,
  };
}

function nameOf(place: Place): string {
  return claimName({ network: place.network, prefix: blockOf(place) });
}

function read(object: JsonMap): AddressRecord | undefined {
  const spec = mapOf(object['spec']);
  const prefix = prefixOf(textOf(spec['address']));
  if (prefix === undefined) return undefined;
  const madeMs = Date.parse(textOf(metadataOf(object)['creationTimestamp']));
  const details = detailsOf(object);
  const holder = readHolder(object, knownOf(object, details.holder), madeMs);
  const untilMs = endOf(spec['until']);
  const rest = {
    network: textOf(spec['network']),
    address: prefix.first,
    length: prefix.length,
    pool: textOf(spec['pool']),
    family: prefix.family,
    version: versionOf(object),
    takenAtMs: details.takenAtMs ?? madeMs,
    ...readEntry(spec),
  };
  if (spec['state'] !== 'quarantined') {
    const user = readUser(object, details.user, madeMs);
    const holders = Object.freeze(user === undefined ? [holder] : [holder, user]);
    return Object.freeze({ ...rest, state: 'held', holders });
  }
  const quarantine = Object.freeze({ untilMs: untilMs ?? Infinity, former: holder });
  return Object.freeze({ ...rest, state: 'quarantined', holders: Object.freeze([]), quarantine });
}

function prefixOf(text: string): Prefix | undefined {
  if (text.includes('/')) {
    const prefix = parsePrefix(text);
    return prefix.ok ? prefix.value : undefined;
  }
  const address = parseAddress(text);
  return address.ok ? hostPrefix(address.value) : undefined;
}

function endOf(until: unknown): number | undefined {
  return until === undefined || until === NO_END ? undefined : Date.parse(textOf(until));
}

// The fields of the kind count before the annotation, which others may not know of.
function readHolder(object: JsonMap, details: HolderDetails, madeMs: number): Holder {
  const spec = mapOf(object['spec']);
  const { id, sinceMs, state, expiresAtMs, owner, ...parts } = details;
  const isQuarantined = spec['state'] === 'quarantined';
  const isContested = state === 'contested' && spec['state'] === 'bound';
  const shown: HolderState = isQuarantined ? (state ?? 'bound') : (spec['state'] as HolderState);
  const ends = isQuarantined || shown === 'bound' ? expiresAtMs : endOf(spec['until']);
  return Object.freeze({
    id: id ?? textOf(metadataOf(object)['uid']),
    owner: readOwner(spec['holder'], owner),
    state: isContested ? 'contested' : shown,
    ...present('key', typeof spec['key'] === 'string' ? spec['key'] : undefined),
    ...parts,
    ...present('expiresAtMs', ends),
    sinceMs: sinceMs ?? madeMs,
  });
}

// Only the break-glass group may write so; the next write of the operator takes it off, since it is about what was before.
function knownOf(object: JsonMap, details: HolderDetails): HolderDetails {
  const { dataplanes: _gone, ...others } = details;
  return mapOf(metadataOf(object)['annotations'])[EGRESS_DATAPLANE_GONE] === 'true' ? others : details;
}

function readUser(object: JsonMap, details: HolderDetails | undefined, madeMs: number): Holder | undefined {
  const { user } = mapOf(object['spec']);
  if (!isMap(user) && details === undefined) return undefined;
  return Object.freeze({
    id: details?.id ?? `${textOf(metadataOf(object)['uid'])}/user`,
    owner: readOwner(user, details?.owner ?? {}),
    state: 'bound',
    sinceMs: details?.sinceMs ?? madeMs,
  });
}

function readOwner(holder: unknown, details: Partial<Owner>): Owner {
  const { cluster = '', namespaceUid = '' } = details;
  const { apiVersion, kind, namespace, name, uid }: JsonMap = isMap(holder) ? holder : { ...details };
  return Object.freeze({
    cluster,
    apiVersion: textOf(apiVersion),
    kind: textOf(kind),
    namespace: textOf(namespace),
    namespaceUid,
    name: textOf(name),
    ...present('uid', typeof uid === 'string' ? uid : undefined),
  });
}

function write(
  door: AddressClaimSpec['door'],
  draft: ClaimDraft,
  { decision, before }: ClaimWriting,
): Outcome<JsonMap> {
  const [holder = draft.quarantine?.former, user] = draft.holders;
  if (holder === undefined) return refuseDraft(draft, 'names no holder');
  if (draft.secret !== undefined) return refuseDraft(draft, 'is an object of the cluster, which keeps no secret');
  const metadata = metadataOf(before);
  const { [EGRESS_DATAPLANE_GONE]: _gone, ...annotations } = mapOf(metadata['annotations']);
  const stored = mapOf(before?.['spec']);
  const object = {
    apiVersion: API_VERSION,
    kind: ADDRESS_CLAIM.kind,
    metadata: {
      ...keptMetadata(metadata),
      name: nameOf(draft),
      annotations: {
        ...annotations,
        [DETAILS_KEY]: detailsText(detailsFor(draft, { holder, user, decision })),
      },
    },
    spec: {
      network: draft.network,
      address: spaceText(draft),
      door: stored['door'] ?? draft.door ?? door,
      ...present('pool', draft.pool === '' ? undefined : draft.pool),
      ...writeEntry(draft, stored),
      ...specOf(draft, holder),
    },
  };
  const { metadata: _metadata, ...rest } = object;
  const [problem] = addressClaimProblems({ ...rest, metadata: { name: object.metadata.name } });
  return problem === undefined ? accept(object) : { ok: false, refusal: problem };
}

function refuseDraft(draft: ClaimDraft, why: string): Outcome<never> {
  const value = spaceText(draft);
  return refuse('claim/invalid', `the claim of "${value}" ${why}`, { value });
}

function keptMetadata({ labels, finalizers, ownerReferences }: JsonMap): JsonMap {
  return {
    ...present('labels', labels),
    ...present('finalizers', finalizers),
    ...present('ownerReferences', ownerReferences),
  };
}

/** Objects of a claim that is written, and the mark of the decision. */
interface Writing {
  readonly holder: Holder;
  readonly user: Holder | undefined;
  readonly decision: string;
}

function detailsFor({ takenAtMs }: ClaimDraft, { holder, user, decision }: Writing): ClaimDetails {
  const { key: _key, ...rest } = holder;
  const shown = user === undefined ? undefined : { id: user.id, sinceMs: user.sinceMs, owner: user.owner };
  return { decision, takenAtMs, holder: rest, ...present('user', shown) };
}

function specOf({ quarantine, holders: [, user] }: ClaimDraft, holder: Holder): JsonMap {
  const state = quarantine === undefined ? stateOf(holder.state) : 'quarantined';
  const endMs = quarantine === undefined ? holder.expiresAtMs : quarantine.untilMs;
  return {
    state,
    ...(state === 'bound' ? {} : { until: endMs === undefined ? NO_END : new Date(endMs).toISOString() }),
    ...present('key', holder.key),
    ...present('holder', objectOf(holder.owner)),
    ...present('user', user && objectOf(user.owner)),
  };
}

// Undefined for an owner that the kind cannot name.
function objectOf({ apiVersion, kind, namespace, name, uid }: Owner): JsonMap | undefined {
  if (apiVersion === '' || kind === '' || !isDnsName(name, MAX_NAME_LENGTH)) return undefined;
  return { apiVersion, kind, ...(namespace === '' ? {} : { namespace }), name, ...present('uid', uid) };
}

// Some kinds have names that are no DNS names; the annotation keeps those.
const isDnsName = (text: string, most: number): boolean =>
  text.length <= most && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u.test(text);

// The kind has no word for a contested holder, whose object shows the address as a bound one does.
function stateOf(state: HolderState): AddressClaimSpec['state'] {
  return state === 'contested' ? 'bound' : state;
}
