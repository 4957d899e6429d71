import { hostname } from 'node:os';
import { KubernetesEventRecorder } from '../cluster/objects/event-recorder';
import { gatherUses } from '../ledger/occupied/gather-uses';
import { followUnused } from '../ledger/occupied/unused-addresses';
import { followShown } from '../ledger/occupied/follow-shown';
import type { LargeBlocks } from '../ledger/occupied/large-blocks';
import { ShownIndex } from '../ledger/occupied/shown-index';
import type { ShowingFeed } from '../ports/showing-feed';
import type { AddressBook } from '../ports/address-book';
import type { Claims } from '../ports/claims';
import type { Clock } from '../ports/clock';
import type { FindOccupied } from '../ports/occupied-addresses';
import type { Tools } from '../ports/tools';
import type { ZoneSource } from '../ports/zone-source';
import { whileLeading } from '../runtime/leadership';
import type { ClusterFeeds } from './cluster-feeds';
import type { DoorOccupancy } from './door';
import type { ClusterEnvironment } from './environment';
import type { InUseSource } from './in-use';
import { shownByMachines } from './showing-feeds';

/** Pause between two looks whether another process has put everything on record. */
const LOOK_MS = 1_000;
/** Looks after which this process does it: in a rolling update the leader may be of a release that does not. */
const LOOKS = 5;

/** Parts that addresses in use are found and kept with. */
export interface OccupiedParts {
  readonly tools: Tools;
  readonly environment: ClusterEnvironment;
  readonly zones: ZoneSource;
  readonly claims: Pick<Claims, 'get' | 'watch'>;
  /** Absent where the claims are kept elsewhere. */
  readonly owners?: AddressBook['owners'] | undefined;
  readonly storeClock: Clock;
  readonly findUses: FindOccupied;
  /** True where other processes may have put everything on record. */
  readonly isShared: boolean;
  readonly occupancy: DoorOccupancy;
  readonly feeds: ReturnType<ClusterFeeds['machines']>;
  /** Claims of doors without a record of zones. */
  readonly claimsOfOthers: readonly ShowingFeed[];
  /** Is told what of those claims no row is made for. */
  readonly largeBlocks?: LargeBlocks | undefined;
  /** Time between two comparisons. */
  readonly resyncSeconds: number;
}

/**
 * Keeps on record what the own cluster shows without a claim: the leader writes, and every process knows when that is complete.
 *
 * @param parts - cluster, record, zones, the doors that watch objects, time between comparisons
 * @returns the work of the leader, and whether everything is on record
 */
export function openOccupied(parts: OccupiedParts): InUseSource {
  const { tools, environment, zones, claims, owners, storeClock, findUses, occupancy, feeds, resyncSeconds } = parts;
  const { claimsOfOthers, largeBlocks } = parts;
  const { client, cluster } = environment;
  const events = new KubernetesEventRecorder({ client, ...tools, identity: hostname() });
  const gather = (): (() => Promise<void>) =>
    gatherUses({
      ...tools,
      shows: [...shownByMachines(feeds), ...occupancy.shows, ...claimsOfOthers],
      findUses,
      claims,
      owners,
      storeClock,
      zones,
      cluster,
      events,
      resyncSeconds,
      onComplete: (networks) => {
        complete.add(networks);
      },
      onMet: (met) => {
        occupancy.onMet(met);
      },
    });
  const complete = new CompleteNetworks(parts, gather);
  const ofOthers = new ShownIndex((block) => {
    if (largeBlocks?.changed(block) === true) occupancy.onSpace();
  });
  largeBlocks?.readFrom(ofOthers);
  const stopFollowing = followShown(claimsOfOthers, ofOthers);
  const unready = (): string | undefined =>
    claimsOfOthers.every(({ feed }) => feed.synced())
      ? complete.problem()
      : 'AddressClaims of the cluster are still being listed';
  return {
    // the record has it, but for large prefixes and claims in a zone that is a moment old
    shownHere: (address) => ofOthers.at(address),
    problem: () => (occupancy.isAdopted() ? unready() : undefined),
    unready,
    // what is ours without a record is put on record first; the rest is foreign
    leaderWork: whileLeading(() => {
      const stop = followUnused({ claims, zones, clock: tools.clock }, (freed) => {
        occupancy.onFree(freed);
      });
      const end = onceAdopted(occupancy, gather);
      return async () => {
        stop();
        await end();
      };
    }),
    close: () => {
      stopFollowing();
      return complete.close();
    },
  };
}

function onceAdopted(occupancy: DoorOccupancy, start: () => () => Promise<void>): () => Promise<void> {
  let ended = false;
  let stop: (() => Promise<void>) | undefined;
  void occupancy.whenAdopted().then(() => {
    if (!ended) stop = start();
  });
  return async () => {
    ended = true;
    await stop?.();
  };
}

/** The networks whose addresses in use are all on record. */
class CompleteNetworks {
  readonly #parts: OccupiedParts;
  readonly #gather: () => () => Promise<void>;
  readonly #complete = new Set<string>();
  #looks = 0;
  #looking = false;
  #closed = false;
  #cancel: () => void = () => undefined;
  #endGathering: (() => Promise<void>) | undefined;

  constructor(parts: OccupiedParts, gather: () => () => Promise<void>) {
    this.#parts = parts;
    this.#gather = gather;
  }

  add(networks: readonly string[]): void {
    for (const network of networks) this.#complete.add(network);
    if (this.#missing() === undefined) void this.#stopGathering();
  }

  problem(): string | undefined {
    const missing = this.#missing();
    if (missing === undefined) return undefined;
    if (this.#parts.isShared && !this.#looking) void this.#look();
    return `what the cluster shows of network "${missing}" without a claim is still being put on record`;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#stopGathering();
  }

  #missing(): string | undefined {
    return this.#parts.zones.current().zones.find(({ network }) => !this.#complete.has(network))?.network;
  }

  // Another process may lead; what it wrote counts for all. What two write at once is the same.
  async #look(): Promise<void> {
    const { findUses, environment, tools, occupancy } = this.#parts;
    this.#looking = true;
    try {
      const uses = await findUses();
      const complete = await uses?.completeSince(await environment.cluster.clusterUid());
      if (complete !== undefined) this.add([...complete.keys()]);
    } catch {
      // the store is away: asked again
    }
    if (this.#closed || this.#missing() === undefined) {
      this.#looking = false;
      return;
    }
    this.#looks += occupancy.isAdopted() ? 1 : 0;
    if (this.#looks >= LOOKS) this.#endGathering ??= this.#gather();
    this.#cancel = tools.clock.after(LOOK_MS, () => {
      this.#looking = false;
    });
  }

  async #stopGathering(): Promise<void> {
    const end = this.#endGathering;
    this.#endGathering = undefined;
    this.#looks = 0;
    await end?.();
  }
}
