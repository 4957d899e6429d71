import type { ClusterClient } from './cluster-client';
import type { ControlPlane } from './control-plane';
import { tokenFor } from './installation';

const RBAC = 'rbac.authorization.k8s.io';

/** A ServiceAccount. */
interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** Makes a ServiceAccount that may do everything, as far as policies let it. */
export async function makeAdministrator({ client }: Pick<ControlPlane, 'client'>, account: Account): Promise<void> {
  await client.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: account.namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...account } },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `${account.namespace}-admin` },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ]);
}

/** Calls of a ServiceAccount, until the end of the control plane. */
export async function clientOf(plane: ControlPlane, { namespace, name }: Account): Promise<ClusterClient> {
  const client = plane.client.as(await tokenFor(plane, namespace, name));
  plane.onStop(() => {
    client.close();
  });
  return client;
}
