import type { ClusterClient } from './cluster-client';

/** Deletes an object that stays when an installation goes, as an administrator does who means it. */
export async function deleteKept(client: ClusterClient, path: string): Promise<void> {
  const annotations = { 'helm.sh/resource-policy': null };
  await client.request('PATCH', path, { metadata: { annotations } }, 'merge');
  await client.request('DELETE', path);
}
