import { crdManifest, type KindDeclaration } from '../../../operator/contract/crd-manifest';
import type { ClusterClient } from './cluster-client';

/** Installs the CRDs of some kinds and waits until the API server serves them. */
export async function installKinds(client: ClusterClient, kinds: readonly KindDeclaration<never>[]): Promise<void> {
  await client.apply(kinds.map((kind) => crdManifest(kind)));
}
