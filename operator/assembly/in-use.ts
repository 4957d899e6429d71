import type { Completeness } from '../ledger/guards/complete-gate';
import type { Address } from '../addressing/address';
import type { ShownHere } from '../ledger/guards/shown-gate';
import type { Showing } from '../ledger/occupied/shown-index';
import type { LeaderWork } from '../runtime/leadership';
import type { HealthCheck } from '../server/health';

/** One way to know what the own cluster shows without a claim. */
export interface InUseSource extends Completeness {
  /** Objects that show an address in any network, where the record may not know them. */
  shownHere(address: Address): readonly Showing[];
  /** Why the process cannot tell yet; undefined when it can. */
  unready(): string | undefined;
  /** Absent where nothing is put on record. */
  readonly leaderWork?: LeaderWork;
  close(): Promise<void> | void;
}

/** Addresses that the own cluster shows without a claim, in whatever record they are kept. */
export interface InUse extends Omit<InUseSource, 'unready' | 'shownHere'> {
  /** Objects that show addresses, where the record may not know them. */
  readonly shownHere: ShownHere;
  readonly checks: readonly HealthCheck[];
  close(): Promise<void>;
}
