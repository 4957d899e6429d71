import type { RenameWatch } from '../identity/rename-watch';
import { countsIn } from '../ledger/occupied/shown-index';
import type { Tools } from '../ports/tools';
import type { ZoneSource } from '../ports/zone-source';
import { together } from '../runtime/leadership';
import type { OpenedClaims } from './claims';
import { claimsBeside, type ClaimingDoors } from './claims-in-use';
import type { ClusterFeeds } from './cluster-feeds';
import type { Door, DoorOccupancy } from './door';
import type { Environment } from './environment';
import type { InUse, InUseSource } from './in-use';
import { openOccupied, type OccupiedParts } from './occupied';
import { openShownHere } from './shown-here';
import type { BuiltLedger } from './ledger';
import type { OpenedZones } from './zones';

/** Parts that are opened by now. */
interface InUseParts {
  readonly tools: Tools;
  readonly environment: Environment;
  readonly opened: OpenedZones;
  readonly doors: readonly Door[];
  /** Doors that have AddressClaims. */
  readonly claiming: ClaimingDoors;
  /** Absent where no record of zones is open. */
  readonly ledger?: Pick<BuiltLedger, 'book'> | undefined;
  /** Time between two comparisons. */
  readonly resyncSeconds: number;
  /** Absent where the cluster cannot be renamed under this process. */
  readonly renames?: Pick<RenameWatch, 'guardUses'> | undefined;
}

/**
 * Finds what the own cluster shows without a claim, where a door watches its objects. It is put on record; where the claims are kept
 * elsewhere, each process looks at it by itself as well, since the record there may have no place for it.
 *
 * @param parts - cluster, claims, zones, doors, time between comparisons
 * @returns what is in use; undefined where no door watches objects of a cluster
 */
export function openInUse(parts: InUseParts): InUse | undefined {
  const { environment, opened, tools, doors, renames, resyncSeconds } = parts;
  const { claims, zones, largeBlocks } = opened;
  const occupancies = doors.flatMap(({ occupancy }) => occupancy ?? []);
  if (environment.kind === 'standalone' || occupancies.length === 0) return undefined;
  const feeds = environment.feeds.machines();
  const place = placeOf(claims, renames);
  const claimsOfOthers = claimsBeside(parts.claiming, environment.feeds);
  const shared = { tools, environment, zones, occupancy: occupancyOf(occupancies), feeds, claimsOfOthers };
  const { book } = parts.ledger ?? {};
  const owners = claims.kind === 'own' && book !== undefined ? book.owners.bind(book) : undefined;
  const recorded = place && openOccupied({ ...shared, ...place, owners, largeBlocks, resyncSeconds });
  const shown = claims.kind === 'own' && recorded !== undefined ? undefined : openShownHere(shared);
  return joined([recorded, shown], feeds, zones);
}

/**
 * Takes what several doors watch as one.
 *
 * @param doors - what each of them tells and is told
 * @returns adopted once all of them are; each of them is told everything
 */
export function occupancyOf(doors: readonly DoorOccupancy[]): DoorOccupancy {
  return {
    shows: doors.flatMap(({ shows }) => shows),
    isAdopted: () => doors.every((door) => door.isAdopted()),
    whenAdopted: async () => {
      await Promise.all(doors.map((door) => door.whenAdopted()));
    },
    onFree: (freed) => {
      for (const door of doors) door.onFree(freed);
    },
    onSpace: () => {
      for (const door of doors) door.onSpace();
    },
    onMet: (claims) => {
      for (const door of doors) door.onMet(claims);
    },
  };
}

type RecordPlace = Pick<OccupiedParts, 'findUses' | 'claims' | 'storeClock' | 'isShared'>;

function placeOf(claims: OpenedClaims, renames: InUseParts['renames']): RecordPlace | undefined {
  if (claims.kind === 'none') return undefined;
  const { clock: storeClock } = claims;
  const isShared = claims.writers !== 'process';
  if (claims.kind === 'remote') return claims.shown && { ...claims.shown, storeClock, isShared };
  const { occupied: uses, store } = claims;
  if (uses === undefined) return undefined;
  const guarded = renames?.guardUses(uses) ?? uses;
  return { findUses: () => Promise.resolve(guarded), claims: store, storeClock, isShared };
}

function joined(
  found: readonly (InUseSource | undefined)[],
  { nodes, apiServer }: ReturnType<ClusterFeeds['machines']>,
  zones: ZoneSource,
): InUse {
  const sources = found.filter((each) => each !== undefined);
  const leaderWork = together(...sources.flatMap((each) => (each.leaderWork === undefined ? [] : [each.leaderWork])));
  const firstOf = (problem: (source: InUseSource) => string | undefined): string | undefined =>
    sources.map(problem).find((each) => each !== undefined);
  const unready = (): string | undefined => firstOf((each) => each.unready());
  return {
    shownHere: (address, zone) => {
      const network = zones.current().zones.find(({ name }) => name === zone)?.network;
      return sources.flatMap((each) => each.shownHere(address)).filter((showing) => countsIn(showing, network));
    },
    problem: () => firstOf((each) => each.problem()),
    checks: [{ name: 'occupied', run: () => nodes.problem() ?? apiServer.problem() ?? unready() }],
    leaderWork,
    close: async () => {
      for (const each of sources) await each.close();
    },
  };
}
