import type { Tools } from '../ports/tools';
import type { Settings } from '../settings/options';
import type { Door, DoorOccupancy } from './door';
import type { Environment } from './environment';
import type { InUse } from './in-use';
import { openOccupied } from './occupied';
import { openShownHere } from './shown-here';
import type { OpenedZones } from './zones';

/** What is opened by now. */
interface InUseParts {
  readonly tools: Tools;
  readonly environment: Environment;
  readonly opened: OpenedZones;
  readonly doors: readonly Door[];
}

/**
 * Finds what the own cluster shows without a claim, where a door watches its objects. It is put on record; where the claims are kept
 * elsewhere, each process looks at it by itself.
 *
 * @param settings - time between comparisons
 * @param parts - cluster, claims, zones, doors
 * @returns what is in use; undefined where no door watches objects of a cluster
 */
export function openInUse(
  settings: Pick<Settings, 'resyncSeconds'>,
  { environment, opened, tools, doors }: InUseParts,
): InUse | undefined {
  const { claims, zones } = opened;
  const occupancies = doors.flatMap(({ occupancy }) => occupancy ?? []);
  if (environment.kind === 'standalone' || occupancies.length === 0) return undefined;
  const occupancy = occupancyOf(occupancies);
  if (claims.kind !== 'own' || claims.occupied === undefined) {
    return openShownHere({ tools, environment, occupancy });
  }
  const { occupied: uses, store, clock: storeClock } = claims;
  const isShared = claims.writers !== 'process';
  return openOccupied(settings, { tools, environment, zones, claims: store, storeClock, uses, isShared, occupancy });
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
    onMet: (claims) => {
      for (const door of doors) door.onMet(claims);
    },
  };
}
