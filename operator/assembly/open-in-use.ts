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
 * Finds what the own cluster shows without a claim, where a door watches its Services. It is put on record; where the claims are kept
 * elsewhere, each process looks at it by itself.
 *
 * @param settings - classes that announcers serve, time between comparisons
 * @param parts - cluster, claims, zones, doors
 * @returns what is in use; undefined where no door watches Services of a cluster
 */
export function openInUse(settings: Settings, { environment, opened, tools, doors }: InUseParts): InUse | undefined {
  const { claims, zones } = opened;
  const occupancy = doors.map((door): DoorOccupancy | undefined => door.occupancy).find((each) => each !== undefined);
  if (environment.kind === 'standalone' || occupancy === undefined) return undefined;
  const { loadBalancerClasses, occupiedClasses, resyncSeconds, vips, vipsClasses } = settings;
  // what the VIPs door gives is in use for every other one
  const classes = [...loadBalancerClasses, ...occupiedClasses, ...(vips ? vipsClasses : [])];
  if (claims.kind !== 'own' || claims.occupied === undefined) {
    return openShownHere(classes, { tools, environment, occupancy });
  }
  const { occupied: uses, store, clock: storeClock } = claims;
  const isShared = claims.writers !== 'process';
  return openOccupied(
    { classes, resyncSeconds },
    { tools, environment, zones, claims: store, storeClock, uses, isShared, occupancy },
  );
}
