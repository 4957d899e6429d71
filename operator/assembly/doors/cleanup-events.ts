import { cleanupEventsWork } from '../../front-doors/cleanup-events/index';
import type { Settings } from '../../settings/options';
import { notesOf } from '../claims';
import type { Door, RecordDoorKind, DoorParts } from '../door';

type CleanupSettings = Pick<Settings, 'cleanupEventsUrl' | 'cleanupEventsTokenFile' | 'cleanupEventsCaFile'>;

/** The door of clean-up events, which name clusters that are gone. */
export const CLEANUP_EVENTS_DOOR: RecordDoorKind = {
  name: 'cleanup-events',
  needsRecord: true,
  holdsOwnClaims: false,
  isOn: ({ cleanupEventsUrl }) => cleanupEventsUrl !== '',
  open: openCleanupEventsDoor,
};

function openCleanupEventsDoor(settings: CleanupSettings, parts: DoorParts): Door {
  const { claims, registry, environment, tools } = parts;
  const door: Door = { checks: [], close: () => undefined };
  // claims that another operator keeps are cleared there
  if (registry === undefined) return door;
  const { cleanupEventsUrl: url, cleanupEventsTokenFile: tokenFile, cleanupEventsCaFile: caFile } = settings;
  const releasingWork = cleanupEventsWork({
    ...tools,
    source: { url, ...(tokenFile === '' ? {} : { tokenFile }), ...(caFile === '' ? {} : { caFile }) },
    registry,
    notes: notesOf(claims),
    ownCluster: () => environment.cluster.clusterUid(),
  });
  return { ...door, releasingWork };
}
