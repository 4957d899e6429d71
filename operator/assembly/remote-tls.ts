import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ExchangeTls } from '../backends/ipam-api-client/api-exchange';
import { IpamError, isIpamError } from '../errors/ipam-error';
import type { Logger } from '../ports/logger';
import { checkPair } from '../server/serving-certificate';
import { OPTIONS, type Settings } from '../settings/options';

/** Names in a Secret of type kubernetes.io/tls. */
const [CERTIFICATE, KEY] = ['tls.crt', 'tls.key'];

/** Settings that secure the connections to an IPAM-API elsewhere. */
export type RemoteTlsSettings = Pick<Settings, 'ipamApiCaFile' | 'ipamApiLoginCertPath'>;

/**
 * Secures the connections to an IPAM-API elsewhere by the files of the settings, which are read at each try: a new CA and a renewed
 * client certificate count for the next connection. The same texts stay the same object, so that connections are kept.
 *
 * @param settings - CA file and folder of the client certificate, both optional
 * @param logger - told of a renewed certificate, and once of one that cannot be used
 * @returns reads them; throws IpamError `store/unavailable` while a file is missing
 * @throws IpamError `settings/invalid` for a file that cannot be read, or a certificate without its key
 */
export function openRemoteTls(settings: RemoteTlsSettings, logger: Logger): () => ExchangeTls {
  const { ipamApiCaFile, ipamApiLoginCertPath: folder } = settings;
  const pair = folder === '' ? () => ({}) : followPair(folder, logger);
  let now: ExchangeTls = {};
  const read = (): ExchangeTls => {
    const ca = ipamApiCaFile === '' ? {} : { ca: secretText(OPTIONS.ipamApiCaFile.flag, ipamApiCaFile) };
    const next: ExchangeTls = { ...ca, ...pair() };
    return isSame(next, now) ? now : (now = next);
  };
  atStart(read);
  return read;
}

/**
 * Reads a file that a call cannot do without.
 *
 * @param flag - option that names it
 * @param path - where it is
 * @returns its text
 * @throws IpamError `store/unavailable` while it is missing or empty, as if the server was away
 */
export function secretText(flag: string, path: string): string {
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

/**
 * Reads for the first time: what later counts as a server that is away ends the start.
 *
 * @param read - reads files
 * @throws IpamError `settings/invalid`
 */
export function atStart(read: () => unknown): void {
  try {
    read();
  } catch (thrown) {
    if (!isIpamError(thrown)) throw thrown;
    throw new IpamError('settings/invalid', thrown.message, { cause: thrown });
  }
}

// Both files may be read around the moment in which a mount swaps them: then the pair of before stays for that call.
function followPair(folder: string, logger: Logger): () => ExchangeTls {
  const { flag } = OPTIONS.ipamApiLoginCertPath;
  let good: ExchangeTls | undefined;
  let judged: ExchangeTls = {};
  return () => {
    const pair = { cert: secretText(flag, join(folder, CERTIFICATE)), key: secretText(flag, join(folder, KEY)) };
    if (good !== undefined && isSame(pair, judged)) return good;
    judged = pair;
    const checked = checkPair({ certificate: pair.cert, key: pair.key });
    if (!checked.ok) {
      const problem = `"${CERTIFICATE}" and "${KEY}" in "${folder}" cannot be used: ${checked.refusal.message}`;
      if (good === undefined) throw new IpamError('store/unavailable', `${flag}: ${problem}`);
      logger.warn('the client certificate of the IPAM-API was not renewed; the old one stays', { problem });
      return good;
    }
    const { serialNumber: serial, validToDate } = checked.value;
    if (good !== undefined) {
      logger.info('client certificate of the IPAM-API renewed', { serial, notAfter: validToDate.toISOString() });
    }
    return (good = pair);
  };
}

function isSame(a: ExchangeTls, b: ExchangeTls): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}
