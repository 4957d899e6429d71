import type { RecordedEvents } from '../../../ports/event-reader';
import type { VipsDoorParts } from '../controller/door-parts';

/** A VirtualIP whose migration does not go on by itself. */
interface HaltedMigration {
  readonly namespace: string;
  readonly name: string;
  readonly message: string;
}

/** Parts of the pages of the VIPs door for the command line; they read, and write nothing. */
export interface VipsPagesParts extends VipsDoorParts {
  readonly recordedEvents: RecordedEvents;
  /** Absent where VirtualIPs are not migrated. */
  readonly halted?: () => readonly HaltedMigration[];
}
