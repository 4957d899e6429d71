import type { Logger } from '../../../ports/logger';

/** Findings of a comparison of Services with the record, by what became of them. Each entry names the object, and its address. */
export interface Comparison {
  /** Services that concern this door. */
  readonly services: number;
  /** Those of them that show an address. */
  readonly showing: number;
  /** Finalizers of the older operator that are taken off. */
  readonly oldFinalizers: number;
  /** Addresses on record for a Service without its UID, which was written. */
  readonly bound: readonly string[];
  /** Addresses that were shown, and not on record; they are now. */
  readonly restored: readonly string[];
  /** Services that go on showing what is not theirs by the record. */
  readonly conflicts: readonly string[];
  /** Addresses on record for Services that are not stored. */
  readonly missing: readonly string[];
}

/** Most entries of each list that a log line names. */
const MOST_NAMED = 20;

/**
 * Reports a comparison in one line, which is all that a cluster of the older operator needed in order to be taken over.
 *
 * @param logger - gets a warning where something was put right, or has to be looked at
 * @param comparison - what was found out
 */
export function reportComparison(logger: Logger, comparison: Comparison): void {
  const { services, showing, oldFinalizers, bound, restored, conflicts, missing } = comparison;
  const fields = {
    services,
    showing,
    oldFinalizers,
    bound: bound.length,
    restored: restored.length,
    conflicts: conflicts.length,
    missing: missing.length,
    ...named('restoredAddresses', restored),
    ...named('conflictingServices', conflicts),
    ...named('missingServices', missing),
  };
  if (restored.length + conflicts.length + missing.length > 0)
    logger.warn('services were compared with the record, and differ from it', fields);
  else logger.info('services were compared with the record', fields);
}

function named(field: string, all: readonly string[]): Readonly<Record<string, string>> {
  if (all.length === 0) return {};
  const more = all.length > MOST_NAMED ? [`and ${String(all.length - MOST_NAMED)} more`] : [];
  return { [field]: [...all.slice(0, MOST_NAMED), ...more].join(', ') };
}
