/** One entry of the record, compared with what is stored. */
export interface OrphanFacts {
  /** UID in the record; absent in records of the older operator. */
  readonly uid?: string;
  /** The stored Service of the recorded namespace and name. */
  readonly stored?: {
    readonly uid: string;
    /** True where this door serves it. */
    readonly isOurs: boolean;
  };
  /** True where a Service of the recorded UID is stored. */
  readonly isUidStored: boolean;
  /** True where its deletion was seen, rather than its absence found out later. */
  readonly isDeletionSeen: boolean;
  readonly missingForMs: number;
  readonly graceMs: number;
}

/**
 * `live`: its holder is stored; `rebind`: the Service of that name was made anew, and goes on with the address; `wait`: the holder is
 * gone, but may be restored; `release`: it is given back.
 */
export type OrphanDecision = 'live' | 'rebind' | 'wait' | 'release';

/**
 * Decides about an entry of the record. Only a deletion that was seen ends it at once: after a restore the record may be there before
 * its Services.
 *
 * @param facts - the entry and what is stored
 * @returns what becomes of it
 */
export function decideOrphan(facts: OrphanFacts): OrphanDecision {
  const { uid, stored, isUidStored, isDeletionSeen, missingForMs, graceMs } = facts;
  if (isUidStored) return 'live';
  if (stored?.isOurs === true) return stored.uid === uid ? 'live' : 'rebind';
  return isDeletionSeen || missingForMs >= graceMs ? 'release' : 'wait';
}
