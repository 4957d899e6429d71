import {
  bindLateOnes,
  compareAtStart,
  createServicesController,
  servicesWork,
  type ServicesController,
  type ServicesDoorParts,
  type ServicesDoorSettings,
} from '../front-doors/services/index';
import { storedServices } from '../ledger/verbs/sweep-rounds';
import type { Clock } from '../ports/clock';
import type { ShowingFeed } from '../ports/showing-feed';
import { together, whileLeading } from '../runtime/leadership';
import { recordView } from './claims';
import type { Door, DoorOccupancy, DoorParts } from './door';
import type { ClusterEnvironment } from './environment';
import { serviceWriter } from './service-writer';
import { shownByServices } from './showing-feeds';
import { KubernetesEventReader } from '../cluster/objects/event-reader';
import { openPools, type PoolContent } from './zone-pools';

/** Time for which the watch of Services may be out of date before the process counts as broken. */
const DEAF_MS = 240_000;

/** Options of the Services door on a cluster. */
interface ClusterOptions {
  readonly behaviour: ServicesDoorSettings;
  readonly poolContent: PoolContent;
  /** Values of `spec.loadBalancerClass` that a running announcer serves. */
  readonly announcedClasses: readonly string[];
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/** The door without its routes, and what its webhooks need besides. */
interface ServicesOnCluster extends Omit<Door, 'routes'> {
  readonly webhooks: Pick<ServicesDoorParts, 'pools' | 'poolFamilies' | 'namespaces' | 'holders'>;
}

/**
 * Opens the Services door on a cluster: feeds, pools and the controller of stored Services.
 *
 * @param parts - ledger, claims, zones, tools
 * @param environment - client and cluster
 * @param options - pools, resync, behaviour
 * @returns all of it but the routes, which need what stands under `webhooks`
 */
export function openServicesOnCluster(
  parts: DoorParts,
  environment: ClusterEnvironment,
  options: ClusterOptions,
): ServicesOnCluster {
  const { tools, claims, zones, adoptingBook: book } = parts;
  const { client, cluster, feeds } = environment;
  const feed = feeds.services();
  const namespaces = feeds.namespaces();
  const record = recordView(claims);
  const pools = openPools(options.poolContent, { tools, environment, zones, record, feed });
  const disputes = claims.kind === 'own' ? claims.disputes : undefined;
  const controller = createServicesController({
    ...tools,
    ...pools.door,
    book,
    cluster,
    feed,
    namespaces,
    zones,
    settings: options.behaviour,
    writer: serviceWriter(environment, tools),
    events: new KubernetesEventReader({ client, ...tools }),
    ...(disputes === undefined ? {} : { disputes }),
  });
  let stopComparing: (() => Promise<void>) | undefined;
  return {
    webhooks: { ...pools.door, namespaces, holders: { record, feed } },
    checks: [{ name: 'services', run: () => feed.problem() }],
    liveness: [{ name: 'services', run: lasting(tools.clock, () => feed.problem()) }],
    adoptionProblem: () =>
      controller.adopted() ? undefined : 'the stored Services are still being compared with the record',
    isCurrent: () => feed.isCurrent(),
    occupancy: occupancyBy(controller, shownByServices(feed, options.announcedClasses)),
    liveObjects: [storedServices(cluster, () => feed.synced() && feed.problem() === undefined)],
    leaderWork: together(
      servicesWork({ ...tools, feed, controller, resyncSeconds: options.resyncSeconds }),
      whileLeading(() => onceAdopted(controller, () => pools.lead?.())),
    ),
    start: (leadership) => {
      const stopBinding = bindLateOnes({ ...tools, feed, controller, leading: () => leadership.leading() });
      if (claims.writers !== 'process') stopComparing = compareAtStart({ ...tools, feed, controller });
      return stopBinding;
    },
    close: async () => {
      controller.close();
      await pools.close();
      await stopComparing?.();
    },
  };
}

function occupancyBy(controller: ServicesController, shown: ShowingFeed): DoorOccupancy {
  return {
    shows: [shown],
    isAdopted: () => controller.adopted(),
    whenAdopted: () => controller.whenAdopted(),
    onFree: (freed) => {
      controller.freed(freed);
    },
    onSpace: () => {
      controller.spaceChanged();
    },
    onMet: (met) => {
      controller.meets(met);
    },
  };
}

// A restart mends a deaf watch; while the API server is away for a moment it would only make things worse.
function lasting(clock: Clock, problem: () => string | undefined): () => string | undefined {
  let sinceMs: number | undefined;
  return () => {
    const found = problem();
    sinceMs = found === undefined ? undefined : (sinceMs ?? clock.nowMs());
    return sinceMs !== undefined && clock.nowMs() - sinceMs >= DEAF_MS ? found : undefined;
  };
}

// A pool that is computed before every holder is known would lose addresses that Services use.
function onceAdopted(
  controller: ServicesController,
  start: () => (() => Promise<void>) | undefined,
): () => Promise<void> {
  let ended = false;
  let stop: (() => Promise<void>) | undefined;
  void controller.whenAdopted().then(() => {
    if (!ended) stop = start();
  });
  return async () => {
    ended = true;
    await stop?.();
  };
}
