import type { RecordedEvents } from '../../ports/event-reader';
import type { NetworksContext } from './context';
import type { NetworksDoorParts } from './door-parts';

/** Parts of the pages of the Networks door for the command line; they read, and write nothing. */
export interface NetworksPagesParts extends NetworksDoorParts {
  readonly recordedEvents: RecordedEvents;
  /** Knowledge of the controller beside the record. */
  readonly view: Pick<NetworksContext, 'contexts' | 'missingSince'>;
}
