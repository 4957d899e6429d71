import type { Refusal } from '../../../errors/outcome';
import type { ServicesControllerParts } from '../wanted/door-parts';
import type { Announcers } from './announcers';
import type { LeftOutNotices } from './left-alone';
import type { KnownServices } from './known-services';
import type { Waiters } from './waiters';

/** Parts that every step of the controller works with. */
export interface ControllerContext {
  readonly parts: ServicesControllerParts;
  readonly known: KnownServices;
  readonly waiters: Waiters;
  readonly announcers: Announcers;
  /** Tells Services of namespaces that are left out. */
  readonly notices: LeftOutNotices;
}

/** Result of a look at a Service: `again` milliseconds until the next one is due. */
export interface Look {
  readonly again?: number;
}

/** Pause after which what lags or clashed a moment ago is looked at again. */
export const SOON_MS = 500;

/**
 * Picks the earliest of several next looks.
 *
 * @param looks - of the steps
 * @returns the one that is due first
 */
export function earliest(...looks: readonly Look[]): Look {
  const times = looks.flatMap(({ again }) => (again === undefined ? [] : [again]));
  return times.length === 0 ? {} : { again: Math.min(...times) };
}

/**
 * Decides when a write that was not taken is tried again.
 *
 * @param refusal - of the writer
 * @returns nothing to do where the object is gone, since its end is told
 */
export function afterRefusedWrite({ code }: Refusal): Look {
  return code === 'claim/not-found' ? {} : { again: SOON_MS };
}
