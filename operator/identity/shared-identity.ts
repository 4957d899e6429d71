import { hostname } from 'node:os';
import type { Outcome } from '../errors/outcome';
import type { AddressBook } from '../ports/address-book';
import type { Cluster } from '../ports/cluster';
import type { Notes } from '../ports/notes';
import type { Tools } from '../ports/tools';
import type { LeaderWork } from '../runtime/leadership';
import { guardedByIdentity } from './identity-guard';
import { IdentityOrigin } from './identity-origin';
import { IdentityWatch, type IdentityWatchProps } from './identity-watch';
import { uidOf } from './namespace-preset';

/** Begins the names of the notes by which operators with one identity find each other. */
const NOTE = 'presence:';
/** Begins the names of the notes that tell whose the claims under an identity are. */
const ORIGIN = 'origin:';

/** Guard of claims that other clusters use as well against a second cluster with the identity of this one. */
export interface SharedIdentity {
  /** The book to work with. */
  readonly book: AddressBook;
  /** Puts off work that ends claims until no other cluster has the identity; the rest of a leader's work need not wait. */
  whenSure(work: LeaderWork): LeaderWork;
  /** Why nothing of this cluster is given yet; undefined where that is not so. */
  problem(): string | undefined;
  /** Takes the claims over from another cluster of the same identity that is gone; absent where there can be none. */
  readonly forget?: (uid: string, dryRun: boolean) => Promise<Outcome<void>>;
  close(): Promise<void>;
}

/** Parts of the guard. */
export interface SharedIdentityParts extends Tools {
  readonly cluster: Pick<Cluster, 'clusterUid' | 'namespace'>;
  /** Keeps the signs of life. */
  readonly notes: Notes;
  /** This process as the Lease names it, and which processes lead or have led. */
  readonly process: Pick<IdentityWatchProps, 'instance' | 'leader' | 'hasLed'>;
}

/**
 * Guards the identity of this cluster, where operators of other clusters can be on the same claims.
 *
 * @param parts - cluster, notes, this process, tools
 * @param book - the ledger
 * @returns the guard
 */
export function shareIdentity(parts: SharedIdentityParts, book: AddressBook): SharedIdentity {
  const { cluster, notes, process, clock, logger, meter } = parts;
  let place: string | undefined;
  const own = () => uidOf(cluster);
  const origin = new IdentityOrigin({
    own,
    note: async (change) => notes.note({ name: `${ORIGIN}${await cluster.clusterUid()}`, ...change }),
  });
  const watch = new IdentityWatch({
    ...process,
    clock,
    logger,
    meter,
    origin,
    note: async (text) => {
      const name = `${NOTE}${await cluster.clusterUid()}`;
      return notes.note({ name, ...(text === undefined ? {} : { text }) });
    },
    at: async () => {
      // once: an API server that is slow must not delay a sign of life
      place ??= `"${hostname()}" (UID of its kube-system: "${await own()}")`;
      return place;
    },
  });
  const guard = {
    clusterUid: () => cluster.clusterUid(),
    stranger: () => watch.stranger(),
    suspects: async () => {
      await watch.looked();
      return watch.suspects();
    },
    alone: () => watch.alone(),
  };
  return {
    book: guardedByIdentity(book, guard),
    whenSure: (work) => watch.whenSure(work),
    problem: () => (watch.suspects() ? 'still checking whether another cluster uses this identity' : undefined),
    forget: (uid, dryRun) => watch.forget(uid, dryRun),
    close: () => watch.close(),
  };
}

/**
 * Stands for the guard where no other cluster can have the identity: a SQLite file has one owner, and an IPAM-API elsewhere has no
 * place for a sign of life.
 *
 * @param book - the ledger
 * @returns a guard that lets everything pass
 */
export function unsharedIdentity(book: AddressBook): SharedIdentity {
  return { book, whenSure: (work) => work, problem: () => undefined, close: () => Promise.resolve() };
}
