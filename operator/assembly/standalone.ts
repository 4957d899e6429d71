import { cleanupEventsWork } from './cleanup-events-work';
import { together } from '../runtime/leadership';
import { readStandaloneFile, writeStandaloneFile } from '../backends/files/standalone-file';
import { hashKeyFile } from '../backends/files/hash-key-file';
import { requireSameKey } from '../backends/system/hash-key';
import { MemoryCluster, type MemoryClusterIdentity } from '../backends/memory/memory-cluster';
import type { AdmissionRequest } from '../contract/admission-review';
import { IPAM } from '../contract/group';
import { changedTerms } from '../front-doors/services/index';
import { LOAD_BALANCER, readService, type ServiceView } from '../contract/service';
import { IpamError, isIpamError } from '../errors/ipam-error';
import type { AddressBook, Claimant } from '../ports/address-book';
import type { ClaimCounts } from '../ports/claim-counts';
import type { Logger } from '../ports/logger';
import { namedAddresses } from '../rules/wishes';
import type { SecretHasher } from '../ports/secret-hasher';
import { openServingCertificate } from './serving';
import type { Settings } from '../settings/options';
import type { Ground, Surroundings } from './surroundings';
import { openSharedCluster, seedFile } from './standalone-shared';
import { startSweeps } from '../ledger/verbs/sweep-rounds';

/**
 * Names the file that keeps the identity of the imagined cluster.
 *
 * @param sqliteFile - file of the store that it belongs to
 * @returns its path
 */
function identityFile(sqliteFile: string): string {
  return `${sqliteFile}.standalone.json`;
}

/**
 * Opens the imagined cluster. Beside a SQLite file its identity is kept in `<file>.standalone.json`, since claims name their
 * owners by the UIDs in it; the store `memory` forgets both together.
 *
 * @param settings - store, its file, families of the cluster
 * @param claims - the open store: with claims in it, no new identity is made
 * @returns the cluster, without Services
 * @throws {@link IpamError} `settings/invalid` when the file is damaged, or missing while addresses are held
 */
async function openStandaloneCluster(
  settings: Pick<Settings, 'store' | 'sqliteFile' | 'clusterFamilies' | 'hashKeyFile'>,
  claims: Pick<ClaimCounts, 'tally'>,
): Promise<MemoryCluster> {
  const families = settings.clusterFamilies.map((family) => (family === 'ipv4' ? 4 : 6));
  if (settings.store === 'memory') return new MemoryCluster({ families });
  if (settings.store === 'postgres') return openSharedCluster(settings, claims, families);
  const path = identityFile(settings.sqliteFile);
  const identity = readStandaloneFile(path);
  if (identity === undefined && (await claims.tally()).some(({ held }) => held > 0)) {
    throw new IpamError(
      'settings/invalid',
      `the file "${path}" is missing, but the store "${settings.sqliteFile}" holds addresses of owners that only it knows; restore both from one backup`,
    );
  }
  const keep = (changed: MemoryClusterIdentity): void => {
    writeStandaloneFile(path, changed);
  };
  return new MemoryCluster({ families, keep, ...(identity === undefined ? {} : { identity }) });
}

/**
 * Makes the surroundings of an operator without a cluster: what the validating webhook let through counts as stored.
 *
 * @param ground - the open store, the zones, what was asked for
 * @returns what the rest is wired to; `attend` begins the work
 * @throws {@link IpamError} of key, identity file or certificate
 */
export async function standaloneSurroundings(ground: Ground): Promise<Surroundings> {
  const { settings, store, logger } = ground;
  const hasher = await openHasher(ground);
  const cluster = await openStandaloneCluster(settings, store);
  const certificate = await openServingCertificate(settings, ground);
  return {
    ...{ cluster, hasher, certificate },
    attend: (book, registry) => {
      const noted = registry === undefined ? {} : { registry };
      const lease = { leaseSeconds: settings.reservationLeaseSeconds };
      const stopSweeps = startSweeps({ ...ground, ...noted, ...lease, cluster, book, isComplete: () => true });
      const outside = ground.leaderWork === undefined ? [] : [ground.leaderWork];
      const work = together(...outside, ...cleanupEventsWork({ ...ground, registry, cluster }));
      work.begin();
      return {
        door: { book, admitted: (request) => storeAdmitted({ cluster, book, logger }, request) },
        checks: [],
        liveness: [],
        end: async () => {
          await Promise.all([stopSweeps(), work.end()]);
        },
      };
    },
    close: () => {
      certificate.close();
      return Promise.resolve();
    },
  };
}

// A key is made for an empty store only: beside existing claims a new key would lock every owner out.
async function openHasher({ settings, hashing }: Ground): Promise<SecretHasher> {
  if (!('keyOf' in hashing)) return hashing;
  const { keyOf: store } = hashing;
  const { sqliteFile, hashKeyFile: path, recoverableSecrets: recoverable } = settings;
  if (settings.store === 'memory') return requireSameKey(store, hashKeyFile(path));
  if (settings.store === 'postgres')
    return requireSameKey(store, hashKeyFile(path), { store: 'postgres', others: [seedFile(path)], recoverable });
  const others = [identityFile(sqliteFile)];
  return requireSameKey(store, hashKeyFile(path), { store: sqliteFile, others, recoverable });
}

/** What {@link storeAdmitted} works with. */
export interface StandaloneParts {
  readonly cluster: MemoryCluster;
  readonly book: AddressBook;
  readonly logger: Logger;
}

/**
 * Stands in for storage and controller where there is no cluster: what the validating webhook let through counts as stored,
 * so its reservations are bound at once and addresses that it no longer names are released.
 *
 * @param parts - cluster, book and logger
 * @param request - an allowed review that is no dry run
 */
export async function storeAdmitted(parts: StandaloneParts, request: AdmissionRequest): Promise<void> {
  try {
    const gone = request.operation === 'DELETE';
    const service = readService(gone ? request.oldObject : request.object);
    if (service === undefined) return;
    const name = service.name === '' ? request.name : service.name;
    const { namespace } = request;
    // The API server gives the UID; a caller that gives none has one Service per name.
    const uid = service.uid === '' ? `standalone:${namespace}/${name}` : service.uid;
    if (gone || service.type !== LOAD_BALANCER) await forget(parts, { namespace, name, uid });
    else await remember(parts, { service, before: readService(request.oldObject) }, { namespace, name, uid });
  } catch (thrown) {
    // The answer is on its way already; the lease keeps the address until the next review of this Service.
    parts.logger.error('stored service not bound', {
      namespace: request.namespace,
      name: request.name,
      code: isIpamError(thrown) ? thrown.code : 'internal',
    });
  }
}

interface StoredName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

async function forget({ cluster, book }: StandaloneParts, { namespace, name, uid }: StoredName): Promise<void> {
  cluster.deleteService(namespace, name);
  await book.releaseByUid({ serviceUid: uid });
}

async function remember(
  parts: StandaloneParts,
  { service, before }: { readonly service: ServiceView; readonly before: ServiceView | undefined },
  stored: StoredName,
): Promise<void> {
  const { cluster, book } = parts;
  const { namespace, name, uid } = stored;
  cluster.putService({ namespace, name, uid, annotations: service.annotations, type: service.type });
  const found = await cluster.namespace(namespace);
  if (found === undefined) return;
  const reservation = service.annotations[IPAM.reservation];
  const claimant: Claimant & { serviceUid: string } = {
    service: { serviceName: name, namespaceUid: found.uid, clusterUid: await cluster.clusterUid() },
    namespace,
    serviceUid: uid,
    ...(reservation === undefined ? {} : { reservation }),
  };
  const keep = namedAddresses(service).flatMap((source) => source.addresses);
  const changed = before === undefined ? undefined : await changedTerms(cluster, service, before);
  for (const grant of await book.holdings(claimant)) {
    if (!keep.some((address) => address.equals(grant.address))) continue;
    const terms = changed === undefined ? {} : { terms: { ...changed, writtenKeys: grant.writtenKeys } };
    await book.bind({ claimant, grant, ...terms });
  }
  await book.releaseByUid({ serviceUid: uid, keep });
}
