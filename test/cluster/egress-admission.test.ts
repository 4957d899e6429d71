import { EGRESS_FORCE, EGRESS_KEYS } from '../../operator/contract/egress';
import { EGRESS_IPAM } from '../../operator/contract/kinds/egress-ipam';
import { WEBHOOK_NAMES } from '../../operator/contract/group';
import { egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import type { ClusterClient } from './support/cluster-client';
import { IPAMS, NAMESPACES } from './support/egress-scene';
import { eventually } from './support/eventually';
import { applyInstallation, tokenFor } from './support/installation';
import { startOperator, type RunningOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

const CONFIG = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const RBAC = 'rbac.authorization.k8s.io';
const NET = { CIDR: '192.0.2.0/29', labelValue: 'a' };
const NORTH = { CIDR: '198.51.100.0/29', labelValue: 'b' };

let operator: RunningOperator;
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, {
      services: { enabled: false },
      egress: { enabled: true },
      certificates: 'self-managed',
    });
    operator = await startOperator(control, { awaitWebhooks: false });
    await webhooksTrusted(control.client);
  },
});

/** Waits until the operator has put its CA into the webhooks, and the API server calls them. */
async function webhooksTrusted(client: ClusterClient): Promise<void> {
  await eventually(async () => {
    const tried = await client.attempt('POST', `${IPAMS}?dryRun=All`, ipamOf('try', { CIDR: '203.0.113.0/29' }));
    return tried.status === 201;
  });
}

const ipamOf = (name: string, entry: object, metadata: object = {}) =>
  egressIpamObject(name, { ...egressSpec({ labelValue: 'a', ...entry }), dataplane: 'none' }, metadata);

const namespaceOf = (name: string, egressIpam?: string, list?: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    annotations: {
      other: 'stays',
      ...(egressIpam === undefined ? {} : { [EGRESS_KEYS.egressIpam]: egressIpam }),
      ...(list === undefined ? {} : { [EGRESS_KEYS.addresses]: list }),
    },
  },
});

/** A tenant who may make and annotate namespaces, and may use the EgressIPAMs that are given. */
async function tenant(name: string, ...egressIpams: readonly string[]): Promise<ClusterClient> {
  const rules = [
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'create', 'patch', 'update'] },
    { apiGroups: [''], resources: ['namespaces/status'], verbs: ['patch'] },
    ...(egressIpams.length === 0
      ? []
      : [{ apiGroups: [EGRESS_IPAM.group], resources: ['egressipams'], resourceNames: egressIpams, verbs: ['use'] }]),
  ];
  const subject = { kind: 'ServiceAccount', name, namespace: 'default' };
  await plane().client.apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } },
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [subject],
    },
  ]);
  return plane().client.as(await tokenFor(plane(), 'default', name));
}

const listed = async (name: string): Promise<string | undefined> =>
  (await plane().client.request('GET', `${NAMESPACES}/${name}`)).metadata.annotations?.[EGRESS_KEYS.addresses];

test('EG-case-65 a tenant opts a namespace in with the right to use the EgressIPAM, and not without', async () => {
  await plane().client.request('POST', IPAMS, ipamOf('bm', NET));
  const [member, stranger] = [await tenant('member', 'bm'), await tenant('stranger')];

  const refused = await stranger.attempt('POST', NAMESPACES, namespaceOf('taken', 'bm'));
  expect([refused.status, refused.body.message]).toEqual([
    403,
    expect.stringContaining('needs the right to use egressipams.redhatcop.redhat.io "bm"'),
  ]);
  expect((await stranger.attempt('POST', NAMESPACES, namespaceOf('plain'))).status).toBe(201);
  for (const path of ['plain', 'plain/status']) {
    const patch = { metadata: { annotations: { [EGRESS_KEYS.egressIpam]: 'bm' } } };
    expect((await stranger.attempt('PATCH', `${NAMESPACES}/${path}`, patch, 'merge')).status).toBe(403);
  }

  expect((await member.attempt('POST', NAMESPACES, namespaceOf('shop', 'bm'))).status).toBe(201);
  // the operator writes the list, for which it needs no such right
  await eventually(async () => (await listed('shop')) === '192.0.2.1');
  const label = { metadata: { labels: { team: 'a' } } };
  expect((await stranger.attempt('PATCH', `${NAMESPACES}/shop`, label, 'merge')).status).toBe(200);
});

test('EG-case-17 a wrong list is refused with its reason, and a dry run as well', async () => {
  const { client } = plane();
  for (const query of ['', '?dryRun=All']) {
    const answer = await client.attempt('POST', `${NAMESPACES}${query}`, namespaceOf('thief', 'bm', '192.0.2.1'));
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining('(AddressInUse)')]);
  }
  expect((await client.attempt('POST', NAMESPACES, namespaceOf('wish', 'bm', '192.0.2.5'))).status).toBe(201);
  await eventually(async () => JSON.stringify(await client.request('GET', `${IPAMS}/bm`)).includes('"assigned":2'));
});

test('EG-case-15 EG-27 a CIDR with holders stays unless it is forced, and no CIDR of others is taken', async () => {
  const { client } = plane();
  const cidrs = (...entries: readonly object[]) => ({ spec: { cidrAssignments: entries } });
  const patch = (body: object) => client.attempt('PATCH', `${IPAMS}/bm`, body, 'merge');
  const refused = await patch(cidrs({ ...NORTH }));
  expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining('192.0.2.1 of Namespace shop')]);
  const overlapping = await client.attempt('POST', IPAMS, ipamOf('second', { CIDR: '192.0.2.4/30' }));
  expect([overlapping.status, overlapping.body.message]).toEqual([422, expect.stringContaining('EgressIPAM bm')]);
  const [services] = (await client.request('GET', '/apis/networking.k8s.io/v1/servicecidrs')).items ?? [];
  const [CIDR] = (services?.spec?.['cidrs'] ?? []) as unknown as readonly string[];
  const cluster = await client.attempt('POST', IPAMS, ipamOf('third', { CIDR }));
  expect([cluster.status, cluster.body.message]).toEqual([422, expect.stringContaining('ServiceCIDR/kubernetes')]);

  const forced = { metadata: { annotations: { [EGRESS_FORCE]: 'true' } }, ...cidrs({ ...NORTH }) };
  expect((await patch(forced)).status).toBe(200);
  await eventually(async () => (await listed('shop')) === '198.51.100.1');
});

test('a broken operator stops no namespace under the policy Ignore, and no EgressIPAM from being deleted', async () => {
  const { client } = plane();
  await operator.kill();

  expect((await client.attempt('POST', NAMESPACES, namespaceOf('other'))).status).toBe(201);
  expect((await client.attempt('POST', NAMESPACES, namespaceOf('late', 'bm'))).status).toBe(201);
  expect((await client.attempt('POST', IPAMS, ipamOf('fourth', { CIDR: '203.0.113.8/29' }))).status).toBe(500);
  expect((await client.attempt('DELETE', `${IPAMS}/bm?dryRun=All`)).status).toBe(200);

  // as with whenUnavailable: deny, which concerns those namespaces alone that set an annotation
  const fail = [{ op: 'replace', path: '/webhooks/2/failurePolicy', value: 'Fail' }];
  await client.request('PATCH', `${CONFIG}/${WEBHOOK_NAMES.egressConfiguration}`, fail, 'json');
  await eventually(
    async () => (await client.attempt('POST', `${NAMESPACES}?dryRun=All`, namespaceOf('refused', 'bm'))).status === 500,
  );
  expect((await client.attempt('POST', NAMESPACES, namespaceOf('free'))).status).toBe(201);
});
