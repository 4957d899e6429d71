import { cleanupEventsWork } from './cleanup-events-work';
import type { Registry } from '../ports/registry';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import { gated } from '../ledger/guards/adoption-gate';
import { hashKeyFile } from '../backends/files/hash-key-file';
import { MetalLbPools, POOL_KIND } from '../backends/metallb/metallb-pools';
import { requireSameKey } from '../backends/system/hash-key';
import { openSelfManaged } from '../cluster/certificates/admission-certs';
import type { ApiClient } from '../cluster/api/api-client';
import { clusterIdentity } from '../identity/cluster-identity';
import { KubernetesEventRecorder } from '../cluster/objects/event-recorder';
import { hashKeySecret } from '../cluster/objects/hash-key-secret';
import { openIntentSecrets } from '../cluster/objects/intent-secrets';
import { openKubeClient } from '../cluster/api/kube-client';
import { KubernetesCluster } from '../cluster/objects/kubernetes-cluster';
import { openClusterObjects } from '../cluster/objects/kubernetes-objects';
import { startLeaseElection } from '../cluster/lease/lease-election';
import { openNamespaceFeed } from '../cluster/watch/namespace-feed';
import { openServiceFeed } from '../cluster/watch/service-feed';
import type { Environment } from '../cluster/api/service-account';
import { KubernetesServiceWriter } from '../cluster/objects/service-writer';
import { CLUSTER_IDENTITY_SECRET, LEASE, METALLB_NAMESPACE } from '../contract/group';
import { createServicesController, type ServicesController } from '../front-doors/services/index';
import type { ServicesDoorParts } from '../front-doors/services/wanted/door-parts';
import { PoolView } from '../front-doors/services/pools/pool-view';
import { createZonePools } from '../front-doors/services/pools/zone-pools';
import { leadAlone, together, whileLeading, type Leadership, type LeaderWork } from '../runtime/leadership';
import type { AddressBook } from '../ports/address-book';
import type { Clock } from '../ports/clock';
import type { CertificateSource } from '../ports/certificates';
import type { IntentRows } from '../ports/intent-rows';
import type { SecretHasher } from '../ports/secret-hasher';
import type { ServiceFeed } from '../ports/service-feed';
import { X509_CERTIFICATES } from '../server/x509-certificates';
import { openServingCertificate } from './serving';
import { attendAlone } from './ipam-api-alone';
import { bindLateOnes } from '../front-doors/services/controller/late-bindings';
import { servicesDoorSettings } from './services-door';
import { shareIdentity } from './shared-identity';
import { compareAtStart, servicesWork } from '../front-doors/services/controller/services-work';
import type { Settings } from '../settings/options';
import type { Attendance, Ground, Surroundings } from './surroundings';
import type { Tools } from '../ports/tools';
import { startSweeps } from '../ledger/verbs/sweep-rounds';

/** How long the watch of Services may be out of date before the process counts as broken. */
const DEAF_MS = 240_000;

/** What an operator on a cluster keeps open. */
interface Site extends Ground {
  readonly client: ApiClient;
  readonly cluster: KubernetesCluster;
  readonly namespace: string;
}

/** The way to a real cluster. */
export interface ClusterAccess {
  surround(ground: Ground): Promise<Surroundings>;
  /** Identity of the cluster. */
  clusterUid(): Promise<string>;
  /** Opens the Secrets with what a remote IPAM-API was asked for. */
  openIntents(): Promise<IntentRows>;
  /** Ends the connection; calls under way end with `cluster/unavailable`. */
  close(): Promise<void>;
}

/**
 * Finds the way to a real cluster, before anything else is opened.
 *
 * @param settings - kubeconfig, or nothing for the ServiceAccount of the Pod
 * @param tools - clock, logger, meter
 * @param environment - variables of the Pod, which name the API server
 * @returns makes the surroundings, whose `close` ends the connection too, and what a remote record needs before them; close it
 *   where no surroundings were made
 * @throws IpamError `settings/invalid` when kubeconfig or ServiceAccount cannot be used
 */
export async function connectCluster(
  settings: Settings,
  tools: Tools,
  environment: Environment,
): Promise<ClusterAccess> {
  const { kubeconfig, kubeContext: context, namespace } = settings;
  const client = await openKubeClient({
    ...(kubeconfig === '' ? {} : { kubeconfig }),
    ...(context === '' ? {} : { context }),
    environment,
    ...tools,
  });
  return {
    surround: (ground) => clusterSurroundings(ground, client),
    clusterUid: () => openCluster(client, tools, settings).clusterUid(),
    openIntents: () => openIntentSecrets({ client, namespace, ...tools }),
    close: () => client.close(),
  };
}

function openCluster(
  client: ApiClient,
  { clock, logger }: Tools,
  { namespace, clusterId }: Settings,
): KubernetesCluster {
  const known = { secret: { namespace, name: CLUSTER_IDENTITY_SECRET }, forced: clusterId, logger };
  return new KubernetesCluster({
    ...{ client, clock },
    identify: (uid, cluster) => clusterIdentity({ ...known, cluster, uid }),
  });
}

async function clusterSurroundings(ground: Ground, client: ApiClient): Promise<Surroundings> {
  const cluster = openCluster(client, ground, ground.settings);
  const site: Site = { ...ground, client, cluster, namespace: ground.settings.namespace };
  const hasher = await openHasher(site);
  const certificate = await openCertificate(site);
  return {
    ...{ cluster, hasher, certificate },
    attend: (book, registry) => attend({ ...site, ...(registry === undefined ? {} : { registry }) }, book),
    close: async () => {
      certificate.close();
      await client.close();
    },
  };
}

function attend(site: Site & { readonly registry?: Registry }, ledger: AddressBook): Attendance {
  // two processes of one machine have one host name, and would both lead
  const instance = `${hostname()}_${randomUUID()}`;
  const leads = (work: LeaderWork): Leadership => lead(site, instance, work);
  if (!site.settings.services) return attendAlone(site, { book: ledger, lead: leads });
  const who = {
    instance,
    leader: () => leadership.leader(),
    hasLed: (other: string) => leadership.hasLed(other),
  };
  const identity = shareIdentity(site, who, ledger);
  const { book } = identity;
  const { client, cluster, clock, logger, meter, settings } = site;
  const tools = { clock, logger, meter };
  const feed = openServiceFeed(client, tools);
  const namespaces = openNamespaceFeed(client, tools);
  const pools = openPools(site, feed);
  const events = new KubernetesEventRecorder({ client, clock, logger, identity: hostname() });
  const controller = createServicesController({
    ...tools,
    ...{ book, cluster, feed, namespaces, zones: site.zones, settings: servicesDoorSettings(settings) },
    ...pools.door,
    writer: new KubernetesServiceWriter({ client, events }),
    ...(site.disputes === undefined ? {} : { disputes: site.disputes }),
  });
  const lease = { leaseSeconds: settings.reservationLeaseSeconds };
  const noted = site.registry === undefined ? lease : { ...lease, registry: site.registry };
  const isComplete = (): boolean => feed.synced() && feed.problem() === undefined;
  const serving = together(
    servicesWork({ ...tools, feed, controller, resyncSeconds: settings.resyncSeconds }),
    whileLeading(() => onceAdopted(controller, () => pools.lead?.())),
  );
  const ending = together(
    whileLeading(() => startSweeps({ ...tools, ...noted, cluster, book, isComplete })),
    ...(site.leaderWork === undefined ? [] : [site.leaderWork]),
    ...cleanupEventsWork(site),
  );
  // who was stored a moment before must not wait until it is known whether another cluster has this identity
  const leadership = leads(together(serving, identity.whenSure(ending)));
  const stopBinding = bindLateOnes({ ...tools, feed, controller, leading: () => leadership.leading() });
  const stopComparing = leadsAlone(settings) ? undefined : compareAtStart({ ...tools, feed, controller });
  return {
    door: { book: gated(book, () => controller.adopted()), namespaces, ...pools.door },
    checks: [
      { name: 'services', run: () => feed.problem() },
      { name: 'identity', run: () => identity.problem() },
      {
        name: 'adoption',
        run: () => (controller.adopted() ? undefined : 'the stored Services are still being compared with the record'),
      },
    ],
    liveness: [{ name: 'services', run: lasting(clock, () => feed.problem()) }],
    end: async () => {
      // until others lead: what was admitted here a moment ago blocks its namespace
      await leadership.close();
      await stopBinding();
      await identity.close();
      controller.close();
      await Promise.all([pools.close(), feed.close(), namespaces.close()]);
      await stopComparing?.();
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

// The lock on a SQLite file makes the leader; stores that several processes share need the Lease.
function leadsAlone({ store }: Settings): boolean {
  return store === 'sqlite' || store === 'memory';
}

function lead(site: Site, identity: string, work: LeaderWork): Leadership {
  const { settings, client, namespace, clock, logger, meter } = site;
  if (leadsAlone(settings)) return leadAlone(work, logger);
  const election = startLeaseElection({
    ...{ client, namespace, name: LEASE, identity, clock, logger, meter },
    onStarted: () => {
      work.begin();
    },
    onStopped: () => work.end(),
  });
  return {
    leading: () => election.leading(),
    leader: () => election.holder(),
    hasLed: (other) => election.hasLed(other),
    close: () => election.close(),
  };
}

function openHasher({ settings, hashing, cluster, namespace }: Site): Promise<SecretHasher> {
  if (!('keyOf' in hashing)) return Promise.resolve(hashing);
  const { hashKeySecret: name, hashKeyFile: path, sqliteFile, recoverableSecrets: recoverable } = settings;
  const place = name === '' ? hashKeyFile(path) : hashKeySecret(cluster, { namespace, name });
  const database = settings.store === 'postgres' ? 'postgres' : sqliteFile;
  const durable = { store: database, others: [], recoverable };
  return requireSameKey(hashing.keyOf, place, settings.store === 'memory' ? undefined : durable);
}

function openCertificate({ settings, client, namespace, clock, logger, meter }: Site): Promise<CertificateSource> {
  const { selfSignedSecret: secretName, selfSignedNames: names } = settings;
  if (secretName === '') return openServingCertificate(settings, { clock, logger, meter });
  const certificates = X509_CERTIFICATES;
  return openSelfManaged({ client, namespace, secretName, names, certificates, clock, logger, meter });
}

/** The pools of MetalLB, as far as this installation looks at them. */
interface Pools {
  readonly door: Pick<ServicesDoorParts, 'pools' | 'poolFamilies'>;
  /** Writes them; only once every stored Service is adopted. */
  lead?(): () => Promise<void>;
  close(): Promise<void>;
}

function openPools(site: Site, feed: ServiceFeed): Pools {
  const { client, clock, logger, meter, zones, cluster, store, settings } = site;
  const tools = { clock, logger, meter };
  const objects = openClusterObjects(client, { ...POOL_KIND, namespace: METALLB_NAMESPACE }, tools);
  const pools = new MetalLbPools({ objects, zones });
  if (settings.zonePools === 'prefixes') {
    const view = new PoolView({ pools, logger });
    return {
      door: { poolFamilies: (zone) => view.families(zone) },
      close: () => {
        view.close();
        return objects.close();
      },
    };
  }
  const kept = createZonePools({ ...tools, store, pools, zones, cluster, feed });
  return {
    door: { pools: kept, poolFamilies: (zone) => kept.view.families(zone) },
    lead: () => kept.lead(),
    close: () => {
      kept.close();
      return objects.close();
    },
  };
}
