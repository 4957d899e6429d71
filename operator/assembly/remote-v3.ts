import { RemoteAddressBook } from '../backends/ipam-api-client/v3/v3-address-book';
import { V3Client } from '../backends/ipam-api-client/v3/v3-client';
import { V3RecordView } from '../backends/ipam-api-client/v3/v3-record-view';
import type { ClusterAccess } from './on-cluster';
import type { AddressBook } from '../ports/address-book';
import { HeardAddressBook } from '../ledger/guards/heard-address-book';
import type { RecordView } from '../ports/store';
import { atStart, openRemoteTls, secretText } from './remote-tls';
import { OPTIONS, type Settings } from '../settings/options';
import type { Tools } from '../ports/tools';

/** Part of the deadline of an admission that is left for everything but the call. */
const SPARE_MS = 1_000;
const MOST_CALL_MS = 8_000;

/** A record that another operator of ours keeps: there is no store here, and no key. */
export interface FarRecord {
  readonly view: RecordView;
  readonly book: AddressBook;
  close(): void;
}

/**
 * Goes to the record that another operator keeps and serves by version 3 of the IPAM-API.
 *
 * @param settings - URL, token or client certificate, CA
 * @param tools - clock, logger, meter
 * @param access - the cluster, for its identity
 * @returns the record; nothing was asked of the server yet, which may be away
 * @throws IpamError `settings/invalid` for a file that cannot be read; and what the cluster throws
 */
export async function openFarRecord(
  settings: Settings,
  { clock, logger }: Tools,
  access: Pick<ClusterAccess, 'clusterUid'>,
): Promise<FarRecord> {
  const { ipamApiUrl: url, ipamApiTokenFile, admissionDeadlineSeconds } = settings;
  const login = loginOf(ipamApiTokenFile);
  atStart(login);
  const tls = openRemoteTls(settings, logger);
  const clusterUid = await access.clusterUid();
  const callMs = Math.min(MOST_CALL_MS, Math.max(SPARE_MS, admissionDeadlineSeconds * 1_000 - SPARE_MS));
  const client = new V3Client({ target: { url }, clock, tls, headers: login, callMs });
  const book = new RemoteAddressBook({ client, clusterUid, clock, logger });
  const view = new V3RecordView({ client, clusterUid, clock });
  return {
    view,
    book: new HeardAddressBook(book, (kind, at) => {
      view.tell(kind, at);
    }),
    close: () => {
      book.close();
      client.close();
    },
  };
}

// Read at each try, so that a new token counts at once; without one the client certificate says who calls.
function loginOf(path: string): () => Readonly<Record<string, string>> {
  if (path === '') return () => ({});
  return () => ({ authorization: `Bearer ${secretText(OPTIONS.ipamApiTokenFile.flag, path).trim()}` });
}
