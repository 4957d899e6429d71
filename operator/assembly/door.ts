import type { FastifyInstance } from 'fastify';
import type { StoredKind } from '../ledger/verbs/sweep-rounds';
import type { Outcome } from '../errors/outcome';
import type { AddressPoolProvider } from '../ports/address-pool-provider';
import type { AddressBook, FreedAddress } from '../ports/address-book';
import type { MetClaim } from '../ports/occupied-addresses';
import type { OutsideSource } from '../ports/outside-source';
import type { PoolSpaces } from '../ports/pool-spaces';
import type { Registry } from '../ports/registry';
import type { ShowingFeed } from '../ports/showing-feed';
import type { Tools } from '../ports/tools';
import type { ZoneSource } from '../ports/zone-source';
import type { Leadership, LeaderWork } from '../runtime/leadership';
import type { HealthCheck } from '../server/health';
import type { WebServerOptions } from '../server/https-server';
import type { Settings } from '../settings/options';
import type { RecordedClaims } from './claims';
import type { Environment } from './environment';

/** Name of a listener of the process. */
export type ListenerName = 'webhooks' | 'ipamApi' | 'adminSocket';

/** Addresses in use without a claim, as a door tells of them and is told of them. */
export interface DoorOccupancy {
  /** Stored objects that the door watches and whose addresses are in use. */
  readonly shows: readonly ShowingFeed[];
  /** True once everything of the door that was in use before is on record. */
  isAdopted(): boolean;
  /** Resolves when {@link isAdopted} becomes true. */
  whenAdopted(): Promise<void>;
  /** Is told each address that is not in use any more, once for each zone that may give it. */
  onFree(freed: FreedAddress): void;
  /** Is told that zones may choose from more, or less, than before. */
  onSpace(): void;
  /** Is told every claim of the cluster at whose address something else is shown. */
  onMet(claims: readonly MetClaim[]): void;
}

/** Routes of a door on one of the listeners. */
export interface DoorRoutes {
  readonly listener: ListenerName;
  /** Certificates of the listener; none of them: it speaks plain HTTP. */
  readonly tls: Pick<WebServerOptions, 'certificate' | 'clientCa'>;
  /** Adds the routes, before the listener listens. */
  register(app: FastifyInstance): void;
}

/**
 * One front door as the assembly runs it: everything that a door gives to the process besides its own work. The assembly knows
 * doors by this interface alone.
 */
export interface Door {
  /** Checks that must pass before the process is ready. */
  readonly checks: readonly HealthCheck[];
  /** Checks that must pass for the process to live on: only what a restart mends. */
  readonly liveness?: readonly HealthCheck[];
  /** Absent for a door without callers of its own. */
  readonly routes?: readonly DoorRoutes[];
  /** Pools for objects of other API groups that refer to them; absent for a door without. */
  readonly pools?: readonly AddressPoolProvider[];
  /** Space of its pools, which doors that are opened later leave out; absent for a door without. */
  readonly spaces?: readonly PoolSpaces[];
  /** Work of the leader that begins at once. */
  readonly leaderWork?: LeaderWork;
  /** Work of the leader that ends claims; it waits until no other cluster has the identity of this one. */
  readonly releasingWork?: LeaderWork;
  /** Stored objects of the own cluster that hold claims of this door. */
  readonly liveObjects?: readonly StoredKind[];
  /** Absent for a door that watches no objects which show addresses. */
  readonly occupancy?: DoorOccupancy;
  /** Tells why not every existing holder is on record yet; nothing new is given by any door while one tells something. */
  adoptionProblem?(): string | undefined;
  /** False while the stored objects may be those of an older copy of the cluster; nothing new is given by any door then. */
  isCurrent?(): Promise<boolean>;
  /**
   * Begins what every process does, whether it leads or not; called once, after the work of the leader began.
   *
   * @returns the function that ends it, called after the work of the leader ended
   */
  start?(leadership: Pick<Leadership, 'leading'>): () => Promise<void>;
  /** Closes what the door has opened; called after everything else of it ended. */
  close(): Promise<void> | void;
}

/** Parts that every door is opened with. */
export interface CommonParts {
  readonly tools: Tools;
  readonly environment: Environment;
  readonly zones: ZoneSource;
  /** Pools of the doors that were opened before. */
  readonly pools: () => readonly AddressPoolProvider[];
  /** Space of the doors that were opened before, which are stronger than the one that is opened. */
  readonly spaces: () => readonly PoolSpaces[];
}

/** Parts of a door that works with a record of zones. */
export interface DoorParts extends CommonParts {
  readonly claims: RecordedClaims;
  /** Absent where no outside source is set. */
  readonly outside?: OutsideSource | undefined;
  /** Absent where another operator keeps the claims. */
  readonly registry?: Registry | undefined;
  /** Takes the claims over from another cluster of this identity that is gone; absent where there can be none. */
  readonly forgetCluster?: ((uid: string, dryRun: boolean) => Promise<Outcome<void>>) | undefined;
  /** The ledger for requests: it gives nothing new before every existing holder is on record. */
  readonly book: AddressBook;
  /** The ledger without that gate, for work that puts existing holders on record. */
  readonly adoptingBook: AddressBook;
}

interface KindOfDoor<Parts> {
  readonly name: string;
  /** True: objects of the own cluster hold claims through it, so the identity of the cluster must be its own. */
  readonly holdsOwnClaims: boolean;
  isOn(settings: Settings): boolean;
  /**
   * Opens the door; nothing listens yet.
   *
   * @throws IpamError with the code of what is wrong
   */
  open(settings: Settings, parts: Parts): Promise<Door> | Door;
}

/** A kind of door that works with a record of zones; it stays closed where there is none. */
export interface RecordDoorKind extends KindOfDoor<DoorParts> {
  readonly needsRecord: true;
}

/** A kind of door that has its claims as objects of the cluster. */
export interface ObjectDoorKind extends KindOfDoor<CommonParts> {
  readonly needsRecord: false;
}

/** A kind of door, one row of the list of doors. */
export type DoorKind = RecordDoorKind | ObjectDoorKind;
