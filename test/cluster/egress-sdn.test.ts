import { EGRESS_KEYS, EGRESS_MARKS } from '../../operator/contract/egress';
import { egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import type { KubeObject, Manifest } from './support/cluster-client';
import { egressAdmissionReady } from './support/egress-admission-ready';
import { A, B, CLAIMS, IPAMS, NAMESPACES, NODES, READY } from './support/egress-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { installOpenShiftKinds } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { unmetUses } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const SDN = { apiVersion: 'network.openshift.io/v1' } as const;
const HOST_SUBNETS = `/apis/${SDN.apiVersion}/hostsubnets`;
const NET_NAMESPACES = `/apis/${SDN.apiVersion}/netnamespaces`;

let operator: RunningOperator;
let objects: readonly Manifest[] = [];
const plane = useControlPlane({
  audit: true,
  programs: ['openshift-api'],
  prepare: async (control) => {
    const { client } = control;
    await installOpenShiftKinds(control);
    const network = { apiVersion: 'config.openshift.io/v1', kind: 'Network', metadata: { name: 'cluster' } };
    const status = { networkType: 'OpenShiftSDN' };
    await client.request('POST', '/apis/config.openshift.io/v1/networks', { ...network, spec: {}, status });
    const infrastructure = { ...network, kind: 'Infrastructure', spec: {} };
    await client.request('POST', '/apis/config.openshift.io/v1/infrastructures', infrastructure);
    const bare = { status: { platform: 'BareMetal', platformStatus: { type: 'BareMetal' } } };
    await client.request('PATCH', '/apis/config.openshift.io/v1/infrastructures/cluster/status', bare, 'merge');
    ({ objects } = await applyInstallation(control, {
      services: { enabled: false },
      egress: { enabled: true, dataplanes: ['openshift-sdn'] },
      certificates: 'self-managed',
    }));
    operator = await startOperator(control, { awaitWebhooks: false });
    await egressAdmissionReady(control);
  },
});
const get = (path: string): Promise<KubeObject & Readonly<Record<string, unknown>>> =>
  plane().client.request('GET', path) as Promise<KubeObject & Readonly<Record<string, unknown>>>;
const merge = (path: string, body: object) => plane().client.request('PATCH', path, body, 'merge');

/** A node, and what the SDN makes for it. */
async function node(name: string, rack: string, hostIP?: string): Promise<void> {
  const { client } = plane();
  await client.request('POST', NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { rack } } });
  await client.request('PATCH', `${NODES}/${name}/status`, READY, 'merge');
  if (hostIP === undefined) return;
  const object = { ...SDN, kind: 'HostSubnet', metadata: { name }, host: name, hostIP, subnet: '10.128.0.0/23' };
  await client.request('POST', HOST_SUBNETS, object);
}

/** A namespace; the SDN makes the other object a moment later. */
async function namespace(name: string, egressIpam: string): Promise<void> {
  const annotations = { [EGRESS_KEYS.egressIpam]: egressIpam };
  await plane().client.request('POST', NAMESPACES, { metadata: { name, annotations } });
  await eventually(
    async () => (await get(`${NAMESPACES}/${name}`)).metadata.annotations?.[EGRESS_KEYS.addresses] !== undefined,
  );
  const object = { ...SDN, kind: 'NetNamespace', metadata: { name }, netname: name, netid: 7 };
  await plane().client.request('POST', NET_NAMESPACES, object);
}

const ipam = (name: string, ...entries: readonly object[]) =>
  plane().client.request('POST', IPAMS, egressIpamObject(name, { ...egressSpec(...entries), topologyLabel: 'rack' }));
const listOf = async (path: string, field: string): Promise<string> => {
  const list = (await get(path))[field] as readonly string[] | undefined;
  return [...(list ?? [])].join();
};
const has = (path: string, field: string, list: string) => eventually(async () => (await listOf(path, field)) === list);

test('EG-case-1 with one CIDR the SDN distributes the addresses over the nodes of the group', async () => {
  await node('n1', 'a', '10.0.0.14');
  await node('n2', 'a', '192.0.2.12');
  await node('other', 'c', '192.0.2.13');
  await ipam('bm', A);
  await namespace('a', 'bm');
  await has(`${NET_NAMESPACES}/a`, 'egressIPs', '10.0.0.1');
  for (const name of ['n1', 'n2']) await has(`${HOST_SUBNETS}/${name}`, 'egressCIDRs', '10.0.0.0/28');
  expect(await get(`${HOST_SUBNETS}/n1`)).not.toHaveProperty('egressIPs');
  expect(await get(`${HOST_SUBNETS}/other`)).not.toHaveProperty('egressCIDRs');
  expect(await get(`${NET_NAMESPACES}/a`)).toMatchObject({ netname: 'a', netid: 7 });
  expect((await get(`${NET_NAMESPACES}/a`)).metadata).not.toHaveProperty('ownerReferences');
});

test('EG-case-12 W-43 with a second CIDR the door places the addresses, and no CIDR is left', async () => {
  await node('n3', 'b', '192.0.2.14');
  // as the SDN did
  await merge(`${HOST_SUBNETS}/n2`, { egressIPs: ['10.0.0.1'] });
  await merge(`${IPAMS}/bm`, { spec: { cidrAssignments: [A, B] } });
  await has(`${NET_NAMESPACES}/a`, 'egressIPs', '10.0.0.1,10.0.1.1');
  await has(`${HOST_SUBNETS}/n3`, 'egressIPs', '10.0.1.1');
  for (const name of ['n1', 'n2', 'n3']) await has(`${HOST_SUBNETS}/${name}`, 'egressCIDRs', '');
  // where it was, it stays
  await has(`${HOST_SUBNETS}/n2`, 'egressIPs', '10.0.0.1');
  expect(await listOf(`${HOST_SUBNETS}/n1`, 'egressIPs')).toBe('');
  expect((await get(`${HOST_SUBNETS}/n2`)).metadata.annotations?.[EGRESS_MARKS.carries]).toBe('10.0.0.1');
});

test('EG-39 a node without a HostSubnet is left out, and a node that is not ready loses its addresses to another one', async () => {
  await node('bare', 'a');
  const down = [{ ...READY.status.conditions[0], status: 'Unknown' }];
  await merge(`${NODES}/n2/status`, { status: { conditions: down } });
  await has(`${HOST_SUBNETS}/n1`, 'egressIPs', '10.0.0.1');
  await has(`${HOST_SUBNETS}/n2`, 'egressIPs', '');
  expect(await listOf(`${NET_NAMESPACES}/a`, 'egressIPs')).toBe('10.0.0.1,10.0.1.1');
});

test('EG-case-20 without its opt-in a namespace has no addresses anywhere', async () => {
  await merge(`${NAMESPACES}/a`, { metadata: { annotations: { [EGRESS_KEYS.egressIpam]: null } } });
  await has(`${NET_NAMESPACES}/a`, 'egressIPs', '');
  for (const name of ['n1', 'n3']) await has(`${HOST_SUBNETS}/${name}`, 'egressIPs', '');
  await eventually(async () => (await get(CLAIMS)).items?.length === 0);
  expect((await get(`${NET_NAMESPACES}/a`)).metadata.annotations ?? {}).toEqual({});
});

test('the rights of the door are enough, and it asks for no others', async () => {
  await operator.stop();
  expect(await unmetUses(plane(), objects)).toEqual([]);
});
