import { EGRESS_KEYS, EGRESS_MARKS } from '../../operator/contract/egress';
import { egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import type { KubeObject, Manifest } from './support/cluster-client';
import { egressAdmissionReady } from './support/egress-admission-ready';
import { A, B, CLAIMS, IPAMS, NAMESPACES, NODES, READY } from './support/egress-scene';
import { eventually } from './support/eventually';
import { applyInstallation, tokenFor } from './support/installation';
import { installOpenShiftKinds } from './support/neighbours';
import { conditionOf } from './support/network-scene';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ASSIGNABLE, assignEgressIps, EGRESS_IP_CRD, EGRESS_IPS, ovnNode } from './support/ovn-kubernetes';
import { unmetUses, unusedGrants, usesUntilNow, type Use } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const [ACCOUNT, IN] = ['ipam-controller-manager', 'ipam-system'];
const USER = `system:serviceaccount:${IN}:${ACCOUNT}`;

let operator: RunningOperator;
let objects: readonly Manifest[] = [];
const plane = useControlPlane({
  audit: true,
  programs: ['openshift-api'],
  prepare: async (control) => {
    ({ objects } = await applyInstallation(control, {
      services: { enabled: false },
      egress: { enabled: true, dataplanes: ['ovn-kubernetes'] },
      certificates: 'self-managed',
    }));
    operator = await startOperator(control, { awaitWebhooks: false });
    await egressAdmissionReady(control);
  },
});
const get = (path: string): Promise<KubeObject> => plane().client.request('GET', path);
const isGone = async (path: string): Promise<boolean> => (await plane().client.attempt('GET', path)).status === 404;
const merge = (path: string, body: object) => plane().client.request('PATCH', path, body, 'merge');

async function node(name: string, subnet: string, labels: Readonly<Record<string, string>>): Promise<void> {
  await plane().client.request('POST', NODES, ovnNode(name, subnet, labels));
  await plane().client.request('PATCH', `${NODES}/${name}/status`, READY, 'merge');
}

async function namespace(name: string, egressIpam: string, list?: string): Promise<void> {
  const annotations = {
    [EGRESS_KEYS.egressIpam]: egressIpam,
    ...(list === undefined ? {} : { [EGRESS_KEYS.addresses]: list }),
  };
  await plane().client.request('POST', NAMESPACES, { metadata: { name, annotations } });
}

const ipam = (name: string, ...entries: readonly object[]) =>
  plane().client.request('POST', IPAMS, egressIpamObject(name, { ...egressSpec(...entries), topologyLabel: 'rack' }));

const addressesIn = async (name: string): Promise<string> => {
  const answer = await plane().client.attempt('GET', `${EGRESS_IPS}/${name}`);
  return answer.status === 404 ? '' : (answer.body.spec?.['egressIPs'] as unknown as string[]).join();
};
const sends = (name: string, list: string) => eventually(async () => (await addressesIn(name)) === list);
const itemsIn = async (name: string): Promise<number> => {
  const items: unknown = (await get(`${EGRESS_IPS}/${name}`)).status?.['items'];
  return Array.isArray(items) ? items.length : 0;
};
const isAvailable = (name: string, is: 'True' | 'False') =>
  eventually(async () => conditionOf(await get(`${IPAMS}/${name}`), 'DataplaneAvailable')?.status === is);
const isCarrier = async (name: string): Promise<boolean> =>
  ASSIGNABLE in ((await get(`${NODES}/${name}`)).metadata.labels ?? {});

test('EG-case-59 EG-case-61 OVN-Kubernetes that is installed after the start is driven without a restart', async () => {
  await node('n1', '10.0.0.100/24', { rack: 'a' });
  await node('n2', '10.0.1.100/24', { rack: 'b' });
  await ipam('bm', A);
  await namespace('a', 'bm');
  await isAvailable('bm', 'False');
  await eventually(
    async () => (await get(`${NAMESPACES}/a`)).metadata.annotations?.[EGRESS_KEYS.addresses] === '10.0.0.1',
  );
  expect(await isCarrier('n1')).toBe(false);

  await plane().client.apply([EGRESS_IP_CRD]);

  await sends('eipam-a', '10.0.0.1');
  await isAvailable('bm', 'True');
  expect([await isCarrier('n1'), await isCarrier('n2')]).toEqual([true, false]);
  expect((await get(`${EGRESS_IPS}/eipam-a`)).metadata).toMatchObject({
    labels: { 'app.kubernetes.io/managed-by': 'ipam-operator' },
    ownerReferences: [{ kind: 'EgressIPAM', name: 'bm' }],
  });
});

test('EG-case-47 nodes are labelled before EgressIPs are made, and what OVN-Kubernetes wrote survives the next patch', async () => {
  const writes = (await usesUntilNow(plane(), USER)).filter(({ status }) => status < 300);
  const first = (is: (use: Use) => boolean): number => writes.findIndex(is);
  const labelled = first(({ verb, resource }) => verb === 'patch' && resource === 'nodes');
  const made = first(({ verb, resource }) => verb === 'create' && resource === 'egressips');
  expect(labelled).toBeGreaterThanOrEqual(0);
  expect(labelled).toBeLessThan(made);

  await assignEgressIps(plane().client);
  expect(await itemsIn('eipam-a')).toBe(1);
  await merge(`${EGRESS_IPS}/eipam-a`, { metadata: { annotations: { 'k8s.ovn.org/egressip-mark': '50001' } } });
  await merge(`${IPAMS}/bm`, { spec: { cidrAssignments: [A, B] } });
  await sends('eipam-a', '10.0.0.1,10.0.1.1');
  const { status, metadata } = await get(`${EGRESS_IPS}/eipam-a`);
  expect(status).toEqual({ items: [{ node: 'n1', egressIP: '10.0.0.1' }] });
  expect(metadata.annotations?.['k8s.ovn.org/egressip-mark']).toBe('50001');
  await eventually(() => isCarrier('n2'));
});

test('EG-case-48 addresses for which there are too few nodes are told', async () => {
  await merge(`${NODES}/n2`, { metadata: { annotations: { 'k8s.ovn.org/node-primary-ifaddr': null } } });
  await assignEgressIps(plane().client);
  await eventually(async () => JSON.stringify((await get(`${IPAMS}/bm`)).status).includes('10.0.1.1'));
  const { status } = await get(`${IPAMS}/bm`);
  expect(JSON.stringify(status)).toContain('on no node');
  await merge(`${NODES}/n2`, {
    metadata: { annotations: { 'k8s.ovn.org/node-primary-ifaddr': '{"ipv4":"10.0.1.100/24"}' } },
  });
  await assignEgressIps(plane().client);
  expect(await itemsIn('eipam-a')).toBe(2);
  await eventually(async () => !JSON.stringify((await get(`${IPAMS}/bm`)).status).includes('on no node'));
});

test('EG-case-49 addresses of EgressIPs of others are not given', async () => {
  const foreign = { egressIPs: ['10.0.0.2'], namespaceSelector: { matchLabels: { team: 'x' } } };
  await plane().client.apply([
    { apiVersion: 'k8s.ovn.org/v1', kind: 'EgressIP', metadata: { name: 'other' }, spec: foreign },
  ]);
  // the watch tells one object after the other
  await plane().client.apply([
    {
      apiVersion: 'k8s.ovn.org/v1',
      kind: 'EgressIP',
      metadata: { name: 'seen' },
      spec: { ...foreign, egressIPs: ['10.0.1.2'] },
    },
  ]);
  await eventually(async () => {
    const { status } = await get(`${IPAMS}/bm`);
    return (status?.['cidrs'] as unknown as { free: string }[])[1]?.free === '12';
  });
  await namespace('b', 'bm');
  await sends('eipam-b', '10.0.0.3,10.0.1.3');
  expect(await addressesIn('other')).toBe('10.0.0.2');
});

test('EG-case-62 an EgressIP of the migration from OpenShift SDN is taken over', async () => {
  const spec = {
    egressIPs: ['10.0.0.7', '10.0.1.7'],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'm' } },
  };
  await plane().client.apply([
    { apiVersion: 'k8s.ovn.org/v1', kind: 'EgressIP', metadata: { name: 'egressip-m' }, spec },
  ]);
  await namespace('m', 'bm', '10.0.0.7,10.0.1.7');
  await eventually(async () => {
    const { metadata } = await get(`${EGRESS_IPS}/egressip-m`);
    return metadata.annotations?.[EGRESS_MARKS.namespace] === 'm';
  });
  expect(await isGone(`${EGRESS_IPS}/eipam-m`)).toBe(true);
});

test('EG-case-67 a pair of both families has an address of each', async () => {
  await node('n6', '10.0.2.100/24', { rack: 'six' });
  await ipam('both', { CIDR: '10.0.2.0/28', labelValue: 'six' }, { CIDR: 'fd00:2::/120', labelValue: 'six' });
  await namespace('six', 'both');
  await sends('eipam-six', '10.0.2.1,fd00:2::1');
  expect(await isCarrier('n6')).toBe(true);
});

test('EG-case-20 without its opt-in a namespace has no EgressIP, and its addresses are free', async () => {
  await merge(`${NAMESPACES}/b`, { metadata: { annotations: { [EGRESS_KEYS.egressIpam]: null } } });
  await eventually(() => isGone(`${EGRESS_IPS}/eipam-b`));
  await eventually(async () => !JSON.stringify((await get(CLAIMS)).items).includes('10.0.0.3'));
  expect((await get(`${NAMESPACES}/b`)).metadata.annotations?.[EGRESS_KEYS.addresses]).toBeUndefined();
});

test('EG-19 the service account writes one label and two annotations of Nodes', async () => {
  const client = plane().client.as(await tokenFor(plane(), IN, ACCOUNT));
  const patch = async (body: object) => (await client.attempt('PATCH', `${NODES}/n1`, body, 'merge')).status;
  const refused = [
    { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } },
    { metadata: { labels: { rack: null } } },
    { metadata: { annotations: { other: 'x' } } },
    { metadata: { finalizers: ['example.com/stays'] } },
    { spec: { unschedulable: true } },
  ];
  const answers: number[] = [];
  for (const body of refused) answers.push(await patch(body));
  expect(answers).toEqual(refused.map(() => 403));
});

test('EG-case-52 the label stays until the last EgressIPAM that needs it is gone, and one by hand for ever', async () => {
  await node('n9', '10.0.9.100/24', { rack: 'nine' });
  await node('hand', '10.0.9.101/24', { rack: 'nine', [ASSIGNABLE]: '' });
  for (const [i, name] of ['one', 'two'].entries()) {
    await ipam(name, { CIDR: `10.0.9.${String(16 * i)}/28`, labelValue: 'nine' });
    await namespace(`of-${name}`, name);
  }
  await eventually(
    async () => (await get(`${NODES}/n9`)).metadata.annotations?.[EGRESS_MARKS.carrierFor] === 'one,two',
  );
  await plane().client.request('DELETE', `${IPAMS}/one`);
  await eventually(() => isGone(`${IPAMS}/one`));
  await eventually(async () => (await get(`${NODES}/n9`)).metadata.annotations?.[EGRESS_MARKS.carrierFor] === 'two');
  expect(await isCarrier('n9')).toBe(true);
  await plane().client.request('DELETE', `${IPAMS}/two`);
  await eventually(() => isGone(`${IPAMS}/two`));
  await eventually(async () => !(await isCarrier('n9')));
  expect(await isCarrier('hand')).toBe(true);
  expect(await isGone(`${EGRESS_IPS}/eipam-of-two`)).toBe(true);
});

test('EG-case-50 in a cloud the capacity of a node is that of its machine', async () => {
  await installOpenShiftKinds(plane());
  const config = [{ interface: 'eni', ifaddr: { ipv4: '10.0.0.0/24' }, capacity: { ipv4: 14, ipv6: 15 } }];
  const annotations = { 'cloud.network.openshift.io/egress-ipconfig': JSON.stringify(config) };
  await merge(`${NODES}/n1`, { metadata: { annotations } });
  const told = /egressip_ip_capacity\{[^}]*node="n1"[^}]*\} 15\b/u;
  expect(await eventually(async () => told.test(await operator.metrics()))).toBe(true);
});

test('EG-case-58 HostSubnets on a cluster of OVN-Kubernetes change nothing', async () => {
  const status = { networkType: 'OVNKubernetes' };
  await plane().client.request('POST', '/apis/config.openshift.io/v1/networks', {
    apiVersion: 'config.openshift.io/v1',
    kind: 'Network',
    metadata: { name: 'cluster' },
    spec: {},
    status,
  });
  await operator.restart();
  await isAvailable('bm', 'True');
  await namespace('late', 'bm');
  expect(await eventually(async () => (await addressesIn('eipam-late')) !== '')).toBe(true);
});

test('the rights of the door are enough, and it asks for no others', async () => {
  await operator.stop();
  // what two writers at the same time need: a Node is read again, a claim updated; and Events for the command line
  const rare = ['get nodes', 'update addressclaims', 'list events'];
  expect(await unmetUses(plane(), objects)).toEqual([]);
  expect(await unusedGrants(plane(), objects, rare)).toEqual([]);
});
