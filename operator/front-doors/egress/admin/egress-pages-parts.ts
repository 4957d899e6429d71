import type { RecordedEvents } from '../../../ports/event-reader';
import type { EgressDoorParts } from '../facts/door-parts';

/** Parts of the pages of the Egress door for the command line; they read, and write nothing. */
export interface EgressPagesParts extends EgressDoorParts {
  readonly recordedEvents: RecordedEvents;
}
