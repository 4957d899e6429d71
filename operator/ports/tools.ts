import type { Clock } from './clock';
import type { Logger } from './logger';
import type { Meter } from './meter';

/** Tools that every part of the operator works with. */
export interface Tools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}
