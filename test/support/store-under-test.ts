import type { ClaimChange, Claims, Exchanges } from '../../operator/ports/claims';
import type { OwnStore, Store } from '../../operator/ports/store';

/** Claims of any kind of store, as their contract needs them. */
export type ClaimStore = Claims & Partial<Exchanges> & Pick<Store, 'close'>;

/** The clock of a store under test: it stands still until a test moves it. */
export interface StoreClock {
  nowMs(): number;
  /** Moves it on, for every process over the store. */
  advance(ms: number): Promise<void>;
}

/** One store under test. */
export interface StoreUnderTest<S extends ClaimStore = OwnStore> {
  readonly store: S;
  readonly clock: StoreClock;
  /** Its file, where it has one. */
  readonly path?: string;
  /** Closes the store and opens the same data again, as a restart does; absent where nothing survives. */
  readonly reopen?: () => Promise<S>;
  /** Closes what is open and removes its files. */
  readonly dispose: () => Promise<void>;
}

/** Opens an empty store. */
export type OpenStore<S extends ClaimStore = OwnStore> = () => Promise<StoreUnderTest<S>>;

/** Which optional parts of a claim an implementation keeps. */
export interface ClaimParts {
  /** Several holders on one space. */
  readonly joins: boolean;
  /** Secrets, options, sharing terms, written keys and purposes. */
  readonly services: boolean;
  /** Limits of a take: reservations and quotas. */
  readonly limits: boolean;
  /** Prefixes beside addresses. */
  readonly prefixes: boolean;
  /** Keys, under which a take is found again. */
  readonly keys: boolean;
  /** Holders that are reserved, retained or contested. */
  readonly leases: boolean;
  /** Several networks, and owners in several clusters. */
  readonly scopes: boolean;
  /** Exchanges of the holders of two spaces. */
  readonly exchanges: boolean;
  /** Looks at what a take would do. */
  readonly previews: boolean;
}

/** Parts that a store of ours keeps. */
export const EVERY_PART: ClaimParts = {
  joins: true,
  services: true,
  limits: true,
  prefixes: true,
  keys: true,
  leases: true,
  scopes: true,
  exchanges: true,
  previews: true,
};

/** Subject of every group of tests: the store of the running test, opened anew for each. */
export interface Subject<S extends ClaimStore = OwnStore> {
  readonly store: S;
  readonly clock: StoreClock;
  readonly reopen: (() => Promise<S>) | undefined;
  /** Changes that were told since the test began. */
  readonly changes: readonly ClaimChange[];
}
