import { familyBits, type Family } from '../../../addressing/address';
import { SERVICE } from '../../../contract/service-identity';
import { IpamError } from '../../../errors/ipam-error';
import type {
  AddressRecord,
  ClaimOptions,
  Holder,
  HolderState,
  NewHolder,
  SecretProof,
  SharingTerms,
} from '../../../ports/claims';
import { fromColumn, type AddressColumn, type AddressParameter } from './address-column';

type AddressCells = readonly [
  id: number,
  network: string,
  address: AddressColumn | AddressParameter,
  length: number | null,
  family: Family,
  pool: string,
  secretHash: string | null,
  secretScope: SecretProof['scope'] | null,
  secretSealed: string | null,
  state: AddressRecord['state'],
  quarantineUntilMs: number | null,
  foreignCluster: string | null,
  foreignSource: string | null,
  version: number,
  takenAtMs: number,
];

const ADDRESS_COLUMNS = `a.id, a.network, a.address, a.length, a.family, a.zone, a.secret_hash, a.secret_scope, a.secret_sealed,
  a.state, a.quarantine_until, a.foreign_cluster, a.foreign_source, a.version, a.taken_at`;

/** A holder as parameters of one INSERT. */
export type HolderCells = readonly [
  name: string,
  namespaceUid: string,
  cluster: string,
  namespace: string,
  uid: string | null,
  state: HolderState,
  key: string | null,
  retentionDays: number | null,
  denyExternalCleanup: 0 | 1 | null,
  sharing: string | null,
  writtenKeys: string | null,
  expiresAtMs: number | null,
  purpose: string | null,
  apiVersion: string,
  kind: string,
];

/** Columns of {@link HolderCells}, in their order. */
export const HOLDER_COLUMNS: readonly string[] = [
  ...['service_name', 'namespace_uid', 'cluster_uid', 'namespace', 'service_uid', 'state', 'key'],
  ...['retention_days', 'deny_external_cleanup', 'sharing', 'written_keys', 'expires_at', 'purpose'],
  ...['api_version', 'kind'],
];

/** How many of {@link HolderCells} a Service needs: the database knows its kind. */
export const SERVICE_CELLS = 13;

/**
 * Tells whether the database knows the kind of an owner by itself.
 *
 * @param holder - an encoded holder
 * @returns true for a Service
 */
export function isService(holder: HolderCells): boolean {
  return holder[14] === SERVICE.kind && holder[13] === SERVICE.apiVersion;
}

/** Position of the end of the lease or the retention in {@link HolderCells}. */
export const EXPIRES_AT = 11;

type StoredHolderCells = readonly [id: number, sinceMs: number, ...HolderCells];
type NoHolderCells = readonly [id: null, sinceMs: null, ...null[]];

/**
 * One live row joined with one of its holders (the former one when quarantined, none when foreign), in the order of
 * {@link CLAIM_COLUMNS}. Arrays, not objects: they cross the thread border as they are, and much faster.
 */
export type ClaimRow = readonly [...AddressCells, ...(StoredHolderCells | NoHolderCells)];

/** Column list that yields a {@link ClaimRow} from `address a` joined with `holder h`. */
export const CLAIM_COLUMNS = [
  ...[ADDRESS_COLUMNS, 'h.id', 'h.since'],
  ...HOLDER_COLUMNS.map((name) => `h.${name}`),
].join(', ');

/** Order of those rows: by address, and of one address the oldest holder first, since its id grows with time. */
export const CLAIM_ORDER = 'ORDER BY a.address, a.network, h.id';

const HOLDER_START = ADDRESS_COLUMNS.split(',').length;

/**
 * Encodes a holder.
 *
 * @param holder - as the caller hands it in
 * @param expiresAtMs - end of its lease or retention
 * @param key - its key; that of the holder where left out
 * @returns parameters for the database
 */
export function holderCells(holder: NewHolder, expiresAtMs: number | null, key = holder.key): HolderCells {
  const { owner, options, sharing, writtenKeys = [] } = holder;
  return [
    owner.name,
    owner.namespaceUid,
    owner.cluster,
    owner.namespace,
    orNull(owner.uid),
    holder.state,
    orNull(key),
    orNull(options?.retentionPeriodDays),
    options === undefined ? null : (Number(options.denyExternalCleanup) as 0 | 1),
    sharing === undefined ? null : JSON.stringify(sharing),
    writtenKeys.length === 0 ? null : JSON.stringify(writtenKeys),
    expiresAtMs,
    orNull(holder.purpose),
    owner.apiVersion,
    owner.kind,
  ];
}

const orNull = <T>(value: T | undefined): T | null => value ?? null;

type Written<T> = { -readonly [K in keyof T]: T[K] };

function sharingOf(text: string | null): SharingTerms | null {
  if (text === null) return null;
  const terms = JSON.parse(text) as SharingTerms;
  Object.freeze(terms.ports);
  return Object.freeze(terms);
}

function optionsOf(retentionPeriodDays: number | null, deny: 0 | 1 | null): ClaimOptions | null {
  return retentionPeriodDays === null ? null : Object.freeze({ retentionPeriodDays, denyExternalCleanup: deny === 1 });
}

function keysOf(text: string | null): readonly string[] | null {
  return text === null || text === '[]' ? null : Object.freeze(JSON.parse(text) as string[]);
}

function holderOf(row: ClaimRow): Holder {
  const cells = row.slice(HOLDER_START) as unknown as StoredHolderCells;
  const [id, sinceMs, name, namespaceUid, cluster, namespace, uid, state, key, ...rest] = cells;
  const [retentionDays, deny, sharing, writtenKeys, expiresAtMs, purpose, apiVersion, kind] = rest;
  const owner: Written<Holder['owner']> = { cluster, apiVersion, kind, namespace, namespaceUid, name };
  if (uid !== null) owner.uid = uid;
  // assigned one by one: a spread for each of them costs several times as much, and every take reads one
  const holder: Written<Holder> = { id: String(id), owner: Object.freeze(owner), state, sinceMs };
  const [options, terms, keys] = [optionsOf(retentionDays, deny), sharingOf(sharing), keysOf(writtenKeys)];
  if (key !== null) holder.key = key;
  if (options !== null) holder.options = options;
  if (terms !== null) holder.sharing = terms;
  if (keys !== null) holder.writtenKeys = keys;
  if (purpose !== null) holder.purpose = purpose;
  if (expiresAtMs !== null) holder.expiresAtMs = expiresAtMs;
  return Object.freeze(holder);
}

function secretOf([, , , , , , hash, scope, sealed]: ClaimRow): SecretProof | null {
  if (hash === null || scope === null) return null;
  return Object.freeze(sealed === null ? { hash, scope } : { hash, scope, sealed });
}

// All rows of one address.
function recordOf(rows: readonly [ClaimRow, ...ClaimRow[]]): AddressRecord {
  const [first] = rows;
  const [, network, address, length, family, pool, , , , state, untilMs, cluster, source, version, takenAtMs] = first;
  const record: Written<AddressRecord> = {
    network,
    address: fromColumn(address),
    length: length ?? familyBits(family),
    pool,
    family,
    state,
    holders: Object.freeze(state === 'held' ? rows.map(holderOf) : []),
    version,
    takenAtMs,
  };
  const secret = secretOf(first);
  if (secret !== null) record.secret = secret;
  if (untilMs !== null) record.quarantine = Object.freeze({ untilMs, former: holderOf(first) });
  if (source !== null) record.foreign = Object.freeze({ cluster: cluster ?? '', source });
  return Object.freeze(record);
}

/**
 * Groups joined rows by address.
 *
 * @param rows - rows of one address stand together, its holders oldest first
 * @returns immutable records in the order of the rows
 */
export function recordsOf(rows: readonly ClaimRow[]): readonly AddressRecord[] {
  const groups: [ClaimRow, ...ClaimRow[]][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group?.[0][0] === row[0]) group.push(row);
    else groups.push([row]);
  }
  try {
    return groups.map(recordOf);
  } catch (cause) {
    // SQLite notices broken pages, not broken values in sound ones
    throw new IpamError('store/unavailable', 'a row of the store is damaged; restore its file from a backup', {
      cause,
    });
  }
}

/**
 * Reads the record that a verb answers with.
 *
 * @param rows - rows of one address
 * @returns its record
 * @throws {@link IpamError} `internal` when there is none
 */
export function oneRecord(rows: readonly ClaimRow[]): AddressRecord {
  const [record] = recordsOf(rows);
  if (record === undefined) throw new IpamError('internal', 'the store answered without the record it changed');
  return record;
}
