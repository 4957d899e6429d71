import { IpamError } from '../../../errors/ipam-error';
import type { Family } from '../../../addressing/address';
import type {
  AddressRecord,
  Holder,
  HolderState,
  NewHolder,
  SecretProof,
  SharingTerms,
} from '../../../ports/claim-store';
import { fromColumn, type AddressColumn, type AddressParameter } from './address-column';

type AddressCells = readonly [
  id: number,
  network: string,
  address: AddressColumn | AddressParameter,
  family: Family,
  zone: string,
  secretHash: string,
  secretScope: SecretProof['scope'],
  state: AddressRecord['state'],
  quarantineUntilMs: number | null,
  version: number,
  takenAtMs: number,
];

const ADDRESS_COLUMNS =
  'a.id, a.network, a.address, a.family, a.zone, a.secret_hash, a.secret_scope, a.state, a.quarantine_until, a.version, a.taken_at';

/** What a caller tells of a holder, as parameters of one INSERT. */
export type HolderCells = readonly [
  serviceName: string,
  namespaceUid: string,
  clusterUid: string,
  namespace: string,
  serviceUid: string | null,
  state: HolderState,
  key: string | null,
  retentionDays: number,
  denyExternalCleanup: 0 | 1,
  sharing: string | null,
  writtenKeys: string,
  expiresAtMs: number | null,
  purpose: string | null,
];

/** Columns of {@link HolderCells}, in their order. */
export const HOLDER_COLUMNS: readonly string[] = [
  ...['service_name', 'namespace_uid', 'cluster_uid', 'namespace', 'service_uid', 'state', 'key'],
  ...['retention_days', 'deny_external_cleanup', 'sharing', 'written_keys', 'expires_at', 'purpose'],
];

type StoredHolderCells = readonly [id: number, sinceMs: number, ...HolderCells];

/**
 * One live address joined with one of its holders (the former one when quarantined), in the order of {@link CLAIM_COLUMNS}.
 * Arrays, not objects: they cross the thread border as they are, and much faster.
 */
export type ClaimRow = readonly [...AddressCells, ...StoredHolderCells, sealed: string | null];

/** Column list that yields a {@link ClaimRow} from `address a` joined with `holder h`. */
export const CLAIM_COLUMNS = [
  ...[ADDRESS_COLUMNS, 'h.id', 'h.since'],
  ...HOLDER_COLUMNS.map((name) => `h.${name}`),
  'a.secret_sealed',
].join(', ');

const HOLDER_START = ADDRESS_COLUMNS.split(',').length;

/**
 * Encodes a holder.
 *
 * @param holder - as the caller hands it in
 * @returns parameters for the database
 */
export function holderCells(holder: NewHolder): HolderCells {
  const { service, options, sharing } = holder;
  return [
    service.serviceName,
    service.namespaceUid,
    service.clusterUid,
    holder.namespace,
    holder.serviceUid ?? null,
    holder.state,
    holder.key ?? null,
    options.retentionPeriodDays,
    options.denyExternalCleanup ? 1 : 0,
    sharing === undefined ? null : JSON.stringify(sharing),
    JSON.stringify(holder.writtenKeys),
    holder.expiresAtMs ?? null,
    holder.purpose ?? null,
  ];
}

function optional<K extends string, V>(key: K, value: V | null): Partial<Record<K, V>> {
  return value === null ? {} : ({ [key]: value } as Record<K, V>);
}

function sharingOf(text: string | null): SharingTerms | null {
  if (text === null) return null;
  const terms = JSON.parse(text) as SharingTerms;
  Object.freeze(terms.ports);
  return Object.freeze(terms);
}

function holderOf(row: ClaimRow): Holder {
  const cells = row.slice(HOLDER_START) as unknown as StoredHolderCells;
  const [id, sinceMs, serviceName, namespaceUid, clusterUid, namespace, serviceUid, state, key, ...rest] = cells;
  const [retentionPeriodDays, deny, sharing, writtenKeys, expiresAtMs, purpose] = rest;
  return Object.freeze({
    id: String(id),
    service: Object.freeze({ serviceName, namespaceUid, clusterUid }),
    namespace,
    ...optional('serviceUid', serviceUid),
    state,
    ...optional('key', key),
    options: Object.freeze({ retentionPeriodDays, denyExternalCleanup: deny === 1 }),
    ...optional('sharing', sharingOf(sharing)),
    writtenKeys: Object.freeze(JSON.parse(writtenKeys) as string[]),
    ...optional('purpose', purpose),
    ...optional('expiresAtMs', expiresAtMs),
    sinceMs,
  });
}

// All rows of one address.
function recordOf(rows: readonly [ClaimRow, ...ClaimRow[]]): AddressRecord {
  const [first] = rows;
  const [, network, address, family, zone, hash, scope, state, untilMs, version, takenAtMs] = first;
  const quarantine = untilMs === null ? null : Object.freeze({ untilMs, former: holderOf(first) });
  return Object.freeze({
    network,
    address: fromColumn(address),
    zone,
    family,
    secret: Object.freeze({ hash, scope, ...optional('sealed', first.at(-1) as string | null) }),
    state,
    holders: Object.freeze(quarantine === null ? rows.map(holderOf) : []),
    ...optional('quarantine', quarantine),
    version,
    takenAtMs,
  });
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
