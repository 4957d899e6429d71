import { parseAddress, type Address, type Family } from '../../../addressing/address';
import { NO_OPTIONS } from '../../../contract/claim-options';
import type { ClaimAnswer, GrantAnswer } from '../../../contract/ipam-api/v3/answers';
import type { ClaimBody, WireClaimant } from '../../../contract/ipam-api/v3/bodies';
import { HANDLE_MARK, handleOf, type HolderPlace } from '../../../contract/ipam-api/v3/pieces';
import { serviceIdentity } from '../../../contract/service-identity';
import { accept, refuse, refusedAt, type Outcome } from '../../../errors/outcome';
import { chosenKeyOf } from '../../../ledger/records/claim-key';
import { grantedState } from '../../../ledger/records/grant';
import { namesOf, NAMES_ALL, type MayName } from '../../../errors/named-objects';
import { othersOf } from '../../../ledger/records/holder-words';
import type { Claimant, Grant, ReserveRequest, ServiceIdentity } from '../../../ports/address-book';
import type { AddressRecord, Holder } from '../../../ports/claims';
import type { V3Client } from './parts';
import { wordOf } from '../../../contract/ipam-api/v3/family-word';

/** An object without the members that are undefined. */
export type Present<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/**
 * Leaves out what is undefined.
 *
 * @param members - an object
 * @returns a copy without undefined members
 */
export function present<T extends object>(members: T): Partial<Present<T>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Present<T>>;
}

/**
 * Writes a moment.
 *
 * @param ms - milliseconds since 1970
 * @returns RFC 3339 in UTC
 */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Reads a family.
 *
 * @param word - its word
 * @returns 4 or 6
 */
export function familyOf(word: 'ipv4' | 'ipv6'): Family {
  return word === 'ipv4' ? 4 : 6;
}

/**
 * Reads an address.
 *
 * @param text - as it was sent
 * @param field - where it stands
 * @returns its value, or the refusal with the field
 */
export function addressAt(text: string, field: string): Outcome<Address> {
  const parsed = parseAddress(text);
  return parsed.ok ? parsed : { ok: false, refusal: refusedAt(parsed.refusal, field) };
}

/**
 * Reads the claimant.
 *
 * @param clusterUid - cluster of the path, for which the client speaks
 * @param wire - as it was sent
 * @returns its form for the book
 */
export function claimantOf(clusterUid: string, wire: WireClaimant): Claimant {
  const { namespaceUid, serviceName, namespace, serviceUid, reservation } = wire;
  return {
    service: { clusterUid, namespaceUid, serviceName },
    namespace,
    ...(serviceUid === undefined ? {} : { serviceUid }),
    ...(reservation === undefined ? {} : { reservation }),
  };
}

/**
 * Reads what is claimed.
 *
 * @param clusterUid - cluster of the path
 * @param body - the checked body
 * @param client - the caller
 * @returns the request, or the refusal of the address
 */
export function reserveRequest(clusterUid: string, body: ClaimBody, client: V3Client): Outcome<ReserveRequest> {
  const { claimant, family, address, zone, secret, previousSecret, options, sharing, writtenKeys, as } = body;
  const wish = address === undefined ? undefined : addressAt(address, 'address');
  if (wish?.ok === false) return wish;
  const { clusterQuota, namespaceQuota } = client;
  const limits = { clusterQuota, namespaceQuota, assertedBy: assertedByClient(client) };
  const { returns, adopt } = body;
  const optional = present({ wish: wish?.value, previousSecret, sharing, returns, adopt, ...limits });
  const asker = claimantOf(clusterUid, claimant);
  return accept({ claimant: asker, zone, family: familyOf(family), secret, options, writtenKeys, as, ...optional });
}

function assertedByClient({ role, operator }: V3Client): ReserveRequest['assertedBy'] {
  if (role === 'admin') return 'admin';
  // a reader may only plan, for whomever it names
  return role === 'cluster' && operator !== true ? 'cluster' : undefined;
}

/**
 * Writes what a caller has.
 *
 * @param grant - from the book
 * @returns its form on the wire
 */
export function grantAnswer(grant: Grant): GrantAnswer {
  const { network, zone, family, address, state, holderId, writtenKeys, created, sharedWith } = grant;
  return {
    key: grant.key ?? handleOf(grant),
    network,
    zone,
    family: wordOf(family),
    address: address.toString(),
    state,
    holderId,
    writtenKeys: [...writtenKeys],
    created,
    sharedWith: [...sharedWith],
  };
}

/**
 * Reads a key that the server made.
 *
 * @param key - of a claim
 * @returns where its holder is; undefined for a key that a caller chose
 */
export function placeOf(key: string): Outcome<HolderPlace> | undefined {
  if (!key.startsWith(HANDLE_MARK)) return undefined;
  const [network = '', text = '', holderId = '', ...rest] = key.slice(HANDLE_MARK.length).split(',');
  const address = parseAddress(text);
  const whole = rest.length === 0 && network !== '' && holderId !== '';
  if (address.ok && whole) return accept({ network, address: address.value, holderId });
  return refuse('claim/not-found', 'unknown key', { field: 'key', value: key });
}

/** Time and reader of claims. */
export interface Reading {
  readonly nowMs: number;
  /** Tells which objects are named. */
  readonly mayName: MayName;
}

/**
 * Tells which objects are named to a client: to a cluster its own ones.
 *
 * @param client - client that calls
 * @returns what names are written for it
 */
export function namesForClient({ role, clusterUids }: Pick<V3Client, 'role' | 'clusterUids'>): MayName {
  if (role !== 'cluster') return NAMES_ALL;
  const own = clusterUids.map(namesOf);
  return (cluster) => own.some((mayName) => mayName(cluster));
}

/**
 * Writes a claim on record.
 *
 * @param record - its address
 * @param holder - holder of the claim; the former holder of a quarantined address
 * @param reading - present time, and which objects are named to the caller
 * @returns its form on the wire
 */
export function claimAnswer(record: AddressRecord, holder: Holder, { nowMs, mayName }: Reading): ClaimAnswer {
  const { network, pool: zone, family, address, quarantine } = record;
  const state = quarantine === undefined ? grantedState(holder) : 'quarantined';
  const untilMs = quarantine?.untilMs ?? holder.expiresAtMs;
  const { owner, options = NO_OPTIONS, writtenKeys = [] } = holder;
  return {
    key: chosenKeyOf(owner.cluster, holder.key) ?? handleOf({ network, address, holderId: holder.id }),
    network,
    zone,
    family: wordOf(family),
    address: address.toString(),
    state,
    holderId: holder.id,
    service: serviceAnswer({ service: serviceIdentity(owner), namespace: owner.namespace, serviceUid: owner.uid }),
    options,
    writtenKeys: [...writtenKeys],
    since: timeOf(holder.sinceMs),
    ...(untilMs === undefined ? {} : { until: timeOf(untilMs) }),
    stale: state === 'reserved' && untilMs !== undefined && untilMs < nowMs,
    sharedWith: [...othersOf(holder, record, mayName)],
    version: record.version,
  };
}

/** A Service as far as it is known. */
interface KnownService {
  readonly service: ServiceIdentity;
  readonly namespace: string;
  readonly serviceUid?: string | undefined;
}

/**
 * Writes whose claim it is.
 *
 * @param known - the Service of a claim
 * @returns its form on the wire
 */
export function serviceAnswer({ service, namespace, serviceUid }: KnownService): ClaimAnswer['service'] {
  const { clusterUid, namespaceUid, serviceName } = service;
  return { clusterUid, namespaceUid, namespace, serviceName, ...(serviceUid === undefined ? {} : { serviceUid }) };
}

/**
 * Lists the holders of an address.
 *
 * @param record - the address
 * @returns its holders, without those that have no claim; of a quarantined one the former holder
 */
export function standing({ holders, quarantine }: AddressRecord): readonly Holder[] {
  return quarantine === undefined ? holders.filter(({ state }) => state !== 'contested') : [quarantine.former];
}
