import type { ApiClient } from '../cluster/api/api-client';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import { isServedKind } from '../cluster/api/served-kind';
import type { KindDeclaration } from '../contract/crd-manifest';
import { IpamError } from '../errors/ipam-error';

/**
 * Names the resource of a kind.
 *
 * @param kind - its declaration
 * @returns version and plural name
 */
export const resourceOf = ({ group, version, plural }: KindDeclaration<never>) => ({
  apiVersion: `${group}/${version}`,
  resource: plural,
});

/**
 * Makes a writer of objects of one of our kinds.
 *
 * @param client - the API server
 * @param kind - its declaration
 * @returns reads and guarded writes
 */
export const writerOf = (client: ApiClient, kind: KindDeclaration<never>): KubernetesObjectWriter =>
  new KubernetesObjectWriter(client, { ...resourceOf(kind), kind: kind.kind, custom: true });

/**
 * Ends the start where kinds are not installed.
 *
 * @param client - the API server
 * @param flag - that needs them
 * @param kinds - all of them
 * @throws IpamError `settings/invalid`
 */
export async function requireKinds(
  client: ApiClient,
  flag: string,
  kinds: readonly KindDeclaration<never>[],
): Promise<void> {
  for (const { group, version, kind, plural } of kinds) {
    if (await isServedKind(client, { apiVersion: `${group}/${version}`, resource: plural })) continue;
    throw new IpamError(
      'settings/invalid',
      `${flag} needs the kind ${kind} of ${group}/${version}, which is not installed`,
    );
  }
}
