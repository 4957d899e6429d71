import type { Outcome } from '../../../errors/outcome';
import type { ErrorCode } from '../../../errors/catalogue';
import type {
  BindRequest,
  ClaimChange,
  ClaimQuery,
  ReleaseRequest,
  SecretProof,
  TakeRequest,
  ZoneTally,
} from '../../../ports/claim-store';
import { toColumn, type AddressParameter } from '../shared/address-column';
import type { OutsideCell, OutsideVerb } from '../shared/outside-tables';
import type { ArchiveRequest, ArchiveResults } from './archive-wire';
import { holderCells, type ClaimRow, type HolderCells } from '../shared/claim-row';
import type { WireTake } from './take-wire';

/** {@link BindRequest} in a form that crosses the thread border. */
export interface WireBind extends Omit<BindRequest, 'address' | 'holder'> {
  readonly verb: 'bind';
  readonly address: AddressParameter;
  readonly holder: HolderCells;
}

/** {@link ReleaseRequest} in a form that crosses the thread border. */
export interface WireRelease extends Omit<ReleaseRequest, 'address'> {
  readonly verb: 'release';
  readonly address: AddressParameter;
}

/** Values of a query, under the names that its statement gives them. */
export type QueryParameters = Readonly<Record<string, string | number>>;

/** What the main thread asks for. */
export type WireRequest =
  | WireTake
  | WireBind
  | WireRelease
  | { readonly verb: 'get'; readonly network: string; readonly address: AddressParameter; readonly nowMs: number }
  | {
      readonly verb: 'list';
      readonly by: ClaimQuery['by'];
      readonly parameters: QueryParameters;
      readonly nowMs: number;
    }
  | ArchiveRequest
  | { readonly verb: 'revision' }
  | { readonly verb: 'tally'; readonly nowMs: number }
  | { readonly verb: 'keyFingerprint'; readonly candidate?: string }
  | { readonly verb: 'outside'; readonly statement: OutsideVerb; readonly values: readonly OutsideCell[] }
  | { readonly verb: 'close' };

/** What each verb answers. */
export interface WireResults extends ArchiveResults {
  readonly take: Outcome<{ readonly rows: readonly ClaimRow[]; readonly created: boolean }>;
  readonly bind: Outcome<readonly ClaimRow[]>;
  /** No rows: the address is free. */
  readonly release: Outcome<readonly ClaimRow[]>;
  readonly get: readonly ClaimRow[];
  readonly list: readonly ClaimRow[];
  readonly revision: number;
  readonly tally: readonly ZoneTally[];
  readonly keyFingerprint: string;
  /** Rows of the table of the outside source, or whatever the statement returns. */
  readonly outside: readonly (readonly unknown[])[];
  readonly close: undefined;
}

/** A thrown error on its way between threads. */
interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** {@link ClaimChange} in a form that crosses the thread border. */
export interface WireChange extends Omit<ClaimChange, 'address'> {
  readonly address: AddressParameter | number;
}

/** The answer to one request. */
export type WireAnswer =
  | { readonly result: WireResults[keyof WireResults]; readonly changes: readonly WireChange[] }
  | { readonly error: WireError };

/** What the worker thread sends: once whether it could open, then the answers in the order of the requests. */
export type WireMessage =
  | { readonly opened: true }
  | { readonly refused: WireError }
  | { readonly answers: readonly WireAnswer[] }
  | { readonly backedUp: BackedUp };

/** What the main thread asks for beside requests: a copy of the whole file, while claims go on being served. */
export interface BackupRequest {
  /** Path of the copy, which must not exist. */
  readonly backup: string;
}

/** End of a copy; with `problem` there is none. */
export interface BackedUp {
  readonly path: string;
  readonly problem?: WireError;
}

// Every field by name: a stray one of the caller, a function for instance, could not be cloned for the other thread.
function proof({ hash, scope, sealed }: SecretProof): SecretProof {
  return { hash, scope, ...optional('sealed', sealed) };
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}

/**
 * Encodes a take, but for its target.
 *
 * @param request - as the port takes it
 * @returns the message without `address` and `space`
 */
export function wireTake(request: TakeRequest): WireTake {
  return {
    verb: 'take',
    network: request.network,
    zone: request.zone,
    family: request.family,
    secret: proof(request.secret),
    holder: holderCells(request.holder),
    ...optional('returningOver', request.returningOver),
    ...optional('maxReservedInNamespace', request.maxReservedInNamespace),
    ...optional('zoneQuota', request.zoneQuota),
    ...optional('clusterQuota', request.clusterQuota),
    ...optional('namespaceQuota', request.namespaceQuota),
    nowMs: request.nowMs,
  };
}

/**
 * Encodes a bind.
 *
 * @param request - as the port takes it
 * @returns the message
 */
export function wireBind(request: BindRequest): WireBind {
  return {
    verb: 'bind',
    network: request.network,
    address: toColumn(request.address),
    version: request.version,
    ...optional('holderId', request.holderId),
    holder: holderCells(request.holder),
    ...optional('secret', request.secret && proof(request.secret)),
    nowMs: request.nowMs,
  };
}

/**
 * Encodes a release.
 *
 * @param request - as the port takes it
 * @returns the message
 */
export function wireRelease(request: ReleaseRequest): WireRelease {
  return {
    verb: 'release',
    network: request.network,
    address: toColumn(request.address),
    version: request.version,
    holderId: request.holderId,
    ...optional('quarantineUntilMs', request.quarantineUntilMs),
    nowMs: request.nowMs,
  };
}

/**
 * Encodes the values of a query.
 *
 * @param query - as the port takes it
 * @returns named parameters
 */
export function queryParameters(query: ClaimQuery): QueryParameters {
  switch (query.by) {
    case 'service': {
      const { serviceName, namespaceUid, clusterUid } = query.service;
      return { serviceName, namespaceUid, clusterUid };
    }
    case 'name': {
      const { clusterUid, namespace, serviceName } = query;
      return { clusterUid, namespace, serviceName };
    }
    case 'uid':
      return { serviceUid: query.serviceUid };
    case 'key':
      return { key: query.key };
    case 'zone':
      return { network: query.network, zone: query.zone };
    case 'cluster':
      return { clusterUid: query.clusterUid };
    case 'expired':
      return { state: query.state, beforeMs: query.beforeMs };
  }
}
