import type { ClientProps } from '../../contract/ipam-api/v3/clients';
import { parseClientsText } from '../../contract/ipam-api/v3/clients-text';
import { FollowedFile } from './followed-file';
import type { Tools } from '../../ports/tools';

/** Milliseconds between two looks at the file: the longest time for which a withdrawn token still counts. */
const CLIENTS_FILE_POLL_MS = 5_000;

/** Options of a clients file. */
export interface ClientsFileOptions extends Pick<Tools, 'clock' | 'logger'> {
  /** YAML or JSON file; a mounted Secret or ConfigMap is fine. */
  readonly path: string;
}

/**
 * Reads the clients of the IPAM-API from a file and follows it; an invalid document keeps the last good one.
 *
 * @param options - place, and listeners
 * @returns the clients that may call; another list after each change
 * @throws IpamError `settings/invalid` with every problem when the first document cannot be used
 */
export function openClientsFile({
  path,
  clock,
  logger,
}: ClientsFileOptions): Promise<FollowedFile<readonly ClientProps[]>> {
  return FollowedFile.open({
    paths: [path],
    clock,
    logger,
    pollMs: CLIENTS_FILE_POLL_MS,
    parse: (text) => parseClientsText(text),
    words: { file: 'clients file', content: 'clients' },
    unusable: { code: 'settings/invalid', title: `the clients file "${path}" is not valid` },
  });
}
