import type { ClaimChange, ClaimStore } from '../../operator/ports/claim-store';

/** One store under test. */
export interface StoreUnderTest {
  readonly store: ClaimStore;
  /** Its file, where it has one. */
  readonly path?: string;
  /** Closes the store and opens the same data again, as a restart does; absent where nothing survives. */
  readonly reopen?: () => Promise<ClaimStore>;
  /** Closes what is open and removes its files. */
  readonly dispose: () => Promise<void>;
}

/** Opens an empty store. */
export type OpenStore = () => Promise<StoreUnderTest>;

/** What every group of tests gets: the store of the running test, opened anew for each. */
export interface Subject {
  readonly store: ClaimStore;
  readonly reopen: (() => Promise<ClaimStore>) | undefined;
  /** Changes that were told since the test began. */
  readonly changes: readonly ClaimChange[];
}
