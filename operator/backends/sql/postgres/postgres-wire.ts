import { IpamError } from '../../../errors/ipam-error';
import { addressOf, familyBits, type Family } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import type { NamedHolder } from '../../../errors/store-refusals';
import type {
  BindRequest,
  ClaimChange,
  FirstTake,
  OwnerQuery,
  Place,
  ReleaseRequest,
  TakeRequest,
  Want,
} from '../../../ports/claims';
import type { OccupiedChange } from '../../../ports/occupied-addresses';
import { lengthColumn, toColumn } from '../shared/address-column';
import { EXPIRES_AT, holderCells, type ClaimRow } from '../shared/claim-row';
import type { ExchangeMove } from '../shared/exchange-moves';

/** A request that changes something, with the verb that it is for. */
export type PostgresWrite =
  | { readonly verb: 'take'; readonly request: TakeRequest }
  | { readonly verb: 'takeFirst'; readonly request: FirstTake }
  | { readonly verb: 'bind'; readonly request: BindRequest }
  | { readonly verb: 'release'; readonly request: ReleaseRequest }
  | { readonly verb: 'use'; readonly request: OccupiedChange }
  | { readonly verb: 'exchange'; readonly request: readonly ExchangeMove[] };

/** Obstacle to a wished space. */
export interface WireObstacle {
  readonly refused: 'held' | 'quarantined';
  readonly address: string;
  readonly length: number | null;
  readonly nowMs: number;
  readonly untilMs: number | null;
  /** Null where a cluster uses the space without a claim: then `cluster` and `source` say which, and by what. */
  readonly holder: NamedHolder | null;
  readonly cluster: string | null;
  readonly source: string | null;
}

/** A pool that has nothing left. */
export interface WireFull {
  readonly refused: 'exhausted';
  readonly quarantined: number;
  readonly firstMs: number | null;
  readonly nowMs: number;
}

/** A cluster that has another name on record by now. */
interface WireRenamed {
  readonly refused: 'renamed';
  readonly cluster: string;
  readonly name: string;
}

/** Why a function of the database refused. */
export type WireRefusal = (
  | WireObstacle
  | WireFull
  | { readonly refused: 'reservation' | 'quota' | 'cluster' | 'namespace' }
  | { readonly refused: 'unclaimed' | 'outdated' | 'key' }
  | WireRenamed
) & {
  /** Position of the refused want of a take, or of the refused move; absent: the only one. */
  readonly want?: number;
  readonly move?: number;
};

/** One record as a function of the database answers. */
export interface WireRecord {
  readonly rows: readonly (readonly unknown[])[];
  readonly created?: boolean;
}

/** Success of a function of the database: the members that its verb has, and no `refused`. */
export interface WireSuccess extends Partial<WireRecord> {
  readonly refused?: undefined;
  /** Of a take of two families. */
  readonly taken?: readonly WireRecord[];
  /** Of a first take: the owner is known. */
  readonly known?: true;
  /** Of a use of an address. */
  readonly done?: true;
  /** Of an exchange. */
  readonly records?: readonly WireRecord['rows'][];
}

/** Answer of a function of the database to one request. */
export type WriteResult = WireRefusal | WireSuccess;

/** Answer of the database to a batch: results of the first requests, in order, and all changes. */
export interface BatchAnswer {
  readonly results: readonly WriteResult[];
  readonly changes: readonly (readonly [
    request: number,
    kind: ClaimChange['kind'],
    network: string,
    pool: string,
    address: string,
    length: number | null,
  ])[];
}

// where an address and a boolean stand in `CLAIM_COLUMNS`
const [ADDRESS, DENY] = [2, 25];

type JsonObject = Record<string, unknown>;

// Every space of a batch travels once.
class Spaces {
  readonly texts: unknown[] = [];
  readonly #known = new Map<string, number>();
  readonly #encoded = new Map<PrefixSet, Map<Family, string>>();

  indexOf({ space, family }: Want): number {
    const byFamily = this.#encoded.get(space) ?? new Map<Family, string>();
    this.#encoded.set(space, byFamily);
    let text = byFamily.get(family);
    if (text === undefined) {
      text = JSON.stringify(space.ranges(family).map(({ first, last }) => [first.toString(), last.toString()]));
      byFamily.set(family, text);
    }
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, this.texts.length);
    return this.texts.push(JSON.parse(text)) - 1;
  }
}

// The end of a lease goes as milliseconds from now, behind the cells that the database stores as they are.
function holderJson(holder: BindRequest['holder']): readonly unknown[] {
  const { expiry } = holder;
  const cells = holderCells(holder, null);
  if (expiry === undefined) return cells;
  return [...cells.with(EXPIRES_AT, null), expiry.kind === 'after' ? expiry.ms : 'unchanged'];
}

function lengthJson(place: Pick<Place, 'address' | 'length'>): { readonly length?: number } {
  const length = lengthColumn(place);
  return length === null ? {} : { length };
}

function wantJson(request: TakeRequest, want: Want, spaces: Spaces): JsonObject {
  const { network, pool, secret, holder, limits } = request;
  const { family, address, length } = want;
  const target =
    address === undefined
      ? { space: spaces.indexOf(want), ...(length === familyBits(family) ? {} : { length }) }
      : { address: address.toString(), ...lengthJson({ address, ...(length === undefined ? {} : { length }) }) };
  return {
    verb: 'take',
    network,
    zone: pool,
    family,
    ...target,
    ...(secret === undefined ? {} : { secret: [secret.hash, secret.scope, secret.sealed] }),
    holder: holderJson(want.key === undefined ? holder : { ...holder, key: want.key }),
    returningOver: want.returningOver,
    maxReservedInNamespace: limits?.maxReservedInNamespace,
    zoneQuota: limits?.poolQuota,
    clusterQuota: limits?.clusterQuota,
    namespaceQuota: limits?.namespaceQuota,
  };
}

function placeJson(place: Place): JsonObject {
  return { network: place.network, address: place.address.toString(), ...lengthJson(place) };
}

function takeJson(request: TakeRequest, spaces: Spaces): JsonObject {
  const wants = request.wants.map((want) => wantJson(request, want, spaces));
  return wants.length === 1 ? (wants[0] ?? {}) : { verb: 'takeAll', wants };
}

function unlessJson(query: OwnerQuery): JsonObject {
  if (query.by !== 'owner') return query;
  const { cluster, namespaceUid, name } = query.owner;
  return { by: query.by, cluster, namespaceUid, name };
}

function writeJson(write: PostgresWrite, spaces: Spaces): JsonObject {
  switch (write.verb) {
    case 'take':
      return takeJson(write.request, spaces);
    case 'takeFirst':
      return { ...takeJson(write.request, spaces), unless: write.request.unless.map(unlessJson) };
    case 'bind': {
      const { version, holderId, holder, secret } = write.request;
      return {
        verb: 'bind',
        ...placeJson(write.request),
        version,
        holderId,
        holder: holderJson(holder),
        ...(secret === undefined ? {} : { secret: [secret.hash, secret.scope, secret.sealed] }),
      };
    }
    case 'release': {
      const { version, holderId, quarantineMs } = write.request;
      return { verb: 'release', ...placeJson(write.request), version, holderId, quarantineMs };
    }
    case 'use': {
      const { cluster, network, address, use } = write.request;
      const shown = use === undefined ? {} : { source: use.source, avoided: use.weight === 'avoided' };
      return { verb: 'use', cluster, network, address: address.toString(), ...shown };
    }
    case 'exchange': {
      const moves = write.request.map(({ from, to }) => {
        return { ...placeJson(from), version: from.version, holderId: from.holderId, to };
      });
      return { verb: 'exchange', moves };
    }
  }
}

function networksOf(write: PostgresWrite): readonly string[] {
  return write.verb === 'exchange' ? write.request.map(({ from }) => from.network) : [write.request.network];
}

/**
 * Encodes a batch for the function of the database.
 *
 * @param writes - in the order in which they were asked for
 * @returns JSON text
 */
export function batchText(writes: readonly PostgresWrite[]): string {
  const spaces = new Spaces();
  const requests = writes.map((write) => writeJson(write, spaces));
  const networks = [...new Set(writes.flatMap(networksOf))];
  return JSON.stringify({ networks, spaces: spaces.texts, requests });
}

/**
 * Encodes a take for the function of the database that looks without taking.
 *
 * @param request - what a take would be asked
 * @returns JSON text
 */
export function peekText(request: TakeRequest): string {
  const spaces = new Spaces();
  const requests = request.wants.map((want) => wantJson(request, want, spaces));
  return JSON.stringify({ spaces: spaces.texts, requests });
}

/**
 * Turns what the driver read into the form of the SQLite store.
 *
 * @param cells - in the order of `CLAIM_COLUMNS`
 * @returns the same cells, for `recordsOf`
 */
export function claimRow(cells: readonly unknown[]): ClaimRow {
  const row = [...cells];
  row[ADDRESS] = toColumn(addressOf(cells[ADDRESS] as string));
  row[DENY] = cells[DENY] === true ? 1 : 0;
  return row as unknown as ClaimRow;
}

/**
 * Decodes a change.
 *
 * @param change - an entry of a batch's answer
 * @returns the same for watchers
 */
export function changeOf([, kind, network, pool, text, length]: BatchAnswer['changes'][number]): ClaimChange {
  const address = addressOf(text);
  return { kind, network, pool, address, length: length ?? familyBits(address.family) };
}

/**
 * Reads the only record that a function of the database answered with.
 *
 * @param result - of a verb that answers with a record
 * @returns its rows, and whether they are new
 * @throws {@link IpamError} `internal` for the answer of another verb
 */
export function recordIn({ rows, created }: WireSuccess): WireRecord {
  if (rows !== undefined) return created === undefined ? { rows } : { rows, created };
  throw new IpamError('internal', 'the database answered another verb than the one that it was asked for');
}
