import type { SecretKeyReference } from '../../props-kit/secret-key';
import { folderOfSecret, type FileFolder } from './pod-folders';
import type { ProcessPart } from './process-part';

const HTTPS_PORT = 443;

/** The props that name a server beside the operator, in the order of their parts. */
export const RELATED_SYSTEM_NAMES = ['netbox', 'cleanupEvents', 'splunk'] as const;

/** One of them. */
export type RelatedSystemName = (typeof RELATED_SYSTEM_NAMES)[number];

/** A server beside the operator, as its process and the network see it. */
export interface RelatedSystem extends ProcessPart {
  readonly name: RelatedSystemName;
  /** Port that the Pods must reach. */
  readonly port: number;
}

/**
 * Finds the port that a server is reached at.
 *
 * @param text - its URL, with https
 * @returns that of the URL, else that of HTTPS
 */
export function portOf(text: string): number {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return Number(url?.port) || HTTPS_PORT; // a URL does not name the port of its scheme
}

/** Files with which the operator logs in to a server and trusts it. */
export interface LoginFiles {
  readonly token?: FileFolder | undefined;
  readonly ca?: FileFolder | undefined;
  readonly folders: readonly FileFolder[];
}

/**
 * Mounts token and CA of a server.
 *
 * @param name - with which the names of the volumes begin
 * @param secrets - as given to the operator
 * @returns one folder for each that is given
 */
export function loginFiles(
  name: string,
  { token, ca }: { readonly token: SecretKeyReference | undefined; readonly ca: SecretKeyReference | undefined },
): LoginFiles {
  const login = token && folderOfSecret(`${name}-token`, `/etc/ipam-${name}/token`, { key: 'token', ...token });
  const trust = ca && folderOfSecret(`${name}-ca`, `/etc/ipam-${name}/ca`, { key: 'ca.crt', ...ca });
  return { token: login, ca: trust, folders: [login, trust].filter((folder) => folder !== undefined) };
}
