import { rmSync } from 'node:fs';
import type { Access, ClusterClient, Json } from './cluster-client';
import { eventually } from './eventually';

/** Families of Services; of `dual` IPv4 is the first. */
export type Families = 'v4' | 'v6' | 'dual';

/** Objects that tests leave in a cluster, in the order in which they are taken away: nothing may call a server that has ended. */
const LEFT_BEHIND = [
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
] as const;
const GONE_MS = 120_000;

const decoded = (text: Json | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');

function userOf(user: Json | undefined): Omit<Access, 'url' | 'ca'> | undefined {
  if (user?.['token'] !== undefined) return { token: user['token'] };
  const [certificate, key] = [decoded(user?.['client-certificate-data']), decoded(user?.['client-key-data'])];
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

/** Reads what `kubectl config view --raw --minify --flatten -o json` prints. */
export function accessOf(view: string): Access {
  const config = JSON.parse(view) as Json;
  const cluster = config['clusters']?.[0]?.['cluster'];
  const [url, ca] = [cluster?.['server'], decoded(cluster?.['certificate-authority-data'])];
  const user = userOf(config['users']?.[0]?.['user']);
  if (url === undefined || ca === undefined || user === undefined)
    throw new RangeError(
      'IPAM_TEST_KUBECONFIG needs a server with its CA, and a user with a token or a client certificate',
    );
  return { url, ca, ...user };
}

async function namesIn(client: ClusterClient, collection: string): Promise<readonly string[]> {
  const { items = [] } = await client.request('GET', collection);
  return items.map(({ metadata }) => metadata.name);
}

/**
 * Notes what is in a cluster that is not ours.
 *
 * @returns takes away what has come since, and waits until it is gone
 */
export async function leaveAsFound(client: ClusterClient): Promise<() => Promise<void>> {
  const found = new Map<string, readonly string[]>();
  for (const collection of LEFT_BEHIND) found.set(collection, await namesIn(client, collection));
  const news = async (collection: string): Promise<readonly string[]> =>
    (await namesIn(client, collection)).filter((name) => found.get(collection)?.includes(name) === false);
  return async () => {
    for (const collection of LEFT_BEHIND) {
      for (const name of await news(collection)) await client.attempt('DELETE', `${collection}/${name}`);
      await eventually(async () => (await news(collection)).length === 0, GONE_MS);
    }
  };
}

/** A test that needs what a given cluster lacks fails, and says what it needs. */
export async function requireFamilies(client: ClusterClient, families: Families): Promise<void> {
  const { spec } = await client.request('GET', '/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
  const cidrs: readonly string[] = spec?.['cidrs'] ?? [];
  const [first = ''] = cidrs;
  const has: Families = cidrs.length > 1 ? 'dual' : first.includes(':') ? 'v6' : 'v4';
  if (has === families) return;
  const needed = { v4: 'IPv4 only', v6: 'IPv6 only', dual: 'both families' }[families];
  throw new RangeError(`this test needs a cluster with Services of ${needed}, and that of IPAM_TEST_KUBECONFIG is not`);
}

/** Removes a folder; for lists of ends. */
export const removing = (folder: string) => (): void => {
  rmSync(folder, { recursive: true, force: true });
};
