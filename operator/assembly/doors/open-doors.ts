import { shareIdentity, unsharedIdentity, type SharedIdentity } from '../../identity/shared-identity';
import { RenameWatch } from '../../identity/rename-watch';
import { behindAdoptionGate } from '../../ledger/guards/adoption-gate';
import { IpamError } from '../../errors/ipam-error';
import type { AddressBook } from '../../ports/address-book';
import type { Tools } from '../../ports/tools';
import { together, type Leadership, type LeaderWork } from '../../runtime/leadership';
import type { HealthCheck } from '../../server/health';
import type { Settings } from '../../settings/options';
import { notesOf } from '../claims';
import type { CommonParts, Door, DoorKind, DoorParts } from '../door';
import { ADMIN_DOOR, RECORDLESS_ADMIN_DOOR } from './admin';
import { CLUSTER_API_DOOR } from './cluster-api';
import { CLEANUP_EVENTS_DOOR } from './cleanup-events';
import { EGRESS_DOOR } from './egress';
import { IPAM_API_DOOR } from './ipam-api';
import { NETWORKS_DOOR } from './networks';
import { SERVICES_DOOR } from './services';
import { VIPS_DOOR } from './vips';
import { completeFirst } from '../../ledger/guards/complete-gate';
import type { Environment } from '../environment';
import type { InUse } from '../in-use';
import { openInUse } from '../open-in-use';
import { withoutShown } from '../../ledger/guards/shown-gate';
import type { BuiltLedger } from '../ledger';
import { closed, OpenedParts } from '../opened-parts';
import { mergeKinds, sweepWork } from '../sweeps';
import { refuseRenamedCluster, renameRecord } from '../renamed-cluster';
import type { OpenedZones } from '../zones';

/** Every door. They are opened in this order, so those that can refuse the settings stand first. */
const DOORS: readonly DoorKind[] = [
  ...[IPAM_API_DOOR, ADMIN_DOOR, RECORDLESS_ADMIN_DOOR],
  // pools first, those of the stronger door before the others, and then what refers to them
  ...[CLEANUP_EVENTS_DOOR, VIPS_DOOR, EGRESS_DOOR, NETWORKS_DOOR, CLUSTER_API_DOOR, SERVICES_DOOR],
];

/** Parts of the doors, before they are put behind the guards. */
interface DoorsParts {
  readonly tools: Tools;
  readonly environment: Environment;
  readonly opened: OpenedZones;
  /** Absent where there is no record of zones. */
  readonly ledger: BuiltLedger | undefined;
}

/** The doors that are on, at work. */
export interface RunningDoors {
  readonly doors: readonly Door[];
  /** Checks that must pass before the process is ready. */
  readonly checks: readonly HealthCheck[];
  /** Checks that must pass for the process to live on. */
  readonly liveness: readonly HealthCheck[];
  /** Ends the work and closes the doors; waits for what is under way. */
  close(): Promise<void>;
}

/**
 * Opens the doors that the settings switch on, and begins their work. Nothing listens yet.
 *
 * @param settings - each door reads its own
 * @param parts - ledger, zones, environment, tools
 * @returns the doors with the checks of all of them
 * @throws IpamError of a door; what was opened until then is closed again
 */
export async function openDoors(settings: Settings, parts: DoorsParts): Promise<RunningDoors> {
  const { environment } = parts;
  const kinds = kindsOn(settings, parts);
  await refuseOtherName(parts, kinds);
  const leading: { now?: Leadership } = {};
  const openedDoors = new OpenedParts();
  const opened = new OpenedParts();
  opened.add(openedDoors, (each) => each.end());
  const renames = await openRenameWatch(parts, kinds);
  opened.add(renames, (each) => each?.close());
  const identity = opened.add(
    openIdentity(guardedParts(parts, renames), {
      kinds,
      leadership: () => leading.now,
      renamed: () => renames?.problem(),
    }),
    (each) => each?.close(),
  );
  const doors: Door[] = [];
  const adoptionProblem = (): string | undefined =>
    doors.map((door) => door.adoptionProblem?.()).find((problem) => problem !== undefined);
  const inUse: { now?: InUse } = {};
  try {
    const doorParts = partsOfDoors(
      { ...parts, ...offersOf(doors) },
      identity && { ...identity, book: guarded(identity.book, parts, () => inUse.now) },
      async () => adoptionProblem() === undefined && (await areCurrent(doors)),
    );
    for (const kind of kinds) {
      doors.push(openedDoors.add(await openKind(kind, settings, doorParts), closed));
      parts.tools.logger.debug('front door opened', { name: kind.name });
    }
    const { resyncSeconds } = settings;
    const found = openInUse({ ...parts, doors, renames, resyncSeconds, claiming: settings });
    if (found !== undefined) inUse.now = openedDoors.add(found, closed);
    const running = opened.add(new OpenedParts(), (each) => each.end());
    // ended first, so that another process leads soon: what was admitted a moment ago is bound by the leader
    const leadership = opened.add(
      environment.lead(leaderWork(settings, { ...parts, doors, identity, inUse: inUse.now })),
      closed,
    );
    leading.now = leadership;
    startAll(doors, leadership, running);
  } catch (thrown) {
    await opened.end().catch(() => undefined);
    throw thrown;
  }
  return {
    doors,
    checks: [
      ...[...doors, identity, inUse.now].flatMap((each) => each?.checks ?? []),
      ...(doors.some((door) => door.adoptionProblem !== undefined) ? [{ name: 'adoption', run: adoptionProblem }] : []),
    ],
    // a restart with the new identity mends it, and one with the old identity says why it does not start
    liveness: [...doors.flatMap((door) => door.liveness ?? []), ...renameChecks(renames)],
    close: () => opened.end(),
  };
}

function startAll(doors: readonly Door[], leadership: Leadership, running: OpenedParts): void {
  for (const door of doors) {
    const stop = door.start?.(leadership);
    if (stop !== undefined) running.add(stop, (each) => each());
  }
}

const offersOf = (doors: readonly Door[]): Pick<CommonParts, 'pools' | 'spaces'> => ({
  pools: () => doors.flatMap(({ pools = [] }) => pools),
  spaces: () => doors.flatMap(({ spaces = [] }) => spaces),
});

const kindsOn = (settings: Settings, { ledger }: Pick<DoorsParts, 'ledger'>): readonly DoorKind[] =>
  DOORS.filter((kind) => kind.isOn(settings) && (ledger !== undefined || !kind.needsRecord));

// Only what holds claims of the own cluster goes by its name.
async function openRenameWatch(
  { environment, ledger, tools }: DoorsParts,
  kinds: readonly DoorKind[],
): Promise<RenameWatch | undefined> {
  if (environment.kind === 'standalone' || ledger?.claims.kind !== 'own') return undefined;
  const { notes, reports } = ledger.claims;
  if (notes === undefined || reports === undefined) return undefined;
  if (!kinds.some(({ holdsOwnClaims }) => holdsOwnClaims)) return undefined;
  const cluster = await environment.cluster.clusterUid();
  return new RenameWatch({ ...tools, record: renameRecord(notes, reports), cluster });
}

function guardedParts(parts: DoorsParts, renames: RenameWatch | undefined): DoorsParts {
  const { ledger } = parts;
  if (renames === undefined || ledger === undefined) return parts;
  return { ...parts, ledger: { ...ledger, book: renames.guardBook(ledger.book) } };
}

function renameChecks(renames: RenameWatch | undefined): readonly HealthCheck[] {
  return renames === undefined ? [] : [{ name: 'identity', run: () => renames.problem() }];
}

async function areCurrent(doors: readonly Door[]): Promise<boolean> {
  const answers = await Promise.all(doors.map(async (door) => door.isCurrent?.()));
  return answers.every((current) => current !== false);
}

// Nothing is given out that the cluster shows without a claim: each grant is looked at where the record may not know that.
function guarded(
  book: AddressBook,
  { tools: { clock } }: Pick<DoorsParts, 'tools'>,
  inUse: () => InUse | undefined,
): AddressBook {
  const unused = withoutShown(book, (address, zone) => inUse()?.shownHere(address, zone) ?? []);
  return completeFirst(unused, { completeness: { problem: () => inUse()?.problem() }, clock });
}

// Only what holds claims of the own cluster goes by its name.
async function refuseOtherName(
  { environment, opened: { claims } }: DoorsParts,
  kinds: readonly DoorKind[],
): Promise<void> {
  if (environment.kind === 'standalone' || claims.kind !== 'own' || claims.reports === undefined) return;
  if (!kinds.some(({ holdsOwnClaims }) => holdsOwnClaims)) return;
  const { store, reports, notes } = claims;
  await refuseRenamedCluster({ claims: store, reports, notes, cluster: environment.cluster });
}

interface IdentityParts {
  readonly kinds: readonly DoorKind[];
  /** Why nothing is done under the present identity any more. */
  readonly renamed: () => string | undefined;
  /** Absent before the work of the leader began. */
  readonly leadership: () => Leadership | undefined;
}

type CheckedIdentity = SharedIdentity & { readonly checks: readonly HealthCheck[] };

// Where no door holds claims of the own cluster, the cluster reports like the others, if at all.
function openIdentity(
  { environment, ledger, tools }: DoorsParts,
  { kinds, leadership, renamed }: IdentityParts,
): CheckedIdentity | undefined {
  if (ledger === undefined) return undefined;
  const { claims, book } = ledger;
  if (environment.kind === 'standalone' || !kinds.some((kind) => kind.holdsOwnClaims)) {
    return { ...unsharedIdentity(book), checks: [] };
  }
  const { cluster, instance } = environment;
  const process = {
    instance,
    leader: () => leadership()?.leader() ?? '',
    hasLed: (other: string) => leadership()?.hasLed(other) ?? false,
  };
  const notes = notesOf(claims);
  const identity =
    claims.writers === 'clusters' && notes !== undefined
      ? shareIdentity({ ...tools, cluster, notes, process }, book)
      : unsharedIdentity(book);
  return { ...identity, checks: [{ name: 'identity', run: () => identity.problem() ?? renamed() }] };
}

interface PartsOfDoors {
  readonly common: CommonParts;
  /** Absent where there is no record of zones. */
  readonly recorded: DoorParts | undefined;
}

function partsOfDoors(
  { tools, environment, opened, ledger, pools, spaces }: DoorsParts & Pick<CommonParts, 'pools' | 'spaces'>,
  identity: Pick<SharedIdentity, 'book' | 'forget'> | undefined,
  isAdopted: () => Promise<boolean>,
): PartsOfDoors {
  const { zones, outside } = opened;
  const common = { tools, environment, zones, pools, spaces };
  if (ledger === undefined || identity === undefined) return { common, recorded: undefined };
  const { claims, registry } = ledger;
  const { book, forget: forgetCluster } = identity;
  const shared = { ...common, claims, outside, registry, forgetCluster };
  return { common, recorded: { ...shared, book: behindAdoptionGate(book, isAdopted), adoptingBook: book } };
}

function openKind(kind: DoorKind, settings: Settings, { common, recorded }: PartsOfDoors): Promise<Door> | Door {
  if (!kind.needsRecord) return kind.open(settings, common);
  if (recorded === undefined) throw new IpamError('internal', `the door ${kind.name} needs a record of zones`);
  return kind.open(settings, recorded);
}

interface WorkParts extends DoorsParts {
  readonly doors: readonly Door[];
  /** Absent where there is no record of zones. */
  readonly identity: SharedIdentity | undefined;
  readonly inUse: InUse | undefined;
}

// A Service that was stored a moment ago must not wait until it is certain that no other cluster has this identity.
function leaderWork(
  { reservationLeaseSeconds: leaseSeconds }: Pick<Settings, 'reservationLeaseSeconds'>,
  { tools, environment, ledger, doors, identity, inUse }: WorkParts,
): LeaderWork {
  const own = environment.kind === 'standalone' ? environment.liveObjects : [];
  const kinds = mergeKinds([...own, ...doors.flatMap((door) => door.liveObjects ?? [])]);
  const work = [...doors.flatMap((door) => present(door.leaderWork)), ...present(inUse?.leaderWork)];
  const ending = doors.flatMap((door) => present(door.releasingWork));
  if (ledger === undefined || identity === undefined) return together(...work, ...ending);
  const { cluster } = environment;
  const { registry, claims } = ledger;
  const sweeps = sweepWork({ ...tools, book: identity.book, registry, leaseSeconds, cluster, kinds });
  const releasing = [sweeps, ...present(claims.kind === 'own' ? claims.leaderWork : undefined), ...ending];
  return together(...work, identity.whenSure(together(...releasing)));
}

function present<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
