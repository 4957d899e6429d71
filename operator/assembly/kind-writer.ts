import type { ApiClient } from '../cluster/api/api-client';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import type { KindDeclaration } from '../contract/crd-manifest';

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
