import { readFileSync } from 'node:fs';

import type { ExchangeTls } from './backends/ipam-api-client/http-exchange';
import { RemoteAddressBook } from './backends/ipam-api-client/v3-address-book';
import { V3Client } from './backends/ipam-api-client/v3-client';
import { V3RecordView } from './backends/ipam-api-client/v3-record-view';
import { IpamError, isIpamError } from './errors/ipam-error';
import type { ClusterAccess } from './on-cluster';
import type { AddressBook } from './ports/address-book';
import type { RecordView } from './ports/record-view';
import { OPTIONS, type Settings } from './settings/options';
import type { Tools } from './surroundings';

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
 * @param settings - URL, token, CA
 * @param tools - clock, logger, meter
 * @param access - the cluster, for its identity
 * @returns the record; nothing was asked of the server yet, which may be away
 * @throws IpamError `settings/invalid` for a file that cannot be read, or a setting that belongs to the other operator; and what
 *   the cluster throws
 */
export async function openFarRecord(
  settings: Settings,
  { clock, logger }: Tools,
  access: Pick<ClusterAccess, 'clusterUid'>,
): Promise<FarRecord> {
  refuseOthersWork(settings);
  const { ipamApiUrl: url, ipamApiTokenFile, admissionDeadlineSeconds } = settings;
  const token = (): string => textOf(OPTIONS.ipamApiTokenFile.flag, ipamApiTokenFile).trim();
  const tls = trustIn(settings);
  atStart(() => {
    token();
    tls();
  });
  const clusterUid = await access.clusterUid();
  const callMs = Math.min(MOST_CALL_MS, Math.max(SPARE_MS, admissionDeadlineSeconds * 1_000 - SPARE_MS));
  const headers = () => ({ authorization: `Bearer ${token()}` });
  const client = new V3Client({ target: { url }, clock, tls, headers, callMs });
  const book = new RemoteAddressBook({ client, clusterUid, clock, logger });
  const view = new V3RecordView({ client, clusterUid, clock });
  return {
    view,
    book: view.heardOn(book),
    close: () => {
      book.close();
      client.close();
    },
  };
}

// One place only reads the stream, keeps which events were done, and may end what other clusters hold: that of the record.
function refuseOthersWork({ cleanupEventsUrl, ipamApiBindAddress }: Settings): void {
  const wrong =
    cleanupEventsUrl !== ''
      ? OPTIONS.cleanupEventsUrl.flag
      : ipamApiBindAddress !== undefined
        ? OPTIONS.ipamApiBindAddress.flag
        : undefined;
  if (wrong === undefined) return;
  const message = `${wrong}: there is no record here with ${OPTIONS.ipamApiUrl.flag}; give it to the operator that keeps the record`;
  throw new IpamError('settings/invalid', message);
}

// Read at each try, so that a new CA counts at once; the same text stays the same object, so that connections are kept.
function trustIn({ ipamApiCaFile: path }: Settings): () => ExchangeTls {
  let trust: ExchangeTls = {};
  return () => {
    if (path === '') return trust;
    const ca = textOf(OPTIONS.ipamApiCaFile.flag, path);
    return ca === trust.ca ? trust : (trust = { ca });
  };
}

// A file that is missing ends the start; later it is as if the server was away, until the file is back.
function atStart(read: () => void): void {
  try {
    read();
  } catch (thrown) {
    if (!isIpamError(thrown)) throw thrown;
    throw new IpamError('settings/invalid', thrown.message, { cause: thrown });
  }
}

function textOf(flag: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new IpamError('store/unavailable', `${flag}: the file "${path}" cannot be read (${code})`, { cause });
  }
  if (text.trim() === '') throw new IpamError('store/unavailable', `${flag}: the file "${path}" is empty`);
  return text;
}
