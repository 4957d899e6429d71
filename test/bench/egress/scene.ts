import { EGRESS_KEYS } from '../../../operator/contract/egress';
import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { EGRESS_IPAM } from '../../../operator/contract/kinds/egress-ipam';
import type { ControlPlane } from '../../cluster/support/control-plane';
import { eventually } from '../../cluster/support/eventually';
import { applyInstallation } from '../../cluster/support/installation';
import { installOpenShiftKinds } from '../../cluster/support/neighbours';
import { EGRESS_IP_CRD, EGRESS_IPS, ovnNode } from '../../cluster/support/ovn-kubernetes';
import { egressIpamObject, egressSpec } from '../../support/egress-kind-samples';
import { inParallel } from '../cluster/services-load';

/** Namespace of the client, whose ServiceAccounts may write AddressClaims. */
export const CLIENT_NAMESPACE = 'bench-client';
export const NAMESPACES = '/api/v1/namespaces';
export const NODES = '/api/v1/nodes';
export const IPAMS = `/apis/${EGRESS_IPAM.group}/${EGRESS_IPAM.version}/${EGRESS_IPAM.plural}`;
const CLAIMS = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;
const SDN = 'network.openshift.io/v1';
export const HOST_SUBNETS = `/apis/${SDN}/hostsubnets`;
export const NET_NAMESPACES = `/apis/${SDN}/netnamespaces`;
const OPENSHIFT = '/apis/config.openshift.io/v1';
const PATIENCE_MS = 600_000;
const RACKS = ['a', 'b', 'c'] as const;
/** CIDRs of an EgressIPAM, one for each rack. */
export const CIDRS = RACKS.length;
const MADE_AT = '2026-01-01T00:00:00Z';

/** Dataplane of a run: OVN-Kubernetes chooses the nodes itself, for OpenShift SDN with several CIDRs the door does. */
export type BenchDataplane = 'ovn-kubernetes' | 'openshift-sdn';

/** State of a node, as the kubelet or the node controller tells it. */
export const readiness = (status: 'True' | 'Unknown') => ({
  status: { conditions: [{ type: 'Ready', status, lastTransitionTime: MADE_AT }] },
});

export const namesOf = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index)}`);

/** Installs the operator, the kinds of a dataplane and the rights of the client. */
export async function installScene(plane: ControlPlane, dataplane: BenchDataplane): Promise<void> {
  const { client } = plane;
  if (dataplane === 'ovn-kubernetes') {
    await client.apply([EGRESS_IP_CRD]);
    // refused for a moment after the kind is established
    await eventually(async () => (await client.attempt('GET', EGRESS_IPS)).status === 200);
  } else await installSdn(plane);
  await applyInstallation(plane, {
    services: { enabled: false },
    certificates: 'self-managed',
    egress: { enabled: true, dataplanes: [dataplane] },
    crds: { breakGlassGroup: `system:serviceaccounts:${CLIENT_NAMESPACE}` },
  });
  const account = { name: 'bare', namespace: CLIENT_NAMESPACE };
  await client.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLIENT_NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'bare' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ]);
}

async function installSdn(plane: ControlPlane): Promise<void> {
  const { client } = plane;
  await installOpenShiftKinds(plane);
  const network = { apiVersion: 'config.openshift.io/v1', kind: 'Network', metadata: { name: 'cluster' } };
  const status = { networkType: 'OpenShiftSDN' };
  await client.request('POST', `${OPENSHIFT}/networks`, { ...network, spec: {}, status });
  await client.request('POST', `${OPENSHIFT}/infrastructures`, { ...network, kind: 'Infrastructure', spec: {} });
  const bare = { status: { platform: 'BareMetal', platformStatus: { type: 'BareMetal' } } };
  await client.request('PATCH', `${OPENSHIFT}/infrastructures/cluster/status`, bare, 'merge');
}

/** Makes nodes in three racks, as the dataplane has prepared them. */
export async function makeNodes({ client }: ControlPlane, dataplane: BenchDataplane, count: number): Promise<void> {
  const names = namesOf('node', count);
  await inParallel(names, async (name) => {
    const index = names.indexOf(name);
    const rack = index % RACKS.length;
    await client.request('POST', NODES, ovnNode(name, `${String(20 + rack)}.255.0.1/8`, { rack: RACKS[rack] ?? '' }));
    await client.request('PATCH', `${NODES}/${name}/status`, readiness('True'), 'merge');
    if (dataplane === 'ovn-kubernetes') return;
    const about = { host: name, hostIP: `192.0.2.${String(index + 1)}`, subnet: '10.128.0.0/23' };
    await client.request('POST', HOST_SUBNETS, { apiVersion: SDN, kind: 'HostSubnet', metadata: { name }, ...about });
  });
}

/** Makes an EgressIPAM with three CIDRs of a length. */
export async function makeEgressIpam({ client }: ControlPlane, name: string, length: number): Promise<void> {
  const entries = RACKS.map((labelValue, index) => ({
    CIDR: `${String(20 + index)}.0.0.0/${String(length)}`,
    labelValue,
  }));
  const spec = { ...egressSpec(...entries), topologyLabel: 'rack' };
  // refused until the API server calls the webhooks of a start that was a moment ago
  await eventually(async () => (await client.attempt('POST', IPAMS, egressIpamObject(name, spec))).status === 201);
}

/** Makes a Namespace that opts in to an EgressIPAM, with what OpenShift SDN makes for it. */
export async function makeNamespace(
  { client }: ControlPlane,
  name: string,
  of: { readonly egressIpam: string; readonly dataplane: BenchDataplane },
): Promise<void> {
  const annotations = { [EGRESS_KEYS.egressIpam]: of.egressIpam };
  await client.request('POST', NAMESPACES, { metadata: { name, annotations, labels: { bench: of.egressIpam } } });
  if (of.dataplane === 'ovn-kubernetes') return;
  const object = { apiVersion: SDN, kind: 'NetNamespace', metadata: { name }, netname: name, netid: 7 };
  await client.request('POST', NET_NAMESPACES, object);
}

/** Deletes the Namespaces of a run while an operator runs, and returns when no claim of theirs is left. */
export async function clearUp({ client }: ControlPlane, egressIpam: string): Promise<void> {
  const { items = [] } = await client.request('GET', `${NAMESPACES}?labelSelector=bench%3D${egressIpam}`);
  await inParallel(
    items.map(({ metadata: { name } }) => name),
    // in place of the namespace controller, which does not run here
    async (name) => {
      await client.request('DELETE', `${NAMESPACES}/${name}`);
      const stored = await client.request('GET', `${NAMESPACES}/${name}`);
      await client.request('PUT', `${NAMESPACES}/${name}/finalize`, { ...stored, spec: { finalizers: [] } });
      await client.attempt('DELETE', `${NET_NAMESPACES}/${name}`);
    },
  );
  await client.attempt('DELETE', `${IPAMS}/${egressIpam}`);
  await client.watchUntilEmpty(CLAIMS, PATIENCE_MS);
  await client.watchUntilEmpty(IPAMS, PATIENCE_MS);
}

/** Takes away what the client wrote, which nothing else gives back. */
export async function clearBare(plane: ControlPlane): Promise<void> {
  const client = ['--as=bench', '--as-group=system:masters', `--as-group=system:serviceaccounts:${CLIENT_NAMESPACE}`];
  for (const kind of ['addressclaims.ipam.vitistack.io', 'egressips.k8s.ovn.org'])
    await plane.kubectl(...client, ...['delete', kind, '--all', '--wait=false']);
  await plane.client.watchUntilEmpty(EGRESS_IPS, PATIENCE_MS);
}
