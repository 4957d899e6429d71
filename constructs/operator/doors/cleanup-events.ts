import { CLEANUP_EVENTS_ALERTS } from '../cleanup-events/cleanup-events-alerts';
import { CLEANUP_EVENTS_CURVES } from '../cleanup-events/cleanup-events-panels';
import { cleanupEventsOf } from '../cleanup-events/cleanup-events-process';
import type { CleanupEventsOwner } from '../cleanup-events/cleanup-events-props';
import type { DoorManifests } from './door-manifests';

/** The door of events that name clusters which are gone: the operator reads their stream from a server. */
export const CLEANUP_EVENTS_DOOR: DoorManifests<CleanupEventsOwner> = {
  name: 'cleanup-events',
  isOpen: ({ cleanupEvents }) => cleanupEvents !== undefined,
  kinds: () => [],
  server: ({ cleanupEvents }) => (cleanupEvents === undefined ? undefined : cleanupEventsOf(cleanupEvents)),
  rights: () => ({ cluster: [], secretsRead: [], secretsWritten: [] }),
  roles: () => [],
  objects: () => [],
  admission: () => [],
  alerts: () => CLEANUP_EVENTS_ALERTS,
  panels: { requests: [], objects: [], clusters: CLEANUP_EVENTS_CURVES },
};
