import { hashKeyFile } from '../backends/files/hash-key-file';
import { readStandaloneFile, writeStandaloneFile } from '../backends/files/standalone-file';
import { MemoryCluster, type MemoryClusterIdentity } from '../backends/memory/memory-cluster';
import { IpamError } from '../errors/ipam-error';
import { storedServices } from '../ledger/verbs/sweep-rounds';
import type { ClaimCounts } from '../ports/claim-counts';
import type { Tools } from '../ports/tools';
import type { Leadership, LeaderWork } from '../runtime/leadership';
import type { Settings } from '../settings/options';
import { openServingCertificate, type CertificateSettings } from './certificates';
import { recordView, type RecordedClaims } from './claims';
import type { StandaloneEnvironment } from './environment';
import { openHasher } from './hash-key';
import { openSharedCluster, seedFile } from './standalone-shared';

type SimulatedClusterSettings = Pick<Settings, 'store' | 'sqliteFile' | 'clusterFamilies' | 'hashKeyFile'>;

/** Settings of an operator without a cluster. */
export type StandaloneSettings = SimulatedClusterSettings & CertificateSettings & Pick<Settings, 'recoverableSecrets'>;

/**
 * Opens the environment of an operator without a cluster: a simulated cluster in memory, whose Services are those that the
 * validating webhook allowed.
 *
 * @param settings - store, key, families, certificate
 * @param parts - claims and tools
 * @param parts.claims - as they were opened
 * @param parts.tools - clock, logger, meter
 * @returns simulated cluster, hasher, certificate
 * @throws {@link IpamError} of key, identity file or certificate
 */
export async function openStandaloneEnvironment(
  settings: StandaloneSettings,
  { claims, tools }: { readonly claims: RecordedClaims; readonly tools: Tools },
): Promise<StandaloneEnvironment> {
  const place = hashKeyFile(settings.hashKeyFile);
  const { recoverableSecrets: recoverable } = settings;
  const hasher = await openHasher(claims, { place, others: filesBeside(settings), recoverable });
  const cluster = await openSimulatedCluster(settings, recordView(claims));
  const certificate = await openServingCertificate(settings, tools);
  return {
    kind: 'standalone',
    cluster,
    hasher,
    certificate,
    liveObjects: [storedServices(cluster, () => true)],
    lead: leadAtOnce,
    close: () => {
      certificate.close();
      return Promise.resolve();
    },
  };
}

// Without a cluster no other process can lead.
function leadAtOnce(work: LeaderWork): Leadership {
  work.begin();
  return { leading: () => true, leader: () => '', hasLed: () => false, close: () => work.end() };
}

/**
 * Names the file that keeps the identity of the simulated cluster.
 *
 * @param sqliteFile - file of the store that it belongs to
 * @returns its path
 */
function identityFile(sqliteFile: string): string {
  return `${sqliteFile}.standalone.json`;
}

function filesBeside({ store, sqliteFile, hashKeyFile: keyFile }: SimulatedClusterSettings): readonly string[] {
  return [store === 'postgres' ? seedFile(keyFile) : identityFile(sqliteFile)];
}

/**
 * Opens the simulated cluster. Beside a SQLite file its identity is kept in `<file>.standalone.json`, since claims name their
 * owners by the UIDs in it; the store `memory` forgets both together.
 *
 * @param settings - store, its file, families of the cluster
 * @param claims - the open store: with claims in it, no new identity is made
 * @returns the cluster, without Services
 * @throws {@link IpamError} `settings/invalid` when the file is damaged, or missing while addresses are held
 */
async function openSimulatedCluster(
  settings: SimulatedClusterSettings,
  claims: Pick<ClaimCounts, 'tally'>,
): Promise<MemoryCluster> {
  const families = settings.clusterFamilies.map((family) => (family === 'ipv4' ? 4 : 6));
  if (settings.store === 'memory') return new MemoryCluster({ families });
  if (settings.store === 'postgres') return openSharedCluster(settings.hashKeyFile, claims, families);
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
