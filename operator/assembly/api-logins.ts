import { openClientCaFile } from '../backends/files/client-ca-file';
import { openClientsFile } from '../backends/files/clients-file';
import type { FollowedFile } from '../backends/files/followed-file';
import type { ClientSource } from '../front-doors/ipam-api/index';
import type { Tools } from '../ports/tools';
import { OPTIONS } from '../settings/options';

type LoginTools = Pick<Tools, 'clock' | 'logger'>;

interface LoginFiles {
  readonly clientsFile: string;
  readonly caFile: string;
}

/** Clients that may call version 3 of the IPAM-API. */
export interface ApiLogins extends ClientSource {
  /** CA certificates that client certificates are trusted by; absent: none is asked for. */
  readonly clientCa?: Pick<FollowedFile<string>, 'current' | 'onChange'>;
  close(): void;
}

/**
 * Opens the logins of the IPAM-API.
 *
 * @param files - clients, and the CA of their certificates
 * @param files.clientsFile - empty: no client may call
 * @param files.caFile - empty: no certificate is asked for
 * @param tools - clock and logger
 * @returns the logins; without a clients file no client may call
 * @throws IpamError `settings/invalid`
 */
export async function openApiLogins(
  { clientsFile: path, caFile: caPath }: LoginFiles,
  { clock, logger }: LoginTools,
): Promise<ApiLogins> {
  if (path === '') return { current: () => [], close: () => undefined };
  const file = await openClientsFile({ path, clock, logger });
  const ca = caPath === '' ? undefined : await openCa(caPath, { clock, logger }, file);
  return {
    current: () => file.current(),
    ...(ca === undefined ? {} : { clientCa: ca }),
    close: () => {
      void file.close();
      void ca?.close();
    },
  };
}

async function openCa(
  path: string,
  tools: LoginTools,
  clients: { close(): Promise<void> },
): Promise<FollowedFile<string>> {
  try {
    return await openClientCaFile({ path, flag: OPTIONS.ipamApiClientCaFile.flag, ...tools });
  } catch (thrown) {
    await clients.close();
    throw thrown;
  }
}
