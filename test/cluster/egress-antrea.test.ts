import { EGRESS_MARKS } from '../../operator/contract/egress';
import { ANTREA_CRDS, AntreaWebhook, assignEgresses, EGRESSES, POOLS } from './support/antrea';
import { CILIUM_CONFIG } from './support/cilium';
import type { Manifest } from './support/cluster-client';
import { egressAdmissionReady } from './support/egress-admission-ready';
import { A, B, EgressScene, IPAMS } from './support/egress-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { installCiliumKinds } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { OPERATOR_USER, unmetUses, unusedGrants, usesUntilNow } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

let operator: RunningOperator;
let objects: readonly Manifest[] = [];
let webhook: AntreaWebhook;
const plane = useControlPlane({
  audit: true,
  programs: ['cilium'],
  prepare: async (control) => {
    await control.client.apply([...ANTREA_CRDS, CILIUM_CONFIG({ 'enable-egress-gateway': 'true' })]);
    await installCiliumKinds(control, 'cilium');
    webhook = new AntreaWebhook(control.client);
    await webhook.start();
    ({ objects } = await applyInstallation(control, {
      services: { enabled: false },
      egress: { enabled: true, dataplanes: ['antrea', 'cilium'] },
      certificates: 'self-managed',
    }));
    operator = await startOperator(control, { awaitWebhooks: false });
    await egressAdmissionReady(control);
  },
});
afterAll(() => webhook.stop());
const scene = new EgressScene(plane);

const [POOL_A, POOL_B] = ['eipam-metal.10.0.0.0-28', 'eipam-metal.10.0.1.0-28'];
const sentFrom = async (name: string): Promise<string> => {
  const { status, body } = await plane().client.attempt('GET', `${EGRESSES}/${name}`);
  return status === 404 ? '' : `${String(body.spec?.['egressIP'])} of ${String(body.spec?.['externalIPPool'])}`;
};
const sends = (name: string, from: string) => eventually(async () => (await sentFrom(name)) === from);
// Antrea says where the addresses are, and the operator shows it.
const shown = async (text: string): Promise<true> => {
  await assignEgresses(plane().client);
  return scene.shows('metal', text);
};
const carries = (name: string, cidr: string, allocated: number) =>
  eventually(async () => {
    const nodes = (await scene.get(`${IPAMS}/metal`)).status?.['nodes'] as unknown as readonly Record<
      string,
      unknown
    >[];
    return nodes.some((node) => node['name'] === name && node['cidr'] === cidr && node['allocated'] === allocated);
  });
const antrea = (kind: string, name: string, spec: object): Manifest => ({
  apiVersion: 'crd.antrea.io/v1beta1',
  kind,
  metadata: { name },
  spec,
});

test('EG-case-60 beside Cilium nothing is written until the EgressIPAM says which', async () => {
  for (const name of ['n1', 'n2']) await scene.node(name, 'a');
  await scene.node('m1', 'b');
  await scene.ipam('open', [{ CIDR: '10.0.9.0/28', labelValue: 'a' }]);
  await scene.namespace('undecided', 'open');
  await scene.has('undecided', '10.0.9.1');
  await scene.isAvailable('open', 'False', 'DataplaneAmbiguous');
  const kinds = ['egresses', 'externalippools', 'ciliumegressgatewaypolicies'];
  const touched = (await usesUntilNow(plane(), OPERATOR_USER)).filter(({ resource }) => kinds.includes(resource));
  expect(touched).toEqual([]);
  await scene.merge(`${IPAMS}/open`, { spec: { dataplane: 'none' } });
});

test('EG-case-55 a namespace has an Egress with its address, in a pool of the CIDR whose nodes are those of the CIDR', async () => {
  await scene.ipam('metal', [{ ...A, reservedIPs: ['10.0.0.1'] }], { dataplane: 'antrea' });
  await scene.namespace('a', 'metal');
  await sends('eipam-a', `10.0.0.2 of ${POOL_A}`);
  const pool = await scene.get(`${POOLS}/${POOL_A}`);
  expect(pool).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'EgressIPAM', name: 'metal' }] },
    spec: {
      ipRanges: [{ start: '10.0.0.0', end: '10.0.0.15' }],
      nodeSelector: {
        matchExpressions: expect.arrayContaining([{ key: 'rack', operator: 'In', values: ['a'] }]) as object,
      },
    },
  });
  await scene.merge(`${IPAMS}/metal`, { spec: { cidrAssignments: [A] } });
  await scene.namespace('first', 'metal');
  await sends('eipam-first', `10.0.0.1 of ${POOL_A}`);
  expect((await scene.get(`${POOLS}/${POOL_A}`)).metadata.resourceVersion).toBe(pool.metadata.resourceVersion);
});

test('Antrea refuses an address outside of the pool, and a range that shrinks', async () => {
  const merge = (path: string, spec: object) => plane().client.attempt('PATCH', path, { spec }, 'merge');
  const outside = await merge(`${EGRESSES}/eipam-a`, { egressIP: '10.0.5.1' });
  const shrunk = await merge(`${POOLS}/${POOL_A}`, { ipRanges: [{ start: '10.0.0.0', end: '10.0.0.7' }] });
  expect([outside.body.message, shrunk.body.message]).toEqual([
    expect.stringContaining('IP 10.0.5.1 is not within the IP range'),
    expect.stringContaining('existing IPRanges [10.0.0.0-10.0.0.15] cannot be deleted'),
  ]);
});

test('EG-case-56 the node that Antrea chose is shown, and the one that it chose after that', async () => {
  expect(await shown('"allocated":2')).toBe(true);
  expect(await carries('n1', '10.0.0.0/28', 2)).toBe(true);
  await scene.fails('n1');
  await assignEgresses(plane().client);
  expect(await carries('n2', '10.0.0.0/28', 2)).toBe(true);
  await scene.recovers('n1');
});

test('EG-case-57 an address that Antrea gave to an Egress of others is not given', async () => {
  const appliedTo = { podSelector: { matchLabels: { app: 'x' } } };
  await plane().client.apply([antrea('Egress', 'foreign', { appliedTo, externalIPPool: POOL_A })]);
  await assignEgresses(plane().client);
  expect(await sentFrom('foreign')).toBe(`10.0.0.3 of ${POOL_A}`);
  await eventually(async () => {
    const { status } = await scene.get(`${IPAMS}/metal`);
    return (status?.['cidrs'] as unknown as { free: string }[])[0]?.free === '11';
  });
  await scene.namespace('b', 'metal');
  await sends('eipam-b', `10.0.0.4 of ${POOL_A}`);
  await plane().client.request('DELETE', `${EGRESSES}/foreign`);
});

test('the first CIDR with a usable node is active, and address and pool change together', async () => {
  await scene.merge(`${IPAMS}/metal`, { spec: { cidrAssignments: [A, B] } });
  await scene.has('a', '10.0.0.2,10.0.1.1');
  expect(await sentFrom('eipam-a')).toBe(`10.0.0.2 of ${POOL_A}`);
  for (const name of ['n1', 'n2']) await scene.fails(name);
  await sends('eipam-a', `10.0.1.1 of ${POOL_B}`);
  await eventually(() => scene.isGone(`${POOLS}/${POOL_A}`));
  for (const name of ['n1', 'n2']) await scene.recovers(name);
  expect(await sends('eipam-a', `10.0.0.2 of ${POOL_A}`)).toBe(true);
  await eventually(() => scene.isGone(`${POOLS}/${POOL_B}`));
});

test('a pool of others in the way is told in the words of Antrea, and is no more once it is gone', async () => {
  const ipRanges = [{ start: '10.0.2.4', end: '10.0.2.5' }];
  await plane().client.apply([antrea('ExternalIPPool', 'theirs', { ipRanges, nodeSelector: {} })]);
  await scene.ipam('late', [{ CIDR: '10.0.2.0/28', labelValue: 'b' }], { dataplane: 'antrea' });
  await scene.namespace('late', 'late');
  expect(await scene.shows('late', 'overlaps with a range of pool theirs')).toBe(true);
  await plane().client.request('DELETE', `${POOLS}/theirs`);
  expect(await sends('eipam-late', '10.0.2.1 of eipam-late.10.0.2.0-28')).toBe(true);
});

test('EG-case-20 without its opt-in a namespace has no Egress, the last one takes its pool along, and addresses are free', async () => {
  await scene.optOut('late');
  await eventually(() => scene.isGone(`${EGRESSES}/eipam-late`));
  await eventually(() => scene.isGone(`${POOLS}/eipam-late.10.0.2.0-28`));
  expect(await scene.released('10.0.2.1')).toBe(true);
});

test('EG-case-27 with Retain an Egress stays with its pool', async () => {
  await scene.merge(`${IPAMS}/metal`, { spec: { deletionPolicy: 'Retain' } });
  await plane().client.request('DELETE', `${IPAMS}/metal`);
  await eventually(() => scene.isGone(`${IPAMS}/metal`));
  for (const path of [`${EGRESSES}/eipam-a`, `${POOLS}/${POOL_A}`]) {
    const { metadata } = await scene.get(path);
    expect(metadata.labels).toMatchObject({ [EGRESS_MARKS.orphan]: 'true' });
    expect(metadata['ownerReferences' as keyof typeof metadata]).toBeUndefined();
  }
});

test('the rights of the door are enough, and it asks for no others', async () => {
  await operator.stop();
  expect(await unmetUses(plane(), objects)).toEqual([]);
  // what two writers at the same time need, Events for the command line, kinds that OpenShift alone serves, limits of Nodes in a cloud, and the policies of Cilium, of which none is asked for
  const openShift = ['infrastructures', 'networks'].flatMap((kind) => [`list ${kind}`, `watch ${kind}`]);
  const rare = ['update addressclaims', 'list events', 'get nodes', 'patch nodes', ...openShift];
  const unused = await unusedGrants(plane(), objects, rare);
  expect(unused.filter((grant) => !grant.includes('ciliumegressgatewaypolicies'))).toEqual([]);
});
