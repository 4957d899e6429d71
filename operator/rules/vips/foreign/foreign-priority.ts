import { MAX_PRIORITY } from '../../../contract/kinds/ip-group';
import { FIRST_CHOICE } from './foreign-pool';

/** Priority of an IPGroup, made of one that counts the other way round. */
interface TurnedPriority {
  /** Absent where the pool has none. */
  readonly priority?: number;
  readonly notes: readonly string[];
}

/**
 * Turns a priority of which the lowest number comes first, and 0 is none.
 *
 * @param value - of the pool
 * @returns a priority of which the highest number comes first; all that are too large for it have the same
 */
export function priorityOf(value: unknown): TurnedPriority {
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) return { notes: [] };
  const priority = MAX_PRIORITY + 1 - value;
  if (priority > FIRST_CHOICE) return { priority, notes: [] };
  return {
    priority: FIRST_CHOICE + 1,
    notes: [
      `priority ${String(value)}: those above ${String(MAX_PRIORITY - FIRST_CHOICE)} count as equal; check spec.priority`,
    ],
  };
}
