import { shareIdentity, unsharedIdentity, type SharedIdentity } from '../../identity/shared-identity';
import { RenameWatch } from '../../identity/rename-watch';
import { behindAdoptionGate } from '../../ledger/guards/adoption-gate';
import type { AddressBook } from '../../ports/address-book';
import type { Tools } from '../../ports/tools';
import { together, type Leadership, type LeaderWork } from '../../runtime/leadership';
import type { HealthCheck } from '../../server/health';
import type { Settings } from '../../settings/options';
import { notesOf } from '../claims';
import type { Door, DoorKind, DoorParts } from '../door';
import { ADMIN_DOOR } from './admin';
import { CLEANUP_EVENTS_DOOR } from './cleanup-events';
import { IPAM_API_DOOR } from './ipam-api';
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
const DOORS: readonly DoorKind[] = [IPAM_API_DOOR, ADMIN_DOOR, CLEANUP_EVENTS_DOOR, VIPS_DOOR, SERVICES_DOOR];

/** Parts of the doors, before they are put behind the guards. */
interface DoorsParts {
  readonly tools: Tools;
  readonly environment: Environment;
  readonly opened: OpenedZones;
  readonly ledger: BuiltLedger;
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
  const kinds = DOORS.filter((kind) => kind.isOn(settings));
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
    closed,
  );
  const doors: Door[] = [];
  const adoptionProblem = (): string | undefined =>
    doors.map((door) => door.adoptionProblem?.()).find((problem) => problem !== undefined);
  const inUse: { now?: InUse } = {};
  try {
    const doorParts = partsOfDoors(
      parts,
      { ...identity, book: guarded(identity.book, parts, () => inUse.now) },
      async () => adoptionProblem() === undefined && (await areCurrent(doors)),
    );
    for (const kind of kinds) {
      doors.push(openedDoors.add(await kind.open(settings, doorParts), closed));
      parts.tools.logger.debug('front door opened', { name: kind.name });
    }
    const found = openInUse({ ...parts, doors, renames, resyncSeconds: settings.resyncSeconds });
    if (found !== undefined) inUse.now = openedDoors.add(found, closed);
    const running = opened.add(new OpenedParts(), (each) => each.end());
    // ended first, so that another process leads soon: what was admitted a moment ago is bound by the leader
    const leadership = opened.add(
      environment.lead(leaderWork(settings, { ...parts, doors, identity, inUse: inUse.now })),
      closed,
    );
    leading.now = leadership;
    for (const door of doors) {
      const stop = door.start?.(leadership);
      if (stop !== undefined) running.add(stop, (each) => each());
    }
  } catch (thrown) {
    await opened.end().catch(() => undefined);
    throw thrown;
  }
  return {
    doors,
    checks: [
      ...doors.flatMap((door) => door.checks),
      ...identity.checks,
      ...(inUse.now?.checks ?? []),
      ...(doors.some((door) => door.adoptionProblem !== undefined) ? [{ name: 'adoption', run: adoptionProblem }] : []),
    ],
    // a restart with the new identity mends it, and one with the old identity says why it does not start
    liveness: [...doors.flatMap((door) => door.liveness ?? []), ...renameChecks(renames)],
    close: () => opened.end(),
  };
}

// Only what holds claims of the own cluster goes by its name.
async function openRenameWatch(
  { environment, opened: { claims }, tools }: DoorsParts,
  kinds: readonly DoorKind[],
): Promise<RenameWatch | undefined> {
  if (environment.kind === 'standalone' || claims.kind !== 'own') return undefined;
  const { notes, reports } = claims;
  if (notes === undefined || reports === undefined) return undefined;
  if (!kinds.some(({ holdsOwnClaims }) => holdsOwnClaims)) return undefined;
  const cluster = await environment.cluster.clusterUid();
  return new RenameWatch({ ...tools, record: renameRecord(notes, reports), cluster });
}

function guardedParts(parts: DoorsParts, renames: RenameWatch | undefined): DoorsParts {
  if (renames === undefined) return parts;
  const { ledger } = parts;
  return { ...parts, ledger: { ...ledger, book: renames.guardBook(ledger.book) } };
}

function renameChecks(renames: RenameWatch | undefined): readonly HealthCheck[] {
  return renames === undefined ? [] : [{ name: 'identity', run: () => renames.problem() }];
}

async function areCurrent(doors: readonly Door[]): Promise<boolean> {
  const answers = await Promise.all(doors.map(async (door) => door.isCurrent?.()));
  return answers.every((current) => current !== false);
}

// Nothing is given out that the cluster shows without a claim: a record of our own knows that, beside another one each grant is looked at.
function guarded(
  book: AddressBook,
  { tools: { clock }, opened: { claims } }: Pick<DoorsParts, 'tools' | 'opened'>,
  inUse: () => InUse | undefined,
): AddressBook {
  const isOnRecord = claims.kind === 'own' && claims.occupied !== undefined;
  const unused = isOnRecord ? book : withoutShown(book, (address) => inUse()?.shownHere(address) ?? []);
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
  { environment, ledger, opened, tools }: DoorsParts,
  { kinds, leadership, renamed }: IdentityParts,
): CheckedIdentity {
  const { book } = ledger;
  if (environment.kind === 'standalone' || !kinds.some((kind) => kind.holdsOwnClaims)) {
    return { ...unsharedIdentity(book), checks: [] };
  }
  const { cluster, instance } = environment;
  const process = {
    instance,
    leader: () => leadership()?.leader() ?? '',
    hasLed: (other: string) => leadership()?.hasLed(other) ?? false,
  };
  const notes = notesOf(opened.claims);
  const identity =
    opened.claims.writers === 'clusters' && notes !== undefined
      ? shareIdentity({ ...tools, cluster, notes, process }, book)
      : unsharedIdentity(book);
  return { ...identity, checks: [{ name: 'identity', run: () => identity.problem() ?? renamed() }] };
}

function partsOfDoors(
  parts: DoorsParts,
  { book, forget: forgetCluster }: Pick<SharedIdentity, 'book' | 'forget'>,
  isAdopted: () => Promise<boolean>,
): DoorParts {
  const { tools, environment, opened, ledger } = parts;
  const { claims, zones, outside } = opened;
  const { registry } = ledger;
  const shared = { tools, environment, claims, zones, outside, registry, forgetCluster };
  return { ...shared, book: behindAdoptionGate(book, isAdopted), adoptingBook: book };
}

interface WorkParts extends DoorsParts {
  readonly doors: readonly Door[];
  readonly identity: SharedIdentity;
  readonly inUse: InUse | undefined;
}

// A Service that was stored a moment ago must not wait until it is certain that no other cluster has this identity.
function leaderWork(
  { reservationLeaseSeconds: leaseSeconds }: Pick<Settings, 'reservationLeaseSeconds'>,
  { tools, environment, opened, ledger, doors, identity, inUse }: WorkParts,
): LeaderWork {
  const { cluster } = environment;
  const own = environment.kind === 'standalone' ? environment.liveObjects : [];
  const kinds = mergeKinds([...own, ...doors.flatMap((door) => door.liveObjects ?? [])]);
  const { registry } = ledger;
  const sweeps = sweepWork({ ...tools, book: identity.book, registry, leaseSeconds, cluster, kinds });
  const { claims } = opened;
  const releasing = [
    sweeps,
    ...present(claims.kind === 'own' ? claims.leaderWork : undefined),
    ...doors.flatMap((door) => present(door.releasingWork)),
  ];
  const work = [...doors.flatMap((door) => present(door.leaderWork)), ...present(inUse?.leaderWork)];
  return together(...work, identity.whenSure(together(...releasing)));
}

function present<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
