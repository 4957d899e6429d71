import type { Completeness } from '../ledger/guards/complete-gate';
import type { ShownHere } from '../ledger/guards/shown-gate';
import type { LeaderWork } from '../runtime/leadership';
import type { HealthCheck } from '../server/health';

/** What the own cluster shows without a claim, whoever keeps that. */
export interface InUse extends Completeness {
  /** What shows an address, where the record does not know it. */
  readonly shownHere: ShownHere;
  readonly checks: readonly HealthCheck[];
  /** Absent where nothing is put on record. */
  readonly leaderWork?: LeaderWork;
  close(): Promise<void>;
}
