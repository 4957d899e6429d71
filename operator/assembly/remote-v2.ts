import { V2Client } from '../backends/ipam-api-client/v2/v2-client';
import { rememberingHasher } from '../backends/ipam-api-client/v2/v2-hasher';
import { openServerClock } from '../backends/ipam-api-client/v2/server-clock';
import { RemoteClaimStore } from '../backends/ipam-api-client/v2/v2-store';
import { apiPath } from '../cluster/api/api-path';
import { INTENT_SECRETS } from '../contract/group';
import { ForwardingAddressBook } from '../ledger/guards/forwarding-address-book';
import type { AddressBook, SweepCount, SweepRequest } from '../ports/address-book';
import type { Tools } from '../ports/tools';
import { whileLeading } from '../runtime/leadership';
import type { Settings } from '../settings/options';
import { callBudgetMs } from './call-budget';
import type { OwnClaims } from './claims';
import type { ClusterConnection } from './environment';
import { openRemoteTls, type RemoteTlsSettings } from './remote-tls';

/** Settings of claims at an IPAM-API over version 2. */
export type RemoteV2Settings = RemoteTlsSettings &
  Pick<Settings, 'ipamApiUrl' | 'admissionDeadlineSeconds' | 'resyncSeconds'>;

/**
 * Opens the claims of a cluster that are at an IPAM-API elsewhere, over its version 2. Each request is written to a Secret of ours
 * first, so that the operator has a record of its own.
 *
 * @param settings - URL, CA, client certificate
 * @param tools - clock, logger, meter
 * @param connection - to the cluster, for the Secrets and its identity
 * @returns the claims, with the hasher that gives back the secrets which version 2 wants
 * @throws IpamError `settings/invalid` for a file that cannot be read; and what the cluster throws
 */
export async function openRemoteV2(
  settings: RemoteV2Settings,
  tools: Tools,
  connection: ClusterConnection,
): Promise<OwnClaims> {
  const { ipamApiUrl: url, admissionDeadlineSeconds } = settings;
  const tls = openRemoteTls(settings, tools.logger);
  const hasher = rememberingHasher(await connection.cluster.clusterUid());
  const rows = await connection.openIntents();
  const calls = new V2Client({ url, tls, ...tools });
  const budgetMs = callBudgetMs(admissionDeadlineSeconds);
  const server = await openServerClock(tools.clock, () => dateOf(connection));
  const store = new RemoteClaimStore({ rows, calls, hasher, ...tools, clock: server.clock, budgetMs });
  const everyMs = settings.resyncSeconds * 1_000;
  return {
    kind: 'own',
    writers: 'cluster',
    clock: server.clock,
    store,
    keys: { kind: 'given', hasher },
    leaderWork: whileLeading(() => store.check(everyMs)),
    disputes: store,
    withOwnSweep: (book) => new SweptAddressBook(book, store),
    close: async () => {
      server.close();
      await store.close();
      calls.close();
    },
  };
}

// Any answer tells the time, also one that refuses.
async function dateOf({ client, namespace }: ClusterConnection): Promise<number | undefined> {
  const [name = ''] = INTENT_SECRETS;
  const path = apiPath({ apiVersion: 'v1', resource: 'secrets', namespace, name });
  const { serverTimeMs } = await client.request({ method: 'GET', path });
  return serverTimeMs;
}

// The ledger sees only what the IPAM-API confirmed; a request that was never answered is swept with it.
class SweptAddressBook extends ForwardingAddressBook {
  readonly #store: RemoteClaimStore;

  constructor(book: AddressBook, store: RemoteClaimStore) {
    super(book);
    this.#store = store;
  }

  // Version 2 has no word for it, and the intents are requests to it.
  override get contests(): undefined {
    return undefined;
  }

  override async sweep(request: SweepRequest): Promise<SweepCount> {
    const swept = await this.book.sweep(request);
    const lost = await this.#store.sweepLostAsks(request.startedMs);
    return { ...swept, released: swept.released + lost };
  }
}
