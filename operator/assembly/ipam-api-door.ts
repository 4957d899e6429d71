import { openClientCaFile } from '../backends/files/client-ca-file';
import { openClientsFile } from '../backends/files/clients-file';
import type { FollowedFile } from '../backends/files/followed-file';
import { clientLogin, type ClientSource } from '../front-doors/ipam-api/v3/authenticator';
import type { IpamApiV3Parts } from '../front-doors/ipam-api/v3/parts';
import { registerIpamApiV3 } from '../front-doors/ipam-api/v3/v3-routes';
import type { Clock } from '../ports/clock';
import type { FreedLogHost } from '../ports/freed-log';
import type { Logger } from '../ports/logger';
import type { WebServer } from '../server/https-server';
import { OPTIONS, type Settings } from '../settings/options';

interface Tools {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Who may call version 3 of the IPAM-API. */
export interface ApiLogins extends ClientSource {
  /** CA certificates that client certificates are trusted by; absent: none is asked for. */
  readonly clientCa?: Pick<FollowedFile<string>, 'current' | 'onChange'>;
  close(): void;
}

/**
 * Opens the logins of the IPAM-API.
 *
 * @param settings - files of clients and of their CA
 * @param tools - clock and logger
 * @returns the logins; without a clients file nobody may call
 * @throws IpamError `settings/invalid`
 */
export async function openApiLogins(
  settings: Pick<Settings, 'ipamApiBindAddress' | 'ipamApiClientsFile' | 'ipamApiClientCaFile'>,
  tools: Tools,
): Promise<ApiLogins> {
  const { ipamApiBindAddress, ipamApiClientsFile: path, ipamApiClientCaFile: caPath } = settings;
  if (ipamApiBindAddress === undefined || path === '') return { current: () => [], close: () => undefined };
  const file = await openClientsFile({ path, ...tools });
  const ca = caPath === '' ? undefined : await openCa(caPath, tools, file);
  return {
    current: () => file.current(),
    ...(ca === undefined ? {} : { clientCa: ca }),
    close: () => {
      void file.close();
      void ca?.close();
    },
  };
}

/**
 * Opens version 3 of the IPAM-API on its server.
 *
 * @param server - that does not listen yet
 * @param parts - book, registry, zones, tools
 * @param logins - who may call
 */
export function openVersion3(server: WebServer, parts: IpamApiV3Parts, logins: ApiLogins): void {
  registerIpamApiV3(server.app, parts, clientLogin(logins, parts.clock));
}

/**
 * Finds the log of freed addresses that outlives a process.
 *
 * @param record - the store itself
 * @returns the log, as a part of version 3; nothing where the store has none
 */
export function freedLogOf(record: object): Pick<IpamApiV3Parts, 'freedLog'> {
  return hasFreedLog(record) ? { freedLog: record.freedLog() } : {};
}

function hasFreedLog(record: object): record is FreedLogHost {
  return 'freedLog' in record;
}

async function openCa(path: string, tools: Tools, clients: { close(): Promise<void> }): Promise<FollowedFile<string>> {
  try {
    return await openClientCaFile({ path, flag: OPTIONS.ipamApiClientCaFile.flag, ...tools });
  } catch (thrown) {
    await clients.close();
    throw thrown;
  }
}
