import { whileLeading, type LeaderWork } from '../../runtime/leadership';
import type { Notes } from '../../ports/notes';
import type { ClusterRegister } from '../../ports/registry';
import type { Tools } from '../../ports/tools';
import { startCleanupEvents } from './cleanup-events';
import type { EventSource } from './connection';

/** Name under which the store keeps the ids of events that were done. */
const NOTE = 'cleanup-events';

/** Parts of the clean-up by events. */
export interface CleanupEventsDoorParts extends Tools {
  readonly source: EventSource;
  /** Ends the claims of a cluster that is gone. */
  readonly registry: Omit<ClusterRegister, 'reported'>;
  /** Keeps the ids of events that were done; undefined: they are done again after a restart. */
  readonly notes: Notes | undefined;
  /** Identity of the cluster that the operator runs in. */
  readonly ownCluster: () => Promise<string>;
}

/**
 * Follows the stream of clean-up events while this process leads, so that one process reads it.
 *
 * @param parts - stream, registry, notes, own cluster, tools
 * @returns the work of the leader
 */
export function cleanupEventsWork(parts: CleanupEventsDoorParts): LeaderWork {
  const { source, registry, notes, ownCluster, clock, logger, meter } = parts;
  const place = {
    read: async () => (await notes?.note({ name: NOTE })) ?? '',
    write: async (text: string) => {
      await notes?.note({ name: NOTE, text });
    },
  };
  return whileLeading(() => startCleanupEvents({ source, registry, place, ownCluster, clock, logger, meter }));
}
