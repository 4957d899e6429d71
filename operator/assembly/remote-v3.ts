import { RemoteAddressBook } from '../backends/ipam-api-client/v3/v3-address-book';
import { V3Client } from '../backends/ipam-api-client/v3/v3-client';
import type { OnContested } from '../backends/ipam-api-client/v3/v3-contests';
import { RemoteOccupied } from '../backends/ipam-api-client/v3/v3-occupied';
import { OwnClaims } from '../backends/ipam-api-client/v3/v3-own-claims';
import { V3RecordView } from '../backends/ipam-api-client/v3/v3-record-view';
import { NotifyingAddressBook } from '../ledger/guards/notifying-address-book';
import type { Cluster } from '../ports/cluster';
import type { Tools } from '../ports/tools';
import { OPTIONS, type Settings } from '../settings/options';
import { callBudgetMs } from './call-budget';
import type { RemoteClaims } from './claims';
import { atStart, openRemoteTls, secretText, type RemoteTlsSettings } from './remote-tls';

const MOST_CALL_MS = 8_000;

/** Settings of remote claims over version 3. */
export type RemoteV3Settings = RemoteTlsSettings &
  Pick<Settings, 'ipamApiUrl' | 'ipamApiTokenFile' | 'admissionDeadlineSeconds'>;

/**
 * Opens the claims that another operator of ours keeps and serves by version 3 of the IPAM-API.
 *
 * @param settings - URL, token or client certificate, CA
 * @param tools - clock, logger, meter
 * @param connection - the cluster, for its identity
 * @returns the claims; no call was made yet, so the server may be away
 * @throws IpamError `settings/invalid` for a file that cannot be read; and what the cluster throws
 */
export async function openRemoteV3(
  settings: RemoteV3Settings,
  { clock, logger }: Tools,
  { cluster }: { readonly cluster: Pick<Cluster, 'clusterUid'> },
): Promise<RemoteClaims> {
  const { ipamApiUrl: url, ipamApiTokenFile, admissionDeadlineSeconds } = settings;
  const login = loginOf(ipamApiTokenFile);
  atStart(login);
  const tls = openRemoteTls(settings, logger);
  const clusterUid = await cluster.clusterUid();
  const callMs = Math.min(MOST_CALL_MS, callBudgetMs(admissionDeadlineSeconds));
  const client = new V3Client({ target: { url }, clock, tls, headers: login, callMs });
  const view = new V3RecordView({ client, clusterUid, clock });
  const onContested: OnContested = (at) => {
    view.tell('changed', at);
  };
  const book = new RemoteAddressBook({ client, clusterUid, clock, logger, onContested });
  const uses = new RemoteOccupied({ client, clusterUid, logger });
  const own = new OwnClaims({ client, clusterUid, clock });
  return {
    kind: 'remote',
    writers: 'cluster',
    clock,
    view,
    shown: {
      findUses: () => uses.whenServed(),
      claims: { get: (place) => own.get(place), watch: (listener) => view.watch(listener) },
    },
    book: new NotifyingAddressBook(book, (kind, at) => {
      view.tell(kind, at);
    }),
    close: () => {
      book.close();
      client.close();
      return Promise.resolve();
    },
  };
}

// Read at each try, so that a new token counts at once; without one the client certificate is the login.
function loginOf(path: string): () => Readonly<Record<string, string>> {
  if (path === '') return () => ({});
  return () => ({ authorization: `Bearer ${secretText(OPTIONS.ipamApiTokenFile.flag, path).trim()}` });
}
