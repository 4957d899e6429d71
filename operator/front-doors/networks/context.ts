import type { NetworksDoorParts } from './door-parts';
import type { EntryCounts } from './entry-counts';
import type { NetworkGauges } from './gauges';
import type { Instances } from './instances';
import type { PrefixIndex } from './prefix-index';
import type { ShownPlaces } from './shown-places';
import type { TableContexts } from './table-context';
import type { Waiting } from './waiting';

/** Whether anything new is given to objects of other doors, and what comes on record before that. */
interface Giving {
  /** False before every existing holder is on record. */
  isOpen: boolean;
  readonly restorers: (() => Promise<void>)[];
}

/** Everything that the controller shares between pieces of its work. */
export interface NetworksContext {
  readonly parts: NetworksDoorParts;
  readonly instances: Instances;
  readonly prefixes: PrefixIndex;
  readonly contexts: TableContexts;
  readonly waiting: Waiting;
  readonly shown: ShownPlaces;
  readonly counts: EntryCounts;
  readonly gauges: NetworkGauges;
  readonly giving: Giving;
  /** UIDs of objects that were paused when they went: what they held stays for the grace. */
  readonly leftPaused: Set<string>;
  /** Since when the object of an entry is missing, by network and block. */
  readonly missingSince: Map<string, number>;
}

/**
 * How a piece of work ended: done, or to be decided once more since something else changed at the same time. `later`: done but for
 * something beside the decision, which is tried again after a pause.
 */
export type Ended = 'done' | 'again' | 'later';
