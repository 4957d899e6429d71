import { hostname } from 'node:os';

import { guardedByIdentity } from '../identity/identity-guard';
import { IdentityWatch, type IdentityWatchProps } from '../identity/identity-watch';
import type { LeaderWork } from '../runtime/leadership';
import type { AddressBook } from '../ports/address-book';
import type { Cluster } from '../ports/cluster';
import type { Ground } from './surroundings';

/** Begins the names of the notes by which operators with one identity find each other. */
const NOTE = 'presence:';

/** What guards a record that other clusters use as well against a second cluster with the identity of this one. */
export interface SharedIdentity {
  /** The book to work with. */
  readonly book: AddressBook;
  /** Puts what ends claims off until nobody else has the identity; the rest of a leader's work need not wait. */
  whenSure(work: LeaderWork): LeaderWork;
  /** Why nothing of this cluster is given yet; undefined where that is not so. */
  problem(): string | undefined;
  close(): Promise<void>;
}

/**
 * Guards the identity of this cluster, where operators of other clusters can be on the same record. A SQLite file has one owner, and
 * an IPAM-API elsewhere has no place for a sign of life.
 *
 * @param ground - settings, record, tools, and the cluster
 * @param who - this process as the Lease names it, who leads (empty: nobody), and who was seen to lead
 * @param book - the ledger
 * @returns the guard
 */
export function shareIdentity(
  ground: Ground & { readonly cluster: Pick<Cluster, 'clusterUid' | 'namespace'> },
  who: Pick<IdentityWatchProps, 'instance' | 'leader' | 'hasLed'>,
  book: AddressBook,
): SharedIdentity {
  const { settings, cluster, store, clock, logger, meter } = ground;
  if (settings.store !== 'postgres') {
    return { book, whenSure: (work) => work, problem: () => undefined, close: () => Promise.resolve() };
  }
  let place: string | undefined;
  const watch = new IdentityWatch({
    ...{ clock, logger, meter },
    ...who,
    note: async (text) => {
      const name = `${NOTE}${await cluster.clusterUid()}`;
      return (await store.note?.({ name, ...(text === undefined ? {} : { text }) })) ?? '';
    },
    at: async () => {
      // once: an API server that is slow must not delay a sign of life
      place ??= `"${hostname()}" (UID of its kube-system: "${(await cluster.namespace('kube-system'))?.uid ?? ''}")`;
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
    problem: () =>
      watch.suspects() ? 'whether another cluster has the identity of this one is still being looked at' : undefined,
    close: () => watch.close(),
  };
}
