import { V2Client } from '../backends/ipam-api-client/v2/v2-client';
import { rememberingHasher } from '../backends/ipam-api-client/v2/v2-hasher';
import { RemoteClaimStore } from '../backends/ipam-api-client/v2/v2-store';
import { whileLeading, type LeaderWork } from '../runtime/leadership';
import type { ClusterAccess } from './on-cluster';
import { ForwardingAddressBook } from '../ledger/guards/forwarding-address-book';
import type { AddressBook, SweepCount, SweepRequest } from '../ports/address-book';
import type { Disputes } from '../ports/disputes';
import type { SecretHasher } from '../ports/secret-hasher';
import { openRemoteTls } from './remote-tls';
import type { Settings } from '../settings/options';
import type { Tools } from '../ports/tools';

/** Part of the deadline of an admission that is left for everything but the call. */
const SPARE_MS = 1_000;

/** Claims of this cluster at an IPAM-API elsewhere. */
export interface RemoteRecord {
  readonly store: RemoteClaimStore;
  /** The one that gives back the secrets which version 2 wants. */
  readonly hasher: SecretHasher;
  /** Checks whether the IPAM-API still knows what it gave. */
  readonly leaderWork: LeaderWork;
  readonly disputes: Disputes;
  /** Sweeps what was asked for and never answered, too. */
  swept(book: AddressBook): AddressBook;
}

/**
 * Opens the record of a cluster whose claims are at an IPAM-API elsewhere, over its version 2. What it asks for is written to Secrets of ours first.
 *
 * @param settings - URL, CA, client certificate
 * @param tools - clock, logger, meter
 * @param access - the cluster, for the Secrets and its identity
 * @returns the record
 * @throws IpamError `settings/invalid` for a file that cannot be read; and what the cluster throws
 */
export async function openRemote(settings: Settings, tools: Tools, access: ClusterAccess): Promise<RemoteRecord> {
  const { ipamApiUrl: url, admissionDeadlineSeconds } = settings;
  const tls = openRemoteTls(settings, tools.logger);
  const hasher = rememberingHasher(await access.clusterUid());
  const rows = await access.openIntents();
  const calls = new V2Client({ url, tls, ...tools });
  const budgetMs = Math.max(SPARE_MS, admissionDeadlineSeconds * 1_000 - SPARE_MS);
  const store = new RemoteClaimStore({ rows, calls, hasher, ...tools, budgetMs });
  const everyMs = settings.resyncSeconds * 1_000;
  const leaderWork = whileLeading(() => store.check(everyMs));
  return { store, hasher, leaderWork, disputes: store, swept: (book) => new SweptAddressBook(book, store) };
}

// The ledger sees only what the IPAM-API confirmed; what was asked for and never answered is swept with it.
class SweptAddressBook extends ForwardingAddressBook {
  readonly #store: RemoteClaimStore;

  constructor(book: AddressBook, store: RemoteClaimStore) {
    super(book);
    this.#store = store;
  }

  override async sweep(request: SweepRequest): Promise<SweepCount> {
    const swept = await this.book.sweep(request);
    const lost = await this.#store.sweepLostAsks(request.startedMs);
    return { ...swept, released: swept.released + lost };
  }
}
