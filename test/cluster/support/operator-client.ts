import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import type { ApiClient } from '../../../operator/cluster/api/api-client';
import { openKubeClient } from '../../../operator/cluster/api/kube-client';
import type { IpamOperatorProps } from '../../../constructs';
import { synthesized } from '../../support/operator-objects';
import { RecordedLogger } from '../../support/recorded-telemetry';
import type { Manifest } from './cluster-client';
import type { ControlPlane } from './control-plane';

const ACCESS = ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const ACCOUNT = '/api/v1/namespaces/ipam-system/serviceaccounts/ipam-controller-manager';

/** The operator's client with the operator's rights, as an installation declares them; the plane closes it. */
export async function openOperatorClient(
  plane: ControlPlane,
  props: Partial<IpamOperatorProps> = {},
): Promise<ApiClient> {
  const objects = synthesized(props) as unknown as readonly Manifest[];
  const access = objects.filter(({ kind }) => ACCESS.includes(kind));
  const places = new Set(access.flatMap(({ metadata: { namespace } }) => namespace ?? []));
  await plane.client.apply([...places].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  await plane.client.apply(access);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await plane.client.request('POST', `${ACCOUNT}/token`, request);
  const kubeconfig = plane.kubeconfigOf('operator', String(status?.['token']));
  const client = await openKubeClient({ kubeconfig, clock: SYSTEM_CLOCK, logger: new RecordedLogger() });
  plane.onStop(() => client.close());
  return client;
}
