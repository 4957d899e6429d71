import { EGRESS_FINALIZER, EGRESS_KEYS, OLD_EGRESS_FINALIZER } from '../../operator/contract/egress';
import { SELF_SIGNED_SECRET, WEBHOOK_NAMES } from '../../operator/contract/group';
import { egressIpamObject, egressSpec } from '../support/egress-kind-samples';
import type { KubeObject, Manifest } from './support/cluster-client';
import { egressAdmissionReady } from './support/egress-admission-ready';
import { CLAIMS, IPAMS, NAMESPACES } from './support/egress-scene';
import { eventually } from './support/eventually';
import { IpamCommand } from './support/ipam-command';
import { applyInstallation, tokenFor } from './support/installation';
import { conditionOf } from './support/network-scene';
import { startOperator, type RunningOperator } from './support/operator-process';
import { grantFor, grantsIn, textOf, usesIn } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const [ACCOUNT, IN] = ['ipam-controller-manager', 'ipam-system'];
const WEBHOOKS = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${WEBHOOK_NAMES.egressConfiguration}`;
const NET = { CIDR: '192.0.2.0/29', labelValue: 'a' };
const OPENSHIFT = 'config.openshift.io';
const OPENSHIFT_KINDS = ['Infrastructure', 'Network'].map((kind) => {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${singular}s.${OPENSHIFT}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, of a test' },
    },
    spec: {
      group: OPENSHIFT,
      scope: 'Cluster',
      names: { kind, plural: `${singular}s`, singular },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
});

const command = new IpamCommand();
let operator: RunningOperator;
let objects: readonly Manifest[] = [];
const plane = useControlPlane({
  audit: true,
  prepare: async (control) => {
    // in place of an OpenShift cluster, whose kinds the operator looks for
    await control.client.apply(OPENSHIFT_KINDS);
    ({ objects } = await applyInstallation(control, {
      services: { enabled: false },
      egress: { enabled: true },
      certificates: 'self-managed',
    }));
    operator = await startOperator(control, { awaitWebhooks: false, args: { 'admin-socket': command.socket } });
    await egressAdmissionReady(control);
  },
});

const asksFor = (list: string) => ({
  metadata: { name: 'asks', annotations: { [EGRESS_KEYS.egressIpam]: 'bm', [EGRESS_KEYS.addresses]: list } },
});

const annotationsOf = ({ metadata }: Pick<KubeObject, 'metadata'>) => metadata.annotations ?? {};

async function namespace(name: string, egressIpam: string, list?: string): Promise<void> {
  const annotations = {
    other: 'stays',
    [EGRESS_KEYS.egressIpam]: egressIpam,
    ...(list === undefined ? {} : { [EGRESS_KEYS.addresses]: list }),
  };
  await plane().client.request('POST', NAMESPACES, { metadata: { name, annotations } });
}

// In place of the namespace controller, which does not run here.
async function removeNamespace(name: string): Promise<void> {
  const { client } = plane();
  await client.request('DELETE', `${NAMESPACES}/${name}`);
  const stored = await client.request('GET', `${NAMESPACES}/${name}`);
  await client.request('PUT', `${NAMESPACES}/${name}/finalize`, { ...stored, spec: { finalizers: [] } });
}

const listed = async (name: string): Promise<string | undefined> =>
  annotationsOf(await plane().client.request('GET', `${NAMESPACES}/${name}`))[EGRESS_KEYS.addresses];

const list = (name: string, text: string | null) =>
  plane().client.request(
    'PATCH',
    `${NAMESPACES}/${name}`,
    { metadata: { annotations: { [EGRESS_KEYS.addresses]: text } } },
    'merge',
  );

const has = (name: string, list: string | undefined) => eventually(async () => (await listed(name)) === list);

async function record(): Promise<readonly string[]> {
  const { items = [] } = await plane().client.request('GET', CLAIMS);
  return items.map(({ spec }) => `${String(spec?.['address'])}=${String(spec?.['holder']?.['name'])}`).sort();
}

const recorded = (...entries: readonly string[]) =>
  eventually(async () => JSON.stringify(await record()) === JSON.stringify([...entries].sort()));

const ipam = (name: string): Promise<KubeObject> => plane().client.request('GET', `${IPAMS}/${name}`);

test('EG-case-4 EG-25 namespaces that opt in have addresses, which are on record', async () => {
  const { client } = plane();
  await client.request(
    'POST',
    IPAMS,
    egressIpamObject('bm', { ...egressSpec(NET), dataplane: 'none' }, { finalizers: [OLD_EGRESS_FINALIZER] }),
  );
  await namespace('a', 'bm');
  await has('a', '192.0.2.1');
  await namespace('b', 'bm', '192.0.2.4');
  await namespace('c', 'bm');
  await has('c', '192.0.2.2');

  await recorded('192.0.2.1=a', '192.0.2.2=c', '192.0.2.4=b');
  expect(annotationsOf(await client.request('GET', `${NAMESPACES}/a`))['other']).toBe('stays');
  await eventually(async () => (await ipam('bm')).metadata.finalizers?.join() === EGRESS_FINALIZER);
  await eventually(async () => conditionOf(await ipam('bm'), 'Ready')?.status === 'True');
});

test('the command line tells of a namespace, its address, and what the doctor finds', async () => {
  const told = await command.run('explain', 'namespace/a');
  expect(told.out).toMatch(/^Namespace a opts in to EgressIPAM "bm"$/mu);
  expect(told.out).toMatch(/^Namespace a holds 192\.0\.2\.1 of EgressIPAM bm since /mu);
  expect((await command.run('tree', 'bm')).out).toMatch(/192\.0\.2\.1 a$/mu);
  expect((await command.run('history', '192.0.2.1')).out).toMatch(/held +bm +Namespace a/u);
  expect((await command.run('doctor')).out).toMatch(/^ok +EgressIPAMs +1 EgressIPAMs are ready, and 3 namespaces/mu);
});

test('EG-22 W-28 addresses of the API server and of ingress on OpenShift are not given', async () => {
  const { client } = plane();
  const infrastructure = { apiVersion: `${OPENSHIFT}/v1`, kind: 'Infrastructure', metadata: { name: 'cluster' } };
  const baremetal = { apiServerInternalIPs: ['192.0.2.3'], ingressIPs: ['192.0.2.5'] };
  await client.request('POST', `/apis/${OPENSHIFT}/v1/infrastructures`, {
    ...infrastructure,
    status: { platformStatus: { type: 'BareMetal', baremetal } },
  });
  await eventually(
    async () => (await client.attempt('POST', `${NAMESPACES}?dryRun=All`, asksFor('192.0.2.3'))).status === 422,
  );
  await namespace('beside', 'bm');
  await has('beside', '192.0.2.6');
  await removeNamespace('beside');
  await recorded('192.0.2.1=a', '192.0.2.2=c', '192.0.2.4=b');
  expect(await listed('c')).toBe('192.0.2.2');
});

test('EG-case-17 a wrong list concerns its namespace alone', async () => {
  // past the webhook, as where it does not answer
  await plane().client.request('DELETE', WEBHOOKS);
  await eventually(
    async () => (await plane().client.attempt('POST', `${NAMESPACES}?dryRun=All`, asksFor('192.0.2.1'))).status === 201,
  );
  await namespace('wrong', 'bm', '192.0.2.1');
  // the same again and again, which counts up its Event
  for (let round = 0; round < 3; round++) {
    await eventually(async () => JSON.stringify((await ipam('bm')).status).includes('AddressInUse'));
    expect(await listed('wrong')).toBe('192.0.2.1');
    await list('wrong', null);
    await has('wrong', '192.0.2.6');
    await list('wrong', '192.0.2.1');
  }
  await removeNamespace('wrong');
});

test('EG-case-24 what a namespace held that went while no operator ran is released, and no other address moves', async () => {
  await operator.stop();
  await removeNamespace('c');
  // made anew under its name, as by a restore
  await removeNamespace('b');
  await namespace('b', 'bm', '192.0.2.4');

  operator = await startOperator(plane(), { awaitWebhooks: false });

  await recorded('192.0.2.1=a', '192.0.2.4=b');
  expect([await listed('a'), await listed('b')]).toEqual(['192.0.2.1', '192.0.2.4']);
});

test('EG-19 the service account writes one annotation of a namespace and nothing else', async () => {
  const client = plane().client.as(await tokenFor(plane(), IN, ACCOUNT));
  const patch = (body: object) => client.attempt('PATCH', `${NAMESPACES}/a/status`, body, 'merge');
  const refused = [
    { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
    { metadata: { annotations: { [EGRESS_KEYS.egressIpam]: 'other' } } },
    { metadata: { annotations: { other: null } } },
    { metadata: { finalizers: ['example.com/stays'] } },
    { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }] } },
  ];

  expect(await Promise.all(refused.map(async (body) => (await patch(body)).status))).toEqual(refused.map(() => 403));
  expect((await patch({ metadata: { annotations: { [EGRESS_KEYS.addresses]: '192.0.2.1' } } })).status).toBe(200);
});

test('EG-case-25 with an EgressIPAM its namespaces lose their lists', async () => {
  await plane().client.request('DELETE', `${IPAMS}/bm`);

  await eventually(async () => (await plane().client.attempt('GET', `${IPAMS}/bm`)).status === 404);

  expect([await listed('a'), await listed('b'), await record()]).toEqual([undefined, undefined, []]);
});

test('the rights of the door are enough, and it asks for no others', async () => {
  await operator.stop();
  const grants = grantsIn(objects);
  const uses = usesIn(plane().auditFile, `system:serviceaccount:${IN}:${ACCOUNT}`);
  const asked = uses.filter(({ resource }) => !resource.startsWith('/api'));

  expect([...new Set(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf))]).toEqual([]);
  const used = new Set(uses.map((use) => grantFor(use, grants)));
  // the rights to the own CA are the same for all doors with webhooks, and its Secret is written again when it is renewed
  const isOfOthers = ({ name = '' }: (typeof grants)[number]): boolean =>
    [WEBHOOK_NAMES.mutatingConfiguration, WEBHOOK_NAMES.validatingConfiguration, SELF_SIGNED_SECRET].some(
      (each) => each === name,
    );
  expect(grants.filter((grant) => !isOfOthers(grant) && !used.has(grant)).map(textOf)).toEqual([]);
});
