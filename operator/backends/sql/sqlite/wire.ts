import type { Outcome } from '../../../errors/outcome';
import type { ErrorCode } from '../../../errors/catalogue';
import type { PoolTally } from '../../../ports/claim-counts';
import type { BindRequest, ClaimChange, ClaimQuery, Place, ReleaseRequest, SecretProof } from '../../../ports/claims';
import { lengthColumn, toColumn, type AddressParameter } from '../shared/address-column';
import type { ExchangeMove } from '../shared/exchange-moves';
import type { OutsideCell, OutsideVerb } from '../shared/outside-tables';
import type { ArchiveRequest, ArchiveResults } from './archive-wire';
import { holderCells, type ClaimRow, type HolderCells } from '../shared/claim-row';
import { plainProof, type QueryParameters, type WireFirstTake, type WireTake, type WireTaken } from './take-wire';
import { optionalField } from '../../../contract/optional-field';

/** `Place` in a form that crosses the thread border. */
export interface WirePlace {
  readonly network: string;
  readonly address: AddressParameter;
  /** Bits of a prefix; null for one address. */
  readonly length: number | null;
}

/** `BindRequest` in a form that crosses the thread border. */
export interface WireBind extends WirePlace {
  readonly verb: 'bind';
  readonly version: number;
  readonly holderId?: string;
  readonly holder: HolderCells;
  /** The new state ends when the one before it did. */
  readonly keepsExpiry?: true;
  readonly secret?: SecretProof;
  readonly nowMs: number;
}

/** `ReleaseRequest` in a form that crosses the thread border. */
export interface WireRelease extends WirePlace {
  readonly verb: 'release';
  readonly version: number;
  readonly holderId: string;
  readonly quarantineMs?: number;
  readonly nowMs: number;
}

/** The moves of an exchange in a form that crosses the thread border. */
export interface WireExchange {
  readonly verb: 'exchange';
  readonly moves: readonly (WirePlace & Pick<WireRelease, 'version' | 'holderId'> & { readonly to: number })[];
  readonly nowMs: number;
}

/** Requests of the main thread. */
export type WireRequest =
  | WireTake
  | WireFirstTake
  | WireBind
  | WireRelease
  | WireExchange
  | (WirePlace & { readonly verb: 'get'; readonly nowMs: number })
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
  | { readonly verb: 'ping'; readonly nowMs: number }
  | { readonly verb: 'outside'; readonly statement: OutsideVerb; readonly values: readonly OutsideCell[] }
  | { readonly verb: 'close' };

/** Answers of each verb. */
export interface WireResults extends ArchiveResults {
  readonly take: Outcome<readonly WireTaken[]>;
  /** Undefined: the owner is known. */
  readonly takeFirst: WireResults['take'] | undefined;
  readonly bind: Outcome<readonly ClaimRow[]>;
  /** No rows: the space is free. */
  readonly release: Outcome<readonly ClaimRow[]>;
  readonly exchange: Outcome<readonly (readonly ClaimRow[])[]>;
  readonly get: readonly ClaimRow[];
  readonly list: readonly ClaimRow[];
  readonly revision: number;
  readonly tally: readonly PoolTally[];
  readonly keyFingerprint: string;
  readonly ping: undefined;
  /** Rows of the table of the outside source, or whatever the statement returns. */
  readonly outside: readonly (readonly unknown[])[];
  readonly close: undefined;
}

/** A thrown error on its way between threads. */
interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** `ClaimChange` in a form that crosses the thread border: a list, which costs less there than an object. */
export type WireChange = readonly [
  kind: ClaimChange['kind'],
  network: string,
  pool: string,
  address: AddressParameter | number,
  length: number | null,
];

/** The answer to one request. */
export type WireAnswer =
  | { readonly ok: true; readonly result: WireResults[keyof WireResults]; readonly changes: readonly WireChange[] }
  | { readonly ok: false; readonly error: WireError };

/** A message of the worker thread: once whether it could open, then the answers in the order of the requests. */
export type WireMessage =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly error: WireError }
  | { readonly kind: 'answers'; readonly answers: readonly WireAnswer[] }
  | BackedUp;

/** A message of the main thread: requests, or an order to copy the whole file while claims go on being served. */
export type WireOrder =
  | { readonly kind: 'requests'; readonly requests: readonly WireRequest[] }
  /** To a path that must not exist. */
  | { readonly kind: 'backup'; readonly path: string };

/** End of a copy; with `problem` there is none. */
export interface BackedUp {
  readonly kind: 'backedUp';
  readonly path: string;
  readonly problem?: WireError;
}

/**
 * Encodes a place.
 *
 * @param place - as the port takes it
 * @returns its own fields alone
 */
export function wirePlace(place: Place): WirePlace {
  return { network: place.network, address: toColumn(place.address), length: lengthColumn(place) };
}

/**
 * Encodes a bind.
 *
 * @param request - as the port takes it
 * @param nowMs - the moment of the store's clock
 * @returns the message
 */
export function wireBind(request: BindRequest, nowMs: number): WireBind {
  const { holder, secret } = request;
  const { expiry } = holder;
  return {
    verb: 'bind',
    ...wirePlace(request),
    version: request.version,
    ...optionalField('holderId', request.holderId),
    holder: holderCells(holder, expiry?.kind === 'after' ? nowMs + expiry.ms : null),
    ...(expiry?.kind === 'unchanged' ? { keepsExpiry: true } : {}),
    ...optionalField('secret', secret && plainProof(secret)),
    nowMs,
  };
}

/**
 * Encodes a release.
 *
 * @param request - as the port takes it
 * @param nowMs - the moment of the store's clock
 * @returns the message
 */
export function wireRelease(request: ReleaseRequest, nowMs: number): WireRelease {
  const { version, holderId, quarantineMs } = request;
  return {
    verb: 'release',
    ...wirePlace(request),
    version,
    holderId,
    ...optionalField('quarantineMs', quarantineMs),
    nowMs,
  };
}

/**
 * Encodes an exchange.
 *
 * @param moves - moves that form circles
 * @param nowMs - the moment of the store's clock
 * @returns the message
 */
export function wireExchange(moves: readonly ExchangeMove[], nowMs: number): WireExchange {
  const wired = moves.map(({ from, to }) => {
    return { ...wirePlace(from), version: from.version, holderId: from.holderId, to };
  });
  return { verb: 'exchange', moves: wired, nowMs };
}

/**
 * Encodes the values of a query.
 *
 * @param query - as the port takes it
 * @returns named parameters
 */
export function queryParameters(query: ClaimQuery): QueryParameters {
  switch (query.by) {
    case 'owner': {
      const { cluster, namespaceUid, name } = query.owner;
      return { cluster, namespaceUid, name };
    }
    case 'name': {
      const { cluster, namespace, name } = query;
      return { cluster, namespace, name };
    }
    case 'uid':
      return { uid: query.uid };
    case 'key':
      return { key: query.key };
    case 'pool':
      return { network: query.network, pool: query.pool };
    case 'cluster':
      return { cluster: query.cluster };
    case 'expired':
      return { state: query.state, sinceMs: query.sinceMs };
  }
}
