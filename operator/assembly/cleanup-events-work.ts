import { startCleanupEvents } from '../front-doors/cleanup-events/cleanup-events';
import { whileLeading, type LeaderWork } from '../runtime/leadership';
import type { Cluster } from '../ports/cluster';
import type { Registry } from '../ports/registry';
import type { Ground } from './surroundings';

/** Name under which the store keeps the ids of events that were done. */
const NOTE = 'cleanup-events';

/**
 * Makes the clean-up by events, where it is asked for, a part of the leader's work: one process reads the stream.
 *
 * @param ground - settings, store and tools, the registry that ends claims (none where another operator keeps the record), and the own cluster
 * @returns no work or one
 */
export function cleanupEventsWork(
  ground: Ground & { readonly registry?: Registry | undefined; readonly cluster?: Pick<Cluster, 'clusterUid'> },
): readonly LeaderWork[] {
  const { settings, store, registry, clock, logger, meter } = ground;
  const { cleanupEventsUrl: url, cleanupEventsTokenFile: tokenFile, cleanupEventsCaFile: caFile } = settings;
  if (url === '' || registry === undefined) return [];
  const source = { url, ...(tokenFile === '' ? {} : { tokenFile }), ...(caFile === '' ? {} : { caFile }) };
  const { cluster } = ground;
  const own = cluster === undefined ? {} : { ownCluster: () => cluster.clusterUid() };
  const place = {
    read: async () => (await store.note?.({ name: NOTE })) ?? '',
    write: async (text: string) => {
      await store.note?.({ name: NOTE, text });
    },
  };
  return [whileLeading(() => startCleanupEvents({ source, registry, place, clock, logger, meter, ...own }))];
}
