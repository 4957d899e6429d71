import { NODE_EGRESS_ADDRESSES } from '../../operator/contract/egress';
import { CILIUM_CONFIG, CiliumAgents, gatewaysOf, POLICIES } from './support/cilium';
import type { Manifest } from './support/cluster-client';
import { egressAdmissionReady } from './support/egress-admission-ready';
import { A, B, EgressScene, IPAMS, NODES } from './support/egress-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { installCiliumKinds } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { unusedGrants, unmetUses } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

let operator: RunningOperator;
let objects: readonly Manifest[] = [];
let agents: CiliumAgents;
const plane = useControlPlane({
  audit: true,
  programs: ['cilium', 'cilium-1.15'],
  prepare: async (control) => {
    ({ objects } = await applyInstallation(control, {
      services: { enabled: false },
      egress: { enabled: true, dataplanes: ['cilium'] },
      certificates: 'self-managed',
    }));
    operator = await startOperator(control, { awaitWebhooks: false });
    await egressAdmissionReady(control);
    agents = new CiliumAgents(control.client);
  },
});
const scene = new EgressScene(plane);

/** Configures a node with addresses, and tells so by its annotation. */
async function puts(node: string, ...addresses: readonly string[]): Promise<void> {
  agents.interfaces.set(node, addresses);
  await scene.annotate(`${NODES}/${node}`, NODE_EGRESS_ADDRESSES, addresses.join());
}

const gateways = async (name: string): Promise<string> => {
  const answer = await plane().client.attempt('GET', `${POLICIES}/${name}`);
  if (answer.status === 404) return '';
  return gatewaysOf(answer.body)
    .map(({ host, address }) => `${address}@${host}`)
    .join();
};
const sends = (name: string, list: string) => eventually(async () => (await gateways(name)) === list);
const leaves = (name: string, ...places: readonly string[]) =>
  eventually(async () => {
    await agents.look();
    return agents.leaving(name).join() === places.join();
  });

test('EG-case-59 EG-case-61 Cilium is driven once its kinds are there and its egress gateway is on', async () => {
  await scene.node('n1', 'a');
  await scene.node('n2', 'a');
  await scene.node('m1', 'b');
  await puts('n1', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4');
  await puts('m1', '10.0.1.1', '10.0.1.2', '10.0.1.3', '10.0.1.4');
  await scene.ipam('bm', [A]);
  await scene.namespace('a', 'bm');
  await scene.has('a', '10.0.0.1');
  await scene.isAvailable('bm', 'False', 'NoDriver');
  await plane().client.apply([CILIUM_CONFIG({ 'enable-ipv4-egress-gateway': 'true' })]);

  await installCiliumKinds(plane(), 'cilium-1.15');

  await scene.isAvailable('bm', 'True');
  await sends('eipam-a', '10.0.0.1@n1');
  await leaves('eipam-a', '10.0.0.1@n1');
  expect((await scene.get(`${POLICIES}/eipam-a`)).metadata).toMatchObject({
    labels: { 'app.kubernetes.io/managed-by': 'ipam-operator' },
    ownerReferences: [{ kind: 'EgressIPAM', name: 'bm' }],
  });
});

test('EG-case-54 a failed gateway is left once another node has the address, and not before', async () => {
  await scene.fails('n1');
  await scene.shows('bm', 'NoReadyNode');
  expect(await gateways('eipam-a')).toBe('10.0.0.1@n1');

  await puts('n2', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4');

  await sends('eipam-a', '10.0.0.1@n2');
  await leaves('eipam-a', '10.0.0.1@n2');
});

test('an address that comes back on a node carries traffic again', async () => {
  await puts('n2');
  await scene.shows('bm', 'NoReadyNode');
  await eventually(async () => {
    await agents.look();
    return agents.leaving('eipam-a').length === 0;
  });

  await puts('n2', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4');

  await leaves('eipam-a', '10.0.0.1@n2');
  expect(await gateways('eipam-a')).toBe('10.0.0.1@n2');
});

test('EG-case-53 without a list of gateways one address is active: that of the first CIDR with a usable node', async () => {
  await scene.merge(`${IPAMS}/bm`, { spec: { cidrAssignments: [A, B] } });
  await scene.has('a', '10.0.0.1,10.0.1.1');
  await sends('eipam-a', '10.0.0.1@n2');
  await scene.fails('n2');
  await sends('eipam-a', '10.0.1.1@m1');
  expect((await scene.get(`${POLICIES}/eipam-a`)).spec).not.toHaveProperty('egressGateways');
  await scene.recovers('n2');
  await sends('eipam-a', '10.0.0.1@n2');
});

test('EG-case-53 with a list of gateways every placed address is in it', async () => {
  await installCiliumKinds(plane(), 'cilium');
  await sends('eipam-a', '10.0.0.1@n2,10.0.1.1@m1');
  expect(await leaves('eipam-a', '10.0.0.1@n2', '10.0.1.1@m1')).toBe(true);
});

test('EG-case-67 a pair of both families has a policy of each', async () => {
  await scene.node('six', 'six');
  await puts('six', '10.0.2.1', 'fd00:2::1');
  const entries = [
    { CIDR: '10.0.2.0/28', labelValue: 'six' },
    { CIDR: 'fd00:2::/120', labelValue: 'six' },
  ];
  await scene.ipam('both', entries, { exceptDestinations: ['192.0.2.0/24', '2001:db8::/32'] });
  await scene.namespace('six', 'both');
  await sends('eipam-six', '10.0.2.1@six');
  await sends('eipam-six.ipv6', 'fd00:2::1@six');
  const specs = await Promise.all(
    ['eipam-six', 'eipam-six.ipv6'].map(async (name) => (await scene.get(`${POLICIES}/${name}`)).spec),
  );
  expect(specs).toMatchObject([
    { destinationCIDRs: ['0.0.0.0/0'], excludedCIDRs: ['192.0.2.0/24'] },
    { destinationCIDRs: ['::/0'], excludedCIDRs: ['2001:db8::/32'] },
  ]);
  await scene.merge(`${IPAMS}/both`, { spec: { exceptDestinations: null } });
  await eventually(async () => (await scene.get(`${POLICIES}/eipam-six.ipv6`)).spec?.['excludedCIDRs'] === undefined);
});

test('EG-case-49 addresses of policies of others are not given', async () => {
  const gateway = { nodeSelector: { matchLabels: { rack: 'a' } }, egressIP: '10.0.0.2' };
  const selectors = [{ podSelector: { matchLabels: { app: 'x' } } }];
  const spec = { selectors, destinationCIDRs: ['192.0.2.0/24'], egressGateway: gateway };
  const foreign = { apiVersion: 'cilium.io/v2', kind: 'CiliumEgressGatewayPolicy', metadata: { name: 'other' }, spec };
  await plane().client.apply([foreign]);
  await eventually(async () => {
    const { status } = await scene.get(`${IPAMS}/bm`);
    return (status?.['cidrs'] as unknown as { free: string }[])[0]?.free === '12';
  });
  await scene.namespace('b', 'bm');
  await sends('eipam-b', '10.0.0.3@n2,10.0.1.2@m1');
  expect(await gateways('other')).toBe('10.0.0.2@');
});

test('EG-case-20 without its opt-in a namespace has no policy, and its addresses are free', async () => {
  await scene.optOut('b');
  await eventually(() => scene.isGone(`${POLICIES}/eipam-b`));
  expect(await scene.released('10.0.0.3')).toBe(true);
});

test('EG-case-25 with its EgressIPAM go the policies of its namespaces', async () => {
  await plane().client.request('DELETE', `${IPAMS}/both`);
  await eventually(() => scene.isGone(`${IPAMS}/both`));
  for (const name of ['eipam-six', 'eipam-six.ipv6'])
    expect(await eventually(() => scene.isGone(`${POLICIES}/${name}`))).toBe(true);
});

test('the rights of the door are enough, and it asks for no others', async () => {
  await operator.stop();
  expect(await unmetUses(plane(), objects)).toEqual([]);
  // what two writers at the same time need, Events for the command line, and kinds that OpenShift alone serves
  const openShift = ['infrastructures', 'networks'].flatMap((kind) => [`list ${kind}`, `watch ${kind}`]);
  const rare = ['update addressclaims', 'list events', ...openShift];
  expect(await unusedGrants(plane(), objects, rare)).toEqual([]);
});
